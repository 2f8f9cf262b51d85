import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { texts } from '../../i18n/texts.ts'

const frame = createRoute({
  getParentRoute: () => root,
  path: '/account',
  loader: () => texts('account'),
  component: lazyRouteComponent(() => import('./AccountFrame.tsx'), 'AccountFrame'),
})
const getParentRoute = () => frame

/** My account: who I am, how I sign in, and what is signed in as me. */
export const accountRoutes = [
  frame.addChildren([
    createRoute({
      ...{ getParentRoute, path: '/' },
      component: lazyRouteComponent(() => import('./Profile.tsx'), 'Profile'),
    }),
    createRoute({
      ...{ getParentRoute, path: '/security' },
      component: lazyRouteComponent(() => import('./Security.tsx'), 'Security'),
    }),
    createRoute({
      ...{ getParentRoute, path: '/sessions' },
      component: lazyRouteComponent(() => import('./Sessions.tsx'), 'Sessions'),
    }),
    createRoute({
      ...{ getParentRoute, path: '/connections' },
      component: lazyRouteComponent(() => import('./Connections.tsx'), 'Connections'),
    }),
    createRoute({
      ...{ getParentRoute, path: '/activity' },
      component: lazyRouteComponent(() => import('./Activity.tsx'), 'Activity'),
    }),
    createRoute({
      ...{ getParentRoute, path: '/data' },
      component: lazyRouteComponent(() => import('./Data.tsx'), 'Data'),
    }),
  ]),
] as const
