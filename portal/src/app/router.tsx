import { createRouter } from '@tanstack/react-router'
import { accountRoutes } from '../areas/account/routes.ts'
import { appsRoutes } from '../areas/apps/routes.ts'
import { groupsRoutes } from '../areas/groups/routes.ts'
import { peopleRoutes } from '../areas/people/routes.ts'
import { Broken } from '../parts/Broken.tsx'
import { Loading } from '../parts/Loading.tsx'
import { NotFound } from '../parts/NotFound.tsx'
import { root } from './routes.ts'
import { readSearch, writeSearch } from './search.ts'

export const router = createRouter({
  routeTree: root.addChildren([...appsRoutes, ...accountRoutes, ...groupsRoutes, ...peopleRoutes]),
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
