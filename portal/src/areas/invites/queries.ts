import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import type { State } from './search.ts'

export type Search = { q?: string | undefined; state?: State | undefined; order?: 'asc' | undefined }
const key = ['invites'] as const

/** Invites a page at a time: all to administrators, to others their own. */
export const invites = (search: Search) =>
  infiniteQueryOptions({
    queryKey: [...key, 'list', search],
    queryFn: async ({ pageParam, signal }) => {
      const query = { ...search, limit: 50, cursor: pageParam }
      const { results, next } = await ok(api.GET('/api/user/invite/', { params: { query }, signal }))
      const read = results.map(({ groups, ...invite }) => ({ ...invite, groups: namesIn(groups) }))
      return { results: read, next }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
  })
export type Invite = Awaited<
  ReturnType<NonNullable<ReturnType<typeof invites>['queryFn']>>
>['results'][number]

/** The API writes the names as a JSON array in a string. */
function namesIn(groups: string): string[] {
  return JSON.parse(groups)
}

/** Addresses in lower case that an open invite is for: of the newest thousand. */
export const invited = queryOptions({
  queryKey: [...key, 'invited'],
  queryFn: async () => {
    const query = { state: 'valid' as const, limit: 1000 }
    const { results } = await ok(api.GET('/api/user/invite/', { params: { query } }))
    return new Set(results.flatMap(({ mail }) => mail?.toLowerCase() ?? []))
  },
})

/** Groups of a name or purpose like this, by name. */
export const foundGroups = (q: string) =>
  queryOptions({
    queryKey: [...key, 'groups', q],
    queryFn: async ({ signal }) => {
      // As many as are seen at once.
      const query = { q, limit: 6, sort: 'cn' as const }
      const { results } = await ok(api.GET('/api/group/', { params: { query }, signal }))
      return results.map(({ cn }) => cn)
    },
    placeholderData: (before) => before,
  })

export type Assigned = { groups: string[]; days: number | undefined }

/** An invite and its link; with an address it says whether the mail server took the letter. */
export function invite({ groups, days }: Assigned, mail?: string) {
  const body = {
    groups,
    ...(mail === undefined ? {} : { mail }),
    ...(days === undefined ? {} : { expires_in_days: days }),
  }
  return ok(api.POST('/api/user/invite/', { body }))
}

const at = (token: string) => ({ params: { path: { token } } })

/** Mails the link of an open invite once more; answers whether the mail server took it. */
export async function sendAgain(token: string): Promise<boolean> {
  return (await ok(api.POST('/api/user/invite/{token}/send', at(token)))).mail_sent
}

export async function revoke(token: string): Promise<void> {
  await ok(api.DELETE('/api/user/invite/{token}', at(token))).finally(renew)
}

/** Invites were made or changed: what is shown of them is read anew. */
export async function renew(): Promise<void> {
  await queries.invalidateQueries({ queryKey: key })
}

/** What is handed on; it lies where the portal does. */
export function linkOf(token: string): string {
  return new URL(`/login/invite/${token}`, location.origin).href
}
