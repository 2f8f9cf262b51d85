import { queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { Failure } from '../../api/failure.ts'
import type { Me } from '../../api/queries.ts'
import { mayUse, queries, toDecide } from '../../api/queries.ts'
import { byName, nameOf } from './names.ts'

export const ownedGroups = ({ uid }: Pick<Me, 'uid'>) =>
  queryOptions({
    queryKey: ['groups', 'owned', uid],
    queryFn: async () => {
      const query = { owner: uid, detail: 'true' }
      const { results } = await ok(api.GET('/api/group/', { params: { query } }))
      return results.map(({ member = [], owner = [], ...group }) => ({ ...group, member, owner }))
    },
  })
export type Owned = Awaited<ReturnType<NonNullable<ReturnType<typeof ownedGroups>['queryFn']>>>[number]

/** A group with its members and owners. */
export const group = (name: string) =>
  queryOptions({
    queryKey: ['groups', 'one', name, 'group'],
    queryFn: async () => (await ok(api.GET('/api/group/{name}', { params: { path: { name } } }))).results,
  })
export type Group = Awaited<ReturnType<NonNullable<ReturnType<typeof group>['queryFn']>>>

/** Everybody in it, each with one shortest chain of groups. */
export const effective = (name: string) =>
  queryOptions({
    queryKey: ['groups', 'one', name, 'effective'],
    queryFn: async () => {
      const params = { path: { group: name }, query: { explain: 'true' } }
      return (await ok(api.GET('/api/group/{group}/effective', { params }))).results
    },
  })
export type Effective = Awaited<ReturnType<NonNullable<ReturnType<typeof effective>['queryFn']>>>

/** Who a name belongs to; null when they are gone. */
export const person = (uid: string) =>
  queryOptions({
    queryKey: ['groups', 'person', uid.toLowerCase()],
    queryFn: async () => orNull(api.GET('/api/user/{uid}', { params: { path: { uid } } })),
    staleTime: 300_000,
  })

/** Administrators search all people; others find somebody by the whole username, as the API lets them. */
export const foundPeople = (me: Me, q: string) =>
  queryOptions({
    queryKey: ['groups', 'people', q],
    queryFn: async ({ signal }) => {
      if (!mayUse(me, 'app_sso_admin')) {
        const one = await orNull(api.GET('/api/user/{uid}', { params: { path: { uid: q } }, signal }))
        return one ? [one] : []
      }
      const query = { q, limit: 6 }
      return (await ok(api.GET('/api/user/', { params: { query }, signal }))).results
    },
    enabled: q !== '',
  })

/** Groups of a name or purpose like this, by name. */
export const foundGroups = (q: string) =>
  queryOptions({
    queryKey: ['groups', 'found', q],
    queryFn: async ({ signal }) => {
      const query = { q, limit: 7, sort: 'cn' as const }
      return (await ok(api.GET('/api/group/', { params: { query }, signal }))).results
    },
  })

async function orNull<T>(asked: Promise<{ data?: { results: T }; error?: unknown; response: Response }>) {
  try {
    return (await ok(asked)).results
  } catch (error) {
    if (error instanceof Failure && (error.status === 404 || error.name === 'InvalidInput')) return null
    throw error
  }
}

export type Who = { group: string; uid: string }
export const member = {
  add: (path: Who) => changed(ok(api.PUT('/api/group/{group}/{uid}', { params: { path } }))),
  remove: (path: Who) => changed(ok(api.DELETE('/api/group/{group}/{uid}', { params: { path } }))),
}
export const owner = {
  add: (path: Who) => changed(ok(api.PUT('/api/group/owner/{group}/{uid}', { params: { path } }))),
  remove: (path: Who) => changed(ok(api.DELETE('/api/group/owner/{group}/{uid}', { params: { path } }))),
}
export type Nesting = { group: string; child: string }
export const nesting = {
  add: (path: Nesting) => changed(ok(api.PUT('/api/group/{group}/nested/{child}', { params: { path } }))),
  remove: (path: Nesting) =>
    changed(ok(api.DELETE('/api/group/{group}/nested/{child}', { params: { path } }))),
}

export type Decision = { id: string; how: 'approve' | 'deny'; decisionNote: string }
export async function decide({ id, how, decisionNote }: Decision) {
  const given = { params: { path: { id } }, body: decisionNote ? { decisionNote } : {} }
  const asked =
    how === 'approve'
      ? api.POST('/api/access-requests/{id}/approve', given)
      : api.POST('/api/access-requests/{id}/deny', given)
  return ok(asked).finally(() => queries.invalidateQueries({ queryKey: toDecide.queryKey }))
}

/** A change of one group changes those it is nested in; and one that was refused shows that something else changed. */
async function changed<T>(asked: Promise<T>): Promise<T> {
  return asked.finally(() => queries.invalidateQueries({ queryKey: ['groups'] }))
}

/** The names of these, in their order. */
export function namesOf(dns: readonly string[]): string[] {
  return dns.map(nameOf).sort(byName)
}
