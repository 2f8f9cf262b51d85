/**
 * What the directory shows to everybody: what they can reach, and what they may ask for. Of all else not even the name is
 * told, and of none the metadata that is not public.
 */
import type { View } from '#adapters/redis/resources.ts'
import type { Deps } from '#src/deps.ts'
import { publicMetadata } from '#src/directory/metadata.ts'
import type { Reach } from '#src/directory/reach.ts'
import { addressOf, groupAskedFor, levelOf, reachOf, reachTo } from '#src/directory/reach.ts'
import type { ResourceRecord } from '#src/directory/schemas.ts'
import { Refusal } from '#src/errors.ts'
import type { Caller } from '#src/http/caller.ts'
import type { Listed, Reached } from './schemas.ts'

type Needs = Pick<Deps, 'store' | 'accounts'>
type Seer = Pick<Caller, 'uid'>

/** What the caller can reach, of the directory as it is now. */
export async function within(deps: Needs, caller: Seer): Promise<{ now: View; reach: Map<string, Reach> }> {
  const [chains, now] = await Promise.all([chainsOf(deps, caller), deps.store.resources.current()])
  return { now, reach: reachOf(now, chains) }
}

/** What the caller may know of: what they can reach, and what they may ask for. */
export async function catalogue(deps: Needs, caller: Seer) {
  const { now, reach } = await within(deps, caller)
  const records = new Map([...reach.values()].map(({ record }) => [record.id, record]))
  for (const record of now.open('requestable')) if (groupAskedFor(now, record)) records.set(record.id, record)
  return { now, reach, records }
}

/** One resource of the catalogue by its slug. Throws NotFound, also for what the caller may not know of. */
export async function listedNamed(deps: Needs, caller: Seer, slug: string) {
  const [chains, now] = await Promise.all([chainsOf(deps, caller), deps.store.resources.current()])
  const record = now.withSlug(slug)
  const reach = record && reachTo(now, record, chains)
  if (!record || (!reach && !groupAskedFor(now, record)))
    throw new Refusal('NotFound', 'There is no such resource.')
  return { now, record, reach }
}

/** The nodes that the caller may know of, and the edges among them. */
export async function graph(deps: Needs, caller: Seer) {
  const { now, reach, records } = await catalogue(deps, caller)
  const nodes = [...records.values()].map(({ id, kind, name, slug }) => {
    return { id, kind, name, slug, hasAccess: reach.has(id) }
  })
  const edges = nodes.flatMap(({ id }) => now.above(id).filter(({ parentId }) => records.has(parentId)))
  return { nodes, edges: edges.map(({ parentId, childId, relation }) => ({ parentId, childId, relation })) }
}

export function shownReached(now: View, reach: Reach): Reached {
  return { ...shown(now, reach.record), ...levelOf(reach) }
}

/** Public alone is in reach, and may still be asked for: a group may open more of it. */
export function shownListed(now: View, record: ResourceRecord, reach: Reach | undefined): Listed {
  const requestable = groupAskedFor(now, record) !== undefined && !reach?.grants.length
  return { ...shown(now, record), hasAccess: reach !== undefined, requestable }
}

/** Whether a resource is what somebody searches for. */
export function matches({ name, slug }: Pick<ResourceRecord, 'name' | 'slug'>, q = ''): boolean {
  return `${name}\n${slug}`.toLowerCase().includes(q.normalize('NFKC').toLowerCase())
}

function shown(now: View, record: ResourceRecord) {
  const { id, kind, name, slug, description, metadata } = record
  const address = addressOf(now, record)
  return {
    ...{ id, kind, name, slug, description, metadata: publicMetadata(metadata) },
    ...(address === undefined ? {} : { address }),
  }
}

async function chainsOf({ accounts }: Needs, { uid }: Seer) {
  return (await (await accounts.find(uid))?.chains()) ?? []
}
