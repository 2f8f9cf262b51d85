import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'

/** How often to look again at what is under way, milliseconds. */
const soon = 1500

export type Search = { q?: string | undefined; order?: 'asc' | undefined }

/** What was sent. */
export const notifications = (search: Search) =>
  infiniteQueryOptions({
    queryKey: ['notifications', 'list', search],
    queryFn: ({ pageParam, signal }) =>
      ok(
        api.GET('/api/notification/', {
          params: { query: { ...search, limit: 30, cursor: pageParam } },
          signal,
        }),
      ),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    refetchInterval: ({ state: { data } }) =>
      data?.pages.some(({ results }) => results.some(isUnderWay)) ? 2 * soon : false,
  })

const at = (id: string) => ({ params: { path: { id } } })

export const notification = (id: string) =>
  queryOptions({
    queryKey: ['notifications', 'one', id],
    queryFn: async () => (await ok(api.GET('/api/notification/{id}', at(id)))).results,
    refetchInterval: ({ state: { data } }) => (data && isUnderWay(data) ? soon : false),
  })
export type Notification = Awaited<ReturnType<NonNullable<ReturnType<typeof notification>['queryFn']>>>

/** How many are to get it, and who could not; asked for again while it is under way. */
export const recipients = (id: string, underWay: boolean) =>
  queryOptions({
    queryKey: ['notifications', 'recipients', id, underWay],
    queryFn: async () => (await ok(api.GET('/api/notification/{id}/recipients', at(id)))).results,
    refetchInterval: underWay ? soon : false,
  })

/** Whether somebody is still to get it. */
export function isUnderWay({ status }: { status: string }): boolean {
  return status === 'queued' || status === 'sending'
}

export type Filter = Pick<Notification, 'filter_type' | 'filter_value' | 'active_only'>

/** How many people a filter names now. */
export const counted = (filter: Filter) =>
  queryOptions({
    queryKey: ['notifications', 'counted', filter],
    queryFn: async ({ signal }) =>
      (await ok(api.POST('/api/notification/recipients', { body: filter, signal }))).results.count,
    retry: false,
    gcTime: 0,
  })

/** The mail as it would be sent. */
export const preview = (subject: string, message: string) =>
  queryOptions({
    queryKey: ['notifications', 'preview', subject, message],
    queryFn: async ({ signal }) =>
      (await ok(api.POST('/api/notification/preview', { body: { subject, message }, signal }))).results,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })

/** Names of groups or people that begin or hold what was typed. */
export const found = (what: 'group' | 'users', q: string) =>
  queryOptions({
    queryKey: ['notifications', 'found', what, q],
    queryFn: async ({ signal }) => {
      const params = { query: { q: q || undefined, limit: 8 } }
      if (what === 'users') {
        const { results } = await ok(api.GET('/api/user/', { params, signal }))
        return results.map(({ uid, givenName, sn, mail }) => ({
          value: uid,
          said: `${givenName} ${sn} · ${mail}`,
        }))
      }
      const { results } = await ok(api.GET('/api/group/', { params, signal }))
      return results.map(({ cn }) => ({ value: cn, said: '' }))
    },
  })

/** Sends; answers its id once few are served, or at once where there are many. */
export async function send(body: Filter & { subject: string; message: string }): Promise<string> {
  const { results } = await ok(api.POST('/api/notification/', { body }))
  await queries.invalidateQueries({ queryKey: ['notifications', 'list'] })
  return results.notification_id
}
