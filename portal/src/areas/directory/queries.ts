import { queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { queries, toDecide } from '../../api/queries.ts'
import type { Kind } from './search.ts'

export type Brief = {
  id: string
  kind: Kind
  name: string
  slug: string
  parents: string[]
  address: string | undefined
  isPublic: boolean
}

/** All there is, as briefly as the tree needs it: of thousands nothing else is kept. */
export const resources = queryOptions({
  queryKey: ['directory', 'all'],
  queryFn: async ({ signal }): Promise<Brief[]> => {
    const { results } = await ok(api.GET('/api/directory-admin/resources/', { signal }))
    return results.map(({ id, kind, name, slug, parents, metadata: { address, ip, isPublic } }) => ({
      ...{ id, kind, name, slug, parents, isPublic: isPublic === true },
      address: address || ip ? String(address || ip) : undefined,
    }))
  },
  staleTime: 30_000,
})

const at = (id: string) => ({ params: { path: { id } } })
const oneKey = (id: string) => ['directory', 'one', id]

export const resource = (id: string) =>
  queryOptions({
    queryKey: [...oneKey(id), 'resource'],
    queryFn: async () => (await ok(api.GET('/api/directory-admin/resources/{id}', at(id)))).results,
  })
export type Resource = Awaited<ReturnType<NonNullable<ReturnType<typeof resource>['queryFn']>>>

/** What ties it to those above and below. */
export const edges = (id: string) =>
  queryOptions({
    queryKey: [...oneKey(id), 'edges'],
    queryFn: async () => {
      const query = { resourceId: id }
      return (await ok(api.GET('/api/directory-admin/edges/', { params: { query } }))).results
    },
  })
export type Edge = Awaited<ReturnType<NonNullable<ReturnType<typeof edges>['queryFn']>>>[number]

/** The groups linked to it. */
export const links = (id: string) =>
  queryOptions({
    queryKey: [...oneKey(id), 'links'],
    queryFn: async () => {
      const query = { resourceId: id }
      return (await ok(api.GET('/api/directory-admin/groups/', { params: { query } }))).results
    },
  })
export type Link = Awaited<ReturnType<NonNullable<ReturnType<typeof links>['queryFn']>>>[number]

/** Who reaches it through its groups, by distinguished name. Names of others may hold its own, so pages are looked through. */
export const access = ({ id, slug }: Pick<Brief, 'id' | 'slug'>) =>
  queryOptions({
    queryKey: [...oneKey(id), 'access'],
    queryFn: async () => {
      for (let cursor: string | undefined; ; ) {
        const query = { q: slug, detail: 'true', limit: 20, cursor }
        const { results, next } = await ok(
          api.GET('/api/directory-admin/access-summary', { params: { query } }),
        )
        const row = results.find((each) => each.id === id)
        if (row || next === undefined) return row?.users ?? []
        cursor = next
      }
    },
  })

/** Why somebody reaches it: every group that lets them in, with one chain each. */
export const reason = (id: string, uid: string) =>
  queryOptions({
    queryKey: [...oneKey(id), 'reason', uid],
    queryFn: async () => {
      const params = { path: { uid } }
      const { results, isActive } = await ok(api.GET('/api/directory-admin/user-access/{uid}', { params }))
      return { isActive, groups: results.find((each) => each.id === id)?.groups ?? [] }
    },
  })

/** Everybody in a group, at any depth. */
export const peopleIn = (group: string) =>
  queryOptions({
    queryKey: ['directory', 'people', group],
    queryFn: async () => {
      const params = { path: { group } }
      return (await ok(api.GET('/api/group/{group}/effective', { params }))).results.effective
    },
    gcTime: 0,
  })

/** Requests for one resource that wait for a decision; directory administrators decide on all. */
export const waiting = (id: string) =>
  queryOptions({ ...toDecide, select: (all) => all.filter(({ resourceId }) => resourceId === id) })

type Metadata = Record<string, string | number | boolean>
export type Fields = {
  name: string
  description: string
  slug?: string
  owner: string | null
  metadata: Metadata
}

export async function create(body: Fields & { kind: Kind; parents: string[] }): Promise<string> {
  const made = await changed(ok(api.POST('/api/directory-admin/resources/', { body })))
  return made.results.id
}
export const update = (id: string, body: Fields) =>
  changed(ok(api.PUT('/api/directory-admin/resources/{id}', { ...at(id), body })))

/** What is known of it is forgotten by whoever leaves it. */
export async function remove(id: string): Promise<void> {
  await ok(api.DELETE('/api/directory-admin/resources/{id}', at(id)))
}
export async function forget(id: string): Promise<void> {
  queries.removeQueries({ queryKey: oneKey(id) })
  await queries.invalidateQueries({ queryKey: ['directory'] })
}

export const addEdge = (body: { parentId: string; childId: string; relation?: string }) =>
  changed(ok(api.POST('/api/directory-admin/edges/', { body })))
export const removeEdge = (id: string) => changed(ok(api.DELETE('/api/directory-admin/edges/{id}', at(id))))
export const addLink = (body: { resourceId: string; groupCn: string; accessLevel: 'access' | 'admin' }) =>
  changed(ok(api.POST('/api/directory-admin/groups/', { body })))
export const removeLink = (id: string) => changed(ok(api.DELETE('/api/directory-admin/groups/{id}', at(id))))

/** One change shows in the tree, at what lies above and below, and in who reaches it. */
async function changed<T>(asked: Promise<T>): Promise<T> {
  return asked.finally(() => queries.invalidateQueries({ queryKey: ['directory'] }))
}
