import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { kept, listSearch, text } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'

const loader = () => texts('plugins', 'forms')
const getParentRoute = () => root

/** Plugins, for administrators: all of them, a new one, and one with its runs. */
export const pluginsRoutes = [
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/plugins',
    validateSearch: listSearch('schedule', 'status'),
    component: lazyRouteComponent(() => import('./Plugins.tsx'), 'Plugins'),
  }),
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/plugins/new',
    validateSearch: kept((given) => ({ type: text(given.type) })),
    component: lazyRouteComponent(() => import('./NewPlugin.tsx'), 'NewPlugin'),
  }),
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/plugins/$id',
    validateSearch: listSearch('status'),
    component: lazyRouteComponent(() => import('./OnePlugin.tsx'), 'OnePlugin'),
  }),
] as const
