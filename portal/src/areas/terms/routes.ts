import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { kept, listSearch } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'

const loader = () => texts('terms')
const getParentRoute = () => root

/** Terms of service, for administrators: what is in force with all versions, and a new one. */
export const termsRoutes = [
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/terms',
    validateSearch: kept((given) => ({
      ...listSearch()(given),
      version:
        typeof given.version === 'string' && /^[1-9]\d{0,8}$/.test(given.version) ? given.version : undefined,
    })),
    component: lazyRouteComponent(() => import('./Terms.tsx'), 'Terms'),
  }),
  createRoute({
    getParentRoute,
    loader,
    path: '/admin/terms/new',
    component: lazyRouteComponent(() => import('./NewTerms.tsx'), 'NewTerms'),
  }),
] as const
