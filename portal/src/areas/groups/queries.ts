import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { Failure } from '../../api/failure.ts'
import type { Me } from '../../api/queries.ts'
import { mayUse, queries, toDecide } from '../../api/queries.ts'
import { isSame, parentOf } from '../../parts/names.ts'
import type { allOrders } from './search.ts'

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

export type Search = {
  q?: string | undefined
  sort?: (typeof allOrders)[number] | undefined
  /** uid of somebody who owns, or is listed in, what is looked for. */
  owner?: string | undefined
  member?: string | undefined
}

/** All groups a page at a time, as one scrolls. Of who is in them only the number is kept. */
export const allGroups = ({ dn }: Pick<Me, 'dn'>, { sort, ...search }: Search) =>
  infiniteQueryOptions({
    queryKey: ['groups', 'all', sort, search],
    queryFn: async ({ pageParam, signal }) => {
      const order = sort === 'oldest' ? ('createTimestamp' as const) : ('cn' as const)
      const query = { ...search, sort: order, detail: 'true', limit: 100, cursor: pageParam }
      const { results, next } = await ok(api.GET('/api/group/', { params: { query }, signal }))
      return { next, results: results.map((group) => counted(group, parentOf(dn))) }
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    gcTime: 30_000,
  })
export type Counted = ReturnType<typeof counted>

type Detailed = { cn: string; description: string; member?: string[]; owner?: string[] }

/** How many people and groups one lists. People lie where I do. */
export function counted({ cn, description, member = [], owner = [] }: Detailed, people: string) {
  const nested = member.filter((dn) => parentOf(dn) !== people).length
  return { cn, description, people: member.length - nested, nested, owners: owner.length }
}

/** What a group is nested in and what is nested in it, at any depth. */
export const nestingAround = (name: string) =>
  queryOptions({
    queryKey: ['groups', 'one', name, 'nesting'],
    queryFn: async () => {
      const params = { path: { group: name } }
      return (await ok(api.GET('/api/group/{group}/nesting', { params }))).results
    },
  })

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

export type NewGroup = { name: string; description: string; owner: string }

/**
 * Makes a group, which makes me its owner and first member, and hands it over where `owner` is somebody else. Answers its
 * name, and what kept it from being handed over.
 */
export async function create({ owner: uid, ...body }: NewGroup, me: Pick<Me, 'uid'>) {
  const { cn } = (await ok(api.POST('/api/group/', { body }))).results
  const handOver = async () => {
    if (isSame(uid, me.uid)) return
    await owner.add({ group: cn, uid })
    await member.add({ group: cn, uid })
    await member.remove({ group: cn, uid: me.uid })
    await owner.remove({ group: cn, uid: me.uid })
  }
  const kept = await handOver().catch((error: unknown) => error)
  await queries.invalidateQueries({ queryKey: ['groups'] })
  return { cn, kept }
}

export const describeGroup = (group: string, description: string) =>
  changed(ok(api.PUT('/api/group/{group}', { params: { path: { group } }, body: { description } })))

/** Deletes a group. What is known of it is forgotten by whoever leaves its screen. */
export async function remove(group: string): Promise<void> {
  await ok(api.DELETE('/api/group/{group}', { params: { path: { group } } }))
}

/** A group is gone, and its screen was left. */
export async function forget(name: string): Promise<void> {
  queries.removeQueries({ queryKey: ['groups', 'one', name] })
  await queries.invalidateQueries({ queryKey: ['groups'] })
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
