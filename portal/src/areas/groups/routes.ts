import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { kept, listSearch, oneOf, text } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'
import { allOrders } from './search.ts'

const loader = () => texts('groups')
const getParentRoute = () => root
const inGroup = { validateSearch: listSearch('members-q', 'nested-q', 'owners-q', 'everyone-q') }
const oneGroup = lazyRouteComponent(() => import('./OneGroup.tsx'), 'OneGroup')

/** Groups, those that I own and for administrators all of them: who is in them and why, and what waits for my decision. */
export const groupsRoutes = [
  createRoute({
    getParentRoute,
    loader,
    path: '/groups',
    validateSearch: listSearch(),
    component: lazyRouteComponent(() => import('./Groups.tsx'), 'Groups'),
  }),
  createRoute({ ...inGroup, getParentRoute, loader, path: '/groups/$name', component: oneGroup }),
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/groups',
    validateSearch: kept((given) => ({
      q: text(given.q),
      sort: oneOf(allOrders, given.sort),
      owner: text(given.owner),
      member: text(given.member),
    })),
    component: lazyRouteComponent(() => import('./AllGroups.tsx'), 'AllGroups'),
  }),
  createRoute({ ...inGroup, getParentRoute, loader, path: '/admin/groups/$name', component: oneGroup }),
  createRoute({
    getParentRoute,
    loader,
    path: '/decisions',
    validateSearch: listSearch(),
    component: lazyRouteComponent(() => import('./Decisions.tsx'), 'Decisions'),
  }),
] as const
