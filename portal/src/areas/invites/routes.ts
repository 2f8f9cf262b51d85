import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { kept, oneOf, text } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'
import { states } from './search.ts'

/** Invites, for those who give them. */
export const invitesRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/admin/invites',
    validateSearch: kept((given) => ({
      q: text(given.q),
      state: oneOf(states, given.state),
      order: oneOf(['asc'], given.order),
    })),
    loader: () => texts('invites'),
    component: lazyRouteComponent(() => import('./Invites.tsx'), 'Invites'),
  }),
] as const
