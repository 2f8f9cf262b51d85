import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { listSearch } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'

const loader = () => texts('webhooks', 'actions')
const getParentRoute = () => root

/** Webhooks, for administrators: all of them, a new one, and one with what it was told. */
export const webhooksRoutes = [
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/webhooks',
    validateSearch: listSearch('state'),
    component: lazyRouteComponent(() => import('./Webhooks.tsx'), 'Webhooks'),
  }),
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/webhooks/new',
    component: lazyRouteComponent(() => import('./NewWebhook.tsx'), 'NewWebhook'),
  }),
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/webhooks/$id',
    validateSearch: listSearch('status'),
    component: lazyRouteComponent(() => import('./OneWebhook.tsx'), 'OneWebhook'),
  }),
] as const
