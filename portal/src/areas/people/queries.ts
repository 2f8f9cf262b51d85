import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { directions, sorts, states } from './search.ts'

export type Search = {
  q?: string | undefined
  sort?: (typeof sorts)[number] | undefined
  order?: (typeof directions)[number] | undefined
  state?: (typeof states)[number] | undefined
}

const pageSize = 100

/**
 * People a page at a time, as one scrolls. They are not asked for again while they are looked at, since that would be
 * every page so far; half a minute after they were left they are forgotten.
 */
export const people = (search: Search) =>
  infiniteQueryOptions({
    queryKey: ['people', 'list', search],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...search, detail: 'true', limit: pageSize, cursor: pageParam }
      return ok(api.GET('/api/user/', { params: { query }, signal }))
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 30_000,
  })
export type PageOfPeople = Awaited<ReturnType<NonNullable<ReturnType<typeof people>['queryFn']>>>
export type Listed = PageOfPeople['results'][number]

export const figures = queryOptions({
  queryKey: ['people', 'figures'],
  queryFn: () => ok(api.GET('/api/user/stats')),
})

/** Names of groups with this in their name or description, a few. */
export const groupsNamed = (q: string) =>
  queryOptions({
    queryKey: ['people', 'groups-named', q],
    queryFn: async () => {
      const query = { q: q === '' ? undefined : q, limit: 10, sort: 'cn' as const }
      return (await ok(api.GET('/api/group/', { params: { query } }))).results.map(({ cn }) => cn)
    },
  })

/** All that is kept of one person lies below this key. */
export const oneKey = (uid: string) => ['people', 'one', uid]
const at = (uid: string) => ({ params: { path: { uid } } })

export const person = (uid: string) =>
  queryOptions({
    queryKey: [...oneKey(uid), 'account'],
    queryFn: async () => (await ok(api.GET('/api/user/{uid}', at(uid)))).results,
  })
export type Someone = Awaited<ReturnType<NonNullable<ReturnType<typeof person>['queryFn']>>>

export const verification = (uid: string) =>
  queryOptions({
    queryKey: [...oneKey(uid), 'verification'],
    queryFn: () => ok(api.GET('/api/user/{uid}/verification', at(uid))),
  })

/** Groups with the path by which they are held, and those owned. */
export const groupsOf = (uid: string) =>
  queryOptions({
    queryKey: [...oneKey(uid), 'groups'],
    queryFn: () => ok(api.GET('/api/user/{uid}/group', at(uid))),
  })

export const reachOf = (uid: string) =>
  queryOptions({
    queryKey: [...oneKey(uid), 'reach'],
    queryFn: async () => (await ok(api.GET('/api/directory-admin/user-access/{uid}', at(uid)))).results,
  })

/** Where they are signed in. */
export const sessionsOf = (uid: string) =>
  queryOptions({
    queryKey: [...oneKey(uid), 'sessions'],
    queryFn: async () => (await ok(api.GET('/api/user/{uid}/session', at(uid)))).results,
  })
export type Session = Awaited<ReturnType<NonNullable<ReturnType<typeof sessionsOf>['queryFn']>>>[number]

/** Until when too many failures keep an account closed; null when its doors are open. */
export const closedUntil = (uid: string) =>
  queryOptions({
    queryKey: [...oneKey(uid), 'closed'],
    queryFn: async () => {
      const query = { q: uid.toLowerCase(), limit: 1000 }
      const { results } = await ok(api.GET('/api/auth/lockout/', { params: { query } }))
      return results.find((closed) => closed.uid.toLowerCase() === uid.toLowerCase())?.until ?? null
    },
  })

/** A page of what was done to an account, the newest first. It may be empty and still have a next one. */
export const eventsOn =
  (uid: string) => (page: { limit: number; cursor: string | undefined }, signal: AbortSignal) =>
    ok(api.GET('/api/audit/', { params: { query: { target: uid, ...page } }, signal }))
