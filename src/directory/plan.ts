/**
 * Which changes of the directory are sound. Each plan reads the directory as it is and answers what to write; the store
 * writes it only while nothing has changed since (adapters/redis/resources.ts), so nothing here is overtaken.
 */
import { randomUUID } from 'node:crypto'
import type { Op, View } from '#adapters/redis/resources.ts'
import { Refusal } from '#src/errors.ts'
import type { Edge, Kind, Link, NewEdge, ResourceRecord } from './schemas.ts'

/** What a parent may be of which kind (contract section 11). */
const parentKinds: Record<Kind, readonly Kind[]> = {
  site: [],
  host: ['site'],
  service: ['host', 'service'],
  oauth: ['service'],
}
/** The slug of the service that holds applications made without a parent. */
const applications = 'applications'
const contains = 'contains'

export type Made = Pick<Edge, 'created_by' | 'created_on'>
/** A resource before its slug is settled. */
export type Draft = Omit<ResourceRecord, 'slug'> & { slug?: string | undefined }

/** A new resource below `parents`. Throws AlreadyExists (the slug), InvalidInput (a parent). */
export function planNew(now: View, draft: Draft, parents: string[]): { ops: Op[]; value: ResourceRecord } {
  const { id, kind, created_by, created_on } = draft
  const made = { created_by, created_on }
  const value = { ...draft, slug: draft.slug ?? freeSlug(now, draft) } as ResourceRecord
  assertSlug(now, value)
  const ops: Op[] = [['resources', id, value]]
  // Made in one instant, they are told by id: in the order given.
  const ids = parents.map(() => randomUUID()).sort()
  for (const [at, parentId] of parents.entries()) {
    assertParent(now, kind, parentId)
    ops.push(edgeOp({ parentId, childId: id }, made, ids[at]))
  }
  if (kind === 'oauth' && parents.length === 0) {
    const home = now.withSlug(applications) ?? homeOfApplications(made)
    if (!now.resources.has(home.id)) ops.push(['resources', home.id, home])
    ops.push(edgeOp({ parentId: home.id, childId: id }, made))
  }
  return { ops, value }
}

/** A changed resource. Throws AlreadyExists (the slug), InvalidInput. */
export function planChange(now: View, value: ResourceRecord): { ops: Op[]; value: ResourceRecord } {
  assertSlug(now, value)
  return { ops: [['resources', value.id, value]], value }
}

/** Takes its edges and group links with it. Throws Conflict while something lies below it. */
export function planRemoval(now: View, value: ResourceRecord): { ops: Op[]; value: ResourceRecord } {
  const { id } = value
  if (now.below(id).length > 0)
    throw new Refusal('Conflict', 'Other resources lie below this one: move or delete them first.')
  const ops: Op[] = [
    ['resources', id, undefined],
    ...now.above(id).map((edge): Op => ['edges', edge.id, undefined]),
    ...now.linksOn(id).map((link): Op => ['links', link.id, undefined]),
  ]
  return { ops, value }
}

/** Throws InvalidInput, SelfNesting, AlreadyExists, NestingLoop. */
export function planEdge(now: View, wanted: NewEdge, made: Made): { ops: Op[]; value: Edge } {
  const { parentId, childId } = wanted
  const child = now.resources.get(childId)
  if (!child) throw new Refusal('InvalidInput', 'childId: there is no such resource.')
  if (parentId === childId) throw new Refusal('SelfNesting', 'A resource cannot lie below itself.')
  assertParent(now, child.kind, parentId)
  if (now.above(childId).some((edge) => edge.parentId === parentId))
    throw new Refusal('AlreadyExists', 'There is an edge between the two already.')
  if (ancestors(now, parentId).has(childId)) throw new Refusal('NestingLoop', 'This edge would form a loop.')
  const op = edgeOp(wanted, made)
  return { ops: [op], value: op[2] }
}

/** Throws NotFound; Conflict where an application would be left without a service. */
export function planEdgeRemoval(now: View, id: string): { ops: Op[]; value: Edge } {
  const value = now.edges.get(id)
  if (!value) throw new Refusal('NotFound', 'There is no such edge.')
  if (now.resources.get(value.childId)?.kind === 'oauth' && now.above(value.childId).length < 2)
    throw new Refusal('Conflict', 'An application belongs to a service: give it another parent first.')
  return { ops: [['edges', id, undefined]], value }
}

/** Throws InvalidInput, AlreadyExists (a link of this group, at whatever level). */
export function planLink(now: View, value: Link): { ops: Op[]; value: Link } {
  if (!now.resources.has(value.resourceId))
    throw new Refusal('InvalidInput', 'resourceId: there is no such resource.')
  if (now.linksOf(value.groupCn).some(({ resourceId }) => resourceId === value.resourceId))
    throw new Refusal('AlreadyExists', 'The group is linked to this resource already.')
  return { ops: [['links', value.id, value]], value }
}

/** Throws NotFound. */
export function planLinkRemoval(now: View, id: string): { ops: Op[]; value: Link } {
  const value = now.links.get(id)
  if (!value) throw new Refusal('NotFound', 'There is no such link.')
  return { ops: [['links', id, undefined]], value }
}

/** Ids of all that a resource lies below, at any depth, the nearest first. */
export function ancestors(now: View, id: string): Set<string> {
  const found = new Set<string>()
  const climb = (child: string) => {
    for (const { parentId } of now.above(child)) found.add(parentId)
  }
  climb(id)
  for (const above of found) climb(above)
  return found
}

function assertSlug(now: View, { id, slug, kind }: ResourceRecord): void {
  const holder = now.withSlug(slug)
  if (holder && holder.id !== id) throw new Refusal('AlreadyExists', `slug: ${slug} is taken.`)
  if (slug === applications && kind !== 'service')
    throw new Refusal('InvalidInput', `slug: ${applications} is the service of applications without another.`)
}

function assertParent(now: View, kind: Kind, parentId: string): void {
  const parent = now.resources.get(parentId)
  if (!parent) throw new Refusal('InvalidInput', `parents: there is no resource ${parentId}.`)
  if (!parentKinds[kind].includes(parent.kind))
    throw new Refusal(
      'InvalidInput',
      `parents: a resource of kind ${kind} lies below ${parentKinds[kind].join(' or ') || 'no other'}, not ${parent.kind}.`,
    )
}

/** From the name; where that is taken, with the beginning of the id. */
function freeSlug(now: View, { id, name, kind }: Draft): string {
  const plain = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 48)
    .replace(/^-|-$/g, '')
  const slug = plain || kind
  const taken = slug === applications || now.withSlug(slug) !== undefined
  return taken ? `${slug}-${id.replace(/[^a-z0-9]/g, '').slice(0, 12)}` : slug
}

function edgeOp({ parentId, childId, relation = contains }: NewEdge, made: Made, id: string = randomUUID()) {
  const edge: Edge = { id, parentId, childId, relation, ...made }
  return ['edges', edge.id, edge] as const satisfies Op
}

function homeOfApplications({ created_by, created_on }: Made): ResourceRecord {
  return {
    ...{ id: randomUUID(), kind: 'service', name: 'Applications', slug: applications, owner: null },
    ...{ description: 'Applications that belong to no other service.', metadata: {} },
    ...{ created_by, created_on, updated_by: created_by, updated_on: created_on },
  }
}
