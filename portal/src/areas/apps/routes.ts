import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { kept, listSearch, oneOf, text } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'
import { kinds, orders } from './search.ts'

/** What a list of apps keeps in the address. */
const search = kept((given) => ({
  q: text(given.q),
  kind: oneOf(kinds, given.kind),
  sort: oneOf(orders, given.sort),
}))
const loader = () => texts('apps')
const getParentRoute = () => root

/** My apps: what I can reach, what I may ask for, and what I asked for. */
export const appsRoutes = [
  createRoute({
    getParentRoute,
    loader,
    path: '/',
    validateSearch: search,
    component: lazyRouteComponent(() => import('./MyApps.tsx'), 'MyApps'),
  }),
  createRoute({
    getParentRoute,
    loader,
    path: '/catalogue',
    validateSearch: search,
    component: lazyRouteComponent(() => import('./Catalogue.tsx'), 'Catalogue'),
  }),
  createRoute({
    getParentRoute,
    loader,
    path: '/requests',
    validateSearch: listSearch('state'),
    component: lazyRouteComponent(() => import('./MyRequests.tsx'), 'MyRequests'),
  }),
] as const
