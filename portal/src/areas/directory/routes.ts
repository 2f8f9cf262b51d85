import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { kept, oneOf, text } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'
import { kinds } from './search.ts'

/** Sites, hosts, services and applications, for directory administrators. */
export const directoryRoutes = [
  createRoute({
    getParentRoute: () => root,
    loader: () => texts('directory'),
    path: '/admin/directory',
    validateSearch: kept((given) => ({
      q: text(given.q),
      kind: oneOf(kinds, given.kind),
      id: text(given.id),
      // Of the lists of one of them.
      'above-q': text(given['above-q']),
      'below-q': text(given['below-q']),
      'by-q': text(given['by-q']),
      'who-q': text(given['who-q']),
    })),
    component: lazyRouteComponent(() => import('./Directory.tsx'), 'Directory'),
  }),
] as const
