import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { kept, oneOf, text } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'
import { doors, kinds, orders, states } from './search.ts'

const loader = () => texts('clients')
const getParentRoute = () => root

const client = createRoute({
  getParentRoute,
  loader,
  path: '/admin/applications/$id',
  component: lazyRouteComponent(() => import('./OneClient.tsx'), 'OneClient'),
})
const ofClient = () => client

/** Made by themselves: inside of `addChildren` their paths would be any. */
const ofOne = [
  createRoute({
    getParentRoute: ofClient,
    path: '/',
    component: lazyRouteComponent(() => import('./Settings.tsx'), 'Settings'),
  }),
  createRoute({
    getParentRoute: ofClient,
    path: '/connect',
    component: lazyRouteComponent(() => import('./Connect.tsx'), 'Connect'),
  }),
  createRoute({
    getParentRoute: ofClient,
    path: '/test',
    component: lazyRouteComponent(() => import('./Tests.tsx'), 'Tests'),
  }),
  createRoute({
    getParentRoute: ofClient,
    path: '/access',
    validateSearch: kept((given) => ({ q: text(given.q), group: text(given.group) })),
    component: lazyRouteComponent(() => import('./Access.tsx'), 'Access'),
  }),
] as const

/** Applications that sign people in here (OAuth clients): all of them, a new one, and one with all there is to know and do. */
export const clientsRoutes = [
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/applications',
    validateSearch: kept((given) => ({
      q: text(given.q),
      sort: oneOf(orders, given.sort),
      kind: oneOf(kinds, given.kind),
      door: oneOf(doors, given.door),
      state: oneOf(states, given.state),
    })),
    component: lazyRouteComponent(() => import('./Clients.tsx'), 'Clients'),
  }),
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/applications/new',
    validateSearch: kept((given) => ({ recipe: text(given.recipe) })),
    component: lazyRouteComponent(() => import('./NewClient.tsx'), 'NewClient'),
  }),
  client.addChildren(ofOne),
] as const
