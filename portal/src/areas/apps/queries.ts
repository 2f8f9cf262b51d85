import { queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'

/** Everything within reach: at most some hundreds, searched and sorted here. */
export const reached = queryOptions({
  queryKey: ['discovery', 'me'],
  queryFn: async () => (await ok(api.GET('/api/discovery/me'))).results,
})

/** The catalogue: what is within reach, and what may be asked for. */
export const catalogue = queryOptions({
  queryKey: ['discovery', 'resources'],
  queryFn: async () => (await ok(api.GET('/api/discovery/resources'))).results,
})

/** My requests for access. */
export const myRequests = queryOptions({
  queryKey: ['access-requests', 'mine'],
  queryFn: async () => (await ok(api.GET('/api/access-requests/mine'))).results,
})

export type Reached = Awaited<ReturnType<NonNullable<typeof reached.queryFn>>>[number]
export type Listed = Awaited<ReturnType<NonNullable<typeof catalogue.queryFn>>>[number]
export type AccessRequest = Awaited<ReturnType<NonNullable<typeof myRequests.queryFn>>>[number]

export async function ask(slug: string, note: string): Promise<AccessRequest> {
  return (await ok(api.POST('/api/access-requests/', { body: { slug, note } }))).results
}

export async function takeBack(id: string): Promise<void> {
  await ok(api.DELETE('/api/access-requests/{id}', { params: { path: { id } } }))
}
