import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { kept, oneOf, text } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'
import { shown } from './search.ts'

/** Settings at run time, for administrators. */
export const configurationRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/admin/configuration',
    loader: () => texts('configuration', 'forms'),
    validateSearch: kept((given) => ({
      q: text(given.q),
      section: text(given.section),
      show: oneOf(shown, given.show),
    })),
    component: lazyRouteComponent(() => import('./Configuration.tsx'), 'Configuration'),
  }),
] as const
