import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { root } from '../../app/routes.ts'
import { kept, listSearch, oneOf, text } from '../../app/search.ts'
import { texts } from '../../i18n/texts.ts'
import { directions, sorts, states } from './search.ts'

const loader = () => texts('people')
const getParentRoute = () => root

const person = createRoute({
  getParentRoute,
  loader,
  path: '/people/$uid',
  component: lazyRouteComponent(() => import('./Person.tsx'), 'Person'),
})
const ofPerson = () => person

/** Made by themselves: inside of `addChildren` their paths would be any. */
const ofOne = [
  createRoute({
    getParentRoute: ofPerson,
    path: '/',
    component: lazyRouteComponent(() => import('./Overview.tsx'), 'Overview'),
  }),
  createRoute({
    getParentRoute: ofPerson,
    path: '/groups',
    validateSearch: listSearch('how', 'owned-q'),
    component: lazyRouteComponent(() => import('./PersonGroups.tsx'), 'PersonGroups'),
  }),
  createRoute({
    getParentRoute: ofPerson,
    path: '/access',
    validateSearch: listSearch('kind', 'level'),
    component: lazyRouteComponent(() => import('./PersonAccess.tsx'), 'PersonAccess'),
  }),
  createRoute({
    getParentRoute: ofPerson,
    path: '/sessions',
    validateSearch: listSearch(),
    component: lazyRouteComponent(() => import('./PersonSessions.tsx'), 'PersonSessions'),
  }),
  createRoute({
    getParentRoute: ofPerson,
    path: '/activity',
    validateSearch: listSearch('kind', 'outcome'),
    loader: () => texts('actions'),
    component: lazyRouteComponent(() => import('./PersonActivity.tsx'), 'PersonActivity'),
  }),
] as const

/** People, for administrators: all of them, and one with all there is to know and do. */
export const peopleRoutes = [
  createRoute({
    getParentRoute,
    loader,
    path: '/people',
    validateSearch: kept((given) => ({
      q: text(given.q),
      sort: oneOf(sorts, given.sort),
      order: oneOf(directions, given.order),
      state: oneOf(states, given.state),
    })),
    component: lazyRouteComponent(() => import('./People.tsx'), 'People'),
  }),
  person.addChildren(ofOne),
] as const
