import { infiniteQueryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { outcomes } from './search.ts'
import { endOf, startOf } from './search.ts'

export type Search = {
  actor?: string | undefined
  action?: string | undefined
  target?: string | undefined
  outcome?: (typeof outcomes)[number] | undefined
  since?: string | undefined
  until?: string | undefined
  order?: 'asc' | undefined
}

/** The filter as the API takes it: days become milliseconds where the reader is. */
function filterOf({ since, until, ...names }: Search) {
  return {
    ...names,
    since: since === undefined ? undefined : startOf(since),
    until: until === undefined ? undefined : endOf(until),
  }
}

/** Events a page at a time. A page may be empty and still have a next one. */
export const events = (search: Search) =>
  infiniteQueryOptions({
    queryKey: ['audit', 'list', search],
    queryFn: ({ pageParam, signal }) => {
      const query = { ...filterOf(search), limit: 100, cursor: pageParam }
      return ok(api.GET('/api/audit/', { params: { query }, signal }))
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    staleTime: 0,
    gcTime: 30_000,
  })
export type Event = Awaited<ReturnType<NonNullable<ReturnType<typeof events>['queryFn']>>>['results'][number]

/** Where the same events are as CSV. */
export function exportAddress(search: Search): string {
  const given = Object.entries(filterOf(search)).filter(([, value]) => value !== undefined)
  const query = new URLSearchParams(given.map(([name, value]) => [name, String(value)]))
  return `/api/audit/export${query.size > 0 ? `?${query}` : ''}`
}

/** The next part of a walk over the seals; without a cursor it begins. */
export const verifyPart = (cursor: string | undefined, signal: AbortSignal) =>
  ok(api.GET('/api/audit/verification', { params: { query: { limit: 100, cursor } }, signal }))
export type Part = Awaited<ReturnType<typeof verifyPart>>['results']
