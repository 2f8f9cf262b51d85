import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { listSearch } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'

const frame = createRoute({
  getParentRoute: () => root,
  path: '/account',
  loader: () => texts('account'),
  component: lazyRouteComponent(() => import('./AccountFrame.tsx'), 'AccountFrame'),
})
const getParentRoute = () => frame

/** Made by themselves: inside of `addChildren` their paths would be any. */
const screens = [
  createRoute({
    getParentRoute,
    path: '/',
    component: lazyRouteComponent(() => import('./Profile.tsx'), 'Profile'),
  }),
  createRoute({
    getParentRoute,
    path: '/security',
    validateSearch: listSearch(),
    component: lazyRouteComponent(() => import('./Security.tsx'), 'Security'),
  }),
  createRoute({
    getParentRoute,
    path: '/sessions',
    validateSearch: listSearch(),
    component: lazyRouteComponent(() => import('./Sessions.tsx'), 'Sessions'),
  }),
  createRoute({
    getParentRoute,
    path: '/connections',
    validateSearch: listSearch('apps-q', 'apps-sort', 'tokens-q', 'tokens-sort'),
    component: lazyRouteComponent(() => import('./Connections.tsx'), 'Connections'),
  }),
  createRoute({
    getParentRoute,
    path: '/activity',
    validateSearch: listSearch('kind', 'outcome'),
    loader: () => texts('actions'),
    component: lazyRouteComponent(() => import('./Activity.tsx'), 'Activity'),
  }),
  createRoute({
    getParentRoute,
    path: '/data',
    component: lazyRouteComponent(() => import('./Data.tsx'), 'Data'),
  }),
] as const

/** My account: who I am, how I sign in, and what is signed in as me. */
export const accountRoutes = [frame.addChildren(screens)] as const
