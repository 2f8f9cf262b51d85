/**
 * Resources that a program finds somewhere and keeps in step with the directory. Whose they are says `created_by`, which
 * nobody can change; which is which, `discovered.source` in their metadata. Of the metadata only what was found is
 * replaced: what people wrote beside it stays, and so do owner, edges, group links and slug.
 */
import { randomUUID } from 'node:crypto'
import { Ajv } from 'ajv'
import type { Static } from 'typebox'
import Type from 'typebox'
import type { View } from '#adapters/redis/resources.ts'
import { cancelRequestsFor } from '#src/access-request/endings.ts'
import type { Action } from '#src/audit/actions.ts'
import type { Deps } from '#src/deps.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import { body } from '#src/http/replies.ts'
import { assertMetadata } from './metadata.ts'
import { planChange, planNew, planRemoval } from './plan.ts'
import type { Metadata, ResourceRecord } from './schemas.ts'
import { NewResource } from './schemas.ts'

/** `source` is its lasting name where it was found; `state` is what became of it there. */
export const Found = body({
  source: Type.String({ minLength: 1, maxLength: 256 }),
  kind: Type.Enum(['service', 'host']),
  name: Type.Optional(NewResource.properties.name),
  description: Type.Optional(NewResource.properties.description),
  metadata: NewResource.properties.metadata,
  state: Type.String({ minLength: 1, maxLength: 64 }),
})
export type Found = Omit<Static<typeof Found>, 'metadata'> & { metadata?: Metadata }
export type Made = { source: string; name: string; kind: string; state: string }
export type Outcome = {
  source: string
  outcome: 'created' | 'updated' | 'unchanged' | 'removed' | 'refused'
  why?: string
}
type Needs = Pick<Deps, 'store' | 'audit'>

const mark = { source: 'discovered.source', fields: 'discovered.fields', state: 'discovered.state' }
const most = 1000
const ajv = new Ajv({ strict: false })

/** What `actor` made and still is there. */
export async function madeBy({ store }: Pick<Deps, 'store'>, actor: string): Promise<Made[]> {
  return heldBy(await store.resources.current(), actor).map(({ name, kind, metadata }) => ({
    ...{ source: String(metadata[mark.source]), name, kind, state: String(metadata[mark.state]) },
  }))
}

/** Makes or updates each below the resource of this slug. Throws InvalidInput where there is none. */
export async function putFound(
  deps: Needs,
  actor: string,
  below: string,
  found: unknown[],
): Promise<Outcome[]> {
  const parent = (await deps.store.resources.current()).withSlug(below)
  if (!parent) throw new Refusal('InvalidInput', `There is no resource ${below}.`)
  return oneByOne(found, (each) => put(deps, actor, parent.id, assertFound(each)))
}

/** Removes each with its edges to parents and its group links; one with something below it is refused. */
export async function removeFound(deps: Needs, actor: string, sources: string[]): Promise<Outcome[]> {
  return oneByOne(sources, async (source) => {
    const removed = await deps.store.resources.change((now) => {
      const record = heldBy(now, actor, source)[0]
      return record ? planRemoval(now, record) : { ops: [], value: undefined }
    })
    if (!removed) return 'unchanged'
    await cancelRequestsFor(deps, removed.id)
    note(deps, actor, 'resource.delete', removed)
    return 'removed'
  })
}

async function put(
  deps: Needs,
  actor: string,
  parentId: string,
  { source, kind, name, description, metadata = {}, state }: Found,
): Promise<Outcome['outcome']> {
  const marked = {
    [mark.source]: source,
    [mark.state]: state,
    [mark.fields]: Object.keys(metadata).join(' '),
  }
  assertMetadata({ ...metadata, ...marked })
  const said = { ...(name ? { name } : {}), ...(description === undefined ? {} : { description }) }
  const id = randomUUID()
  const at = Date.now()
  const changed = { updated_by: actor, updated_on: at }
  const { outcome, record } = await deps.store.resources.change<{
    outcome: Outcome['outcome']
    record: ResourceRecord
  }>((now) => {
    const held = heldBy(now, actor)
    const before = held.find((each) => each.metadata[mark.source] === source)
    if (before) {
      const record = { ...before, ...said, metadata: { ...withoutFound(before), ...metadata, ...marked } }
      if (isSame(before, record)) return { ops: [], value: { outcome: 'unchanged', record } }
      const { ops, value } = planChange(now, { ...record, ...changed })
      return { ops, value: { outcome: 'updated', record: value } }
    }
    if (held.length >= most) throw new Refusal('Conflict', `There are ${most} of this source already.`)
    const draft = {
      ...{ id, kind, name: source, description: '', owner: null, ...said },
      ...{ metadata: { ...metadata, ...marked }, created_by: actor, created_on: at, ...changed },
    }
    const { ops, value } = planNew(now, draft, [parentId])
    return { ops, value: { outcome: 'created', record: value } }
  })
  if (outcome !== 'unchanged')
    note(deps, actor, outcome === 'created' ? 'resource.create' : 'resource.update', record)
  return outcome
}

async function oneByOne<T>(all: T[], act: (each: T) => Promise<Outcome['outcome']>): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const each of all) {
    const source = String((each as Partial<Found> | null)?.source ?? each)
    try {
      outcomes.push({ source, outcome: await act(each) })
    } catch (error) {
      if (!isRefusal(error) || error.status >= 500) throw error
      outcomes.push({ source, outcome: 'refused', why: error.message })
    }
  }
  return outcomes
}

function assertFound(each: unknown): Found {
  if (ajv.validate<Found>(Found, each)) return each
  const [fault] = ajv.errors ?? []
  const path = fault?.instancePath.slice(1).replaceAll('/', '.') ?? ''
  throw new Refusal('InvalidInput', `${path} ${fault?.message}.`.trim())
}

function heldBy(now: View, actor: string, source?: string): ResourceRecord[] {
  return [...now.resources.values()].filter(({ created_by, metadata }) => {
    const found = metadata[mark.source]
    return created_by === actor && found !== undefined && (source === undefined || found === source)
  })
}

/** What was found the last time may be gone since: an address, or that everybody may reach it. */
function withoutFound({ metadata }: ResourceRecord): Metadata {
  const found = new Set(String(metadata[mark.fields] ?? '').split(' '))
  return Object.fromEntries(Object.entries(metadata).filter(([name]) => !found.has(name)))
}

function isSame(a: ResourceRecord, b: ResourceRecord): boolean {
  const sorted = ({ name, description, metadata }: ResourceRecord) =>
    JSON.stringify([name, description, Object.entries(metadata).sort()])
  return sorted(a) === sorted(b)
}

function note({ audit }: Needs, actor: string, action: Action, { id, kind, slug, metadata }: ResourceRecord) {
  const detail = { kind, slug, source: metadata[mark.source] }
  audit.append({ actor, address: '', action, target: id, outcome: 'ok', detail })
}
