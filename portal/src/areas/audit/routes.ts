import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { kept, oneOf, text } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'
import { day, outcomes } from './search.ts'

/** What happened in the service, for administrators. */
export const auditRoutes = [
  createRoute({
    getParentRoute: () => root,
    path: '/admin/audit',
    loader: () => texts('audit', 'actions'),
    validateSearch: kept((given) => ({
      actor: text(given.actor),
      action: text(given.action),
      target: text(given.target),
      outcome: oneOf(outcomes, given.outcome),
      since: day(given.since),
      until: day(given.until),
      order: oneOf(['asc'], given.order),
    })),
    component: lazyRouteComponent(() => import('./Audit.tsx'), 'Audit'),
  }),
] as const
