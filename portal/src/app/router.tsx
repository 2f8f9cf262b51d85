import { createRouter } from '@tanstack/react-router'
import { accountRoutes } from '../areas/account/routes.ts'
import { appsRoutes } from '../areas/apps/routes.ts'
import { auditRoutes } from '../areas/audit/routes.ts'
import { clientsRoutes } from '../areas/clients/routes.ts'
import { configurationRoutes } from '../areas/configuration/routes.ts'
import { directoryRoutes } from '../areas/directory/routes.ts'
import { groupsRoutes } from '../areas/groups/routes.ts'
import { homeRoutes } from '../areas/home/routes.ts'
import { invitesRoutes } from '../areas/invites/routes.ts'
import { notificationsRoutes } from '../areas/notifications/routes.ts'
import { peopleRoutes } from '../areas/people/routes.ts'
import { pluginsRoutes } from '../areas/plugins/routes.ts'
import { termsRoutes } from '../areas/terms/routes.ts'
import { webhooksRoutes } from '../areas/webhooks/routes.ts'
import { Broken } from '../parts/Broken.tsx'
import { Loading } from '../parts/Loading.tsx'
import { NotFound } from '../parts/NotFound.tsx'
import { root } from './routes.ts'
import { readSearch, writeSearch } from './search.ts'

export const router = createRouter({
  routeTree: root.addChildren([
    ...appsRoutes,
    ...accountRoutes,
    ...groupsRoutes,
    ...peopleRoutes,
    ...clientsRoutes,
    ...homeRoutes,
    ...invitesRoutes,
    ...directoryRoutes,
    ...auditRoutes,
    ...configurationRoutes,
    ...pluginsRoutes,
    ...webhooksRoutes,
    ...termsRoutes,
    ...notificationsRoutes,
  ]),
  parseSearch: readSearch,
  stringifySearch: writeSearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
  defaultErrorComponent: Broken,
  defaultNotFoundComponent: NotFound,
  defaultPendingComponent: Loading,
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
