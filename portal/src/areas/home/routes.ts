import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { texts } from '../../i18n/texts.ts'

/** What an administrator looks at first. */
export const homeRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/admin/overview',
    loader: () => texts('home'),
    component: lazyRouteComponent(() => import('./Home.tsx'), 'Home'),
  }),
] as const
