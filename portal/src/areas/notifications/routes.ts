import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { kept, oneOf, text } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'

const loader = () => texts('notifications')
const getParentRoute = () => root

/** Notifications, for administrators: what was sent, a new one, and one with how far it is. */
export const notificationsRoutes = [
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/notifications',
    validateSearch: kept((given) => ({ q: text(given.q), order: oneOf(['asc'], given.order) })),
    component: lazyRouteComponent(() => import('./Notifications.tsx'), 'NotificationList'),
  }),
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/notifications/new',
    validateSearch: kept((given) => ({ like: text(given.like) })),
    component: lazyRouteComponent(() => import('./NewNotification.tsx'), 'NewNotification'),
  }),
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/notifications/$id',
    component: lazyRouteComponent(() => import('./OneNotification.tsx'), 'OneNotification'),
  }),
] as const
