import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { orders } from './search.ts'

export type Search = { q?: string | undefined; sort?: (typeof orders)[number] | undefined }

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

/** Where they are signed in, the last used first. */
export const sessionsOf = (uid: string) =>
  queryOptions({
    queryKey: [...oneKey(uid), 'sessions'],
    queryFn: async () => {
      const { results } = await ok(api.GET('/api/user/{uid}/session', at(uid)))
      return results.toSorted((a, b) => b.last_used_on - a.last_used_on)
    },
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

/** What was done to an account, the newest first. A page may be empty and still have a next one. */
export const eventsOn = (uid: string) =>
  infiniteQueryOptions({
    queryKey: [...oneKey(uid), 'events'],
    queryFn: ({ pageParam }) =>
      ok(api.GET('/api/audit/', { params: { query: { target: uid, limit: 50, cursor: pageParam } } })),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  })
