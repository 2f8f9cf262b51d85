import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { oneOf, text } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'
import { orders } from './search.ts'

const loader = () => texts('people')
const getParentRoute = () => root

const person = createRoute({
  ...{ getParentRoute, loader, path: '/people/$uid' },
  component: lazyRouteComponent(() => import('./Person.tsx'), 'Person'),
})
const ofPerson = () => person

/** People, for administrators: all of them, and one with all there is to know and do. */
export const peopleRoutes = [
  createRoute({
    ...{ getParentRoute, loader, path: '/people' },
    validateSearch: (given: Record<string, unknown>) => ({
      q: text(given.q),
      sort: oneOf(orders, given.sort),
    }),
    component: lazyRouteComponent(() => import('./People.tsx'), 'People'),
  }),
  person.addChildren([
    createRoute({
      ...{ getParentRoute: ofPerson, path: '/' },
      component: lazyRouteComponent(() => import('./Overview.tsx'), 'Overview'),
    }),
    createRoute({
      ...{ getParentRoute: ofPerson, path: '/groups' },
      component: lazyRouteComponent(() => import('./PersonGroups.tsx'), 'PersonGroups'),
    }),
    createRoute({
      ...{ getParentRoute: ofPerson, path: '/access' },
      component: lazyRouteComponent(() => import('./PersonAccess.tsx'), 'PersonAccess'),
    }),
    createRoute({
      ...{ getParentRoute: ofPerson, path: '/sessions' },
      component: lazyRouteComponent(() => import('./PersonSessions.tsx'), 'PersonSessions'),
    }),
    createRoute({
      ...{ getParentRoute: ofPerson, path: '/activity' },
      component: lazyRouteComponent(() => import('./PersonActivity.tsx'), 'PersonActivity'),
    }),
  ]),
] as const
