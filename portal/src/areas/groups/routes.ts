import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { oneOf, text } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'
import { orders } from './search.ts'

const loader = () => texts('groups')
const getParentRoute = () => root

/** Groups that I own: who is in them and why, and what waits for my decision. */
export const groupsRoutes = [
  createRoute({
    ...{ getParentRoute, loader, path: '/groups' },
    validateSearch: (given: Record<string, unknown>) => ({
      q: text(given.q),
      sort: oneOf(orders, given.sort),
    }),
    component: lazyRouteComponent(() => import('./Groups.tsx'), 'Groups'),
  }),
  createRoute({
    ...{ getParentRoute, loader, path: '/groups/$name' },
    component: lazyRouteComponent(() => import('./OneGroup.tsx'), 'OneGroup'),
  }),
  createRoute({
    ...{ getParentRoute, loader, path: '/decisions' },
    component: lazyRouteComponent(() => import('./Decisions.tsx'), 'Decisions'),
  }),
] as const
