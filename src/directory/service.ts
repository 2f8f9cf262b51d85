/**
 * The directory of resources (contract section 11): sites, hosts, services and OAuth clients, in a graph of edges from
 * parent to child. What is sound is decided in plan.ts; a resource of kind `oauth` is a client, and src/client decides on
 * its fields. A group link (links.ts) lets the members of a group reach a resource.
 */
import { randomUUID } from 'node:crypto'
import type { View } from '#adapters/redis/resources.ts'
import { cancelRequestsFor } from '#src/access-request/endings.ts'
import type { Action } from '#src/audit/actions.ts'
import type { Client } from '#src/client/schemas.ts'
import type { Beside } from '#src/client/service.ts'
import {
  createClient,
  removeClient,
  rotateSecret,
  shown as shownClient,
  updateClient,
} from '#src/client/service.ts'
import type { Deps, ProviderDeps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import type { Actor } from '#src/user/actor.ts'
import { assertMetadata } from './metadata.ts'
import { ownerNamed, unlessGone } from './owner.ts'
import { planChange, planNew, planRemoval } from './plan.ts'
import type { NewResource, OAuthRecord, Resource, ResourceChanges, ResourceRecord } from './schemas.ts'

export type Needs = Pick<ProviderDeps, 'store' | 'users' | 'config' | 'audit' | 'provider'>

/** Answers the secret of a new client, this once. Throws InvalidInput, AlreadyExists (the slug). */
export async function createResource(
  deps: Needs,
  by: Actor,
  { kind, slug, owner, metadata = {}, parents = [], parentId, parentSlug, ...fields }: NewResource,
): Promise<{ record: ResourceRecord; secret?: string }> {
  assertMetadata(metadata)
  const person = await ownerNamed(deps, owner)
  const above = await parentIds(deps, { parents, parentId, parentSlug })
  const beside = { slug, owner: person?.uid ?? null, metadata, parents: above }
  const made =
    kind === 'oauth'
      ? await createClient(deps, clientActor(by), fields, beside)
      : {
          record: await createPlain(deps, by, {
            kind,
            ...ownFields(kind, { description: '', ...fields }),
            ...beside,
          }),
        }
  await unlessGone(deps, person, made.record.id)
  return made
}

/** Changes what is given and leaves the rest; metadata is replaced whole. Throws NotFound, InvalidInput, AlreadyExists. */
export async function updateResource(
  deps: Needs,
  by: Actor,
  id: string,
  { slug, owner, metadata, ...fields }: ResourceChanges,
): Promise<ResourceRecord> {
  if (metadata) assertMetadata(metadata)
  const person = await ownerNamed(deps, owner)
  const beside: Omit<Beside, 'parents'> = {
    ...(slug === undefined ? {} : { slug }),
    ...(owner === undefined ? {} : { owner: person?.uid ?? null }),
    ...(metadata === undefined ? {} : { metadata }),
  }
  const { kind } = await resourceNamed(deps, id)
  const record =
    kind === 'oauth'
      ? await updateClient(deps, clientActor(by), id, fields, beside)
      : await updatePlain(deps, by, id, { ...ownFields(kind, fields), ...beside })
  await unlessGone(deps, person, id)
  return record
}

/** Takes its edges to parents and its group links with it. Throws NotFound; Conflict while something lies below it. */
export async function removeResource(deps: Needs, by: Actor, id: string): Promise<void> {
  const { kind } = await resourceNamed(deps, id)
  if (kind === 'oauth') return removeClient(deps, clientActor(by), id)
  await deps.store.resources.change((now) => planRemoval(now, existing(now, id)))
  await cancelRequestsFor(deps, id)
  told(deps, by, 'resource.delete', id)
}

/** The new secret of a client. Throws NotFound; InvalidInput for what has none. */
export async function rotateSecretOf(deps: Needs, by: Actor, id: string): Promise<string> {
  const { kind } = await resourceNamed(deps, id)
  if (kind !== 'oauth') throw new Refusal('InvalidInput', `A resource of kind ${kind} has no secret.`)
  return rotateSecret(deps, clientActor(by), id)
}

/** Throws NotFound. */
export async function resourceNamed({ store }: Pick<Deps, 'store'>, id: string): Promise<ResourceRecord> {
  return existing(await store.resources.current(), id)
}

/** A record as directory admins see it, never with the hash of a secret. */
export function shownTo(now: View, deps: Pick<Deps, 'config'>): (record: ResourceRecord) => Resource {
  return (record) => {
    const { owner } = record
    const parents = now.above(record.id).map(({ parentId }) => parentId)
    if (record.kind !== 'oauth') return { ...record, parents }
    // It leaves out what is null, which of a resource is the owner alone.
    const shown = shownClient(record as OAuthRecord, deps) as Client & Omit<OAuthRecord, keyof Client>
    return { ...shown, owner, parents }
  }
}

/** Appends what somebody did to the directory to the audit log. */
export function told(
  { audit }: Pick<Deps, 'audit'>,
  { event }: Actor,
  action: Extract<Action, `resource.${string}`>,
  target: string,
  detail?: Record<string, unknown>,
): void {
  audit.append({ ...event, action, target, outcome: 'ok', ...(detail ? { detail } : {}) })
}

type Plain = Pick<ResourceRecord, 'kind' | 'name' | 'description' | 'owner' | 'metadata'>

async function createPlain(
  deps: Needs,
  by: Actor,
  { parents, slug, ...fields }: Plain & { parents: string[]; slug: string | undefined },
): Promise<ResourceRecord> {
  const made = { created_by: by.event.actor, created_on: Date.now() }
  const updated = { updated_by: made.created_by, updated_on: made.created_on }
  const draft = { id: randomUUID(), ...fields, slug, ...made, ...updated }
  const record = await deps.store.resources.change((now) => planNew(now, draft, parents))
  told(deps, by, 'resource.create', record.id, { kind: record.kind, slug: record.slug })
  return record
}

async function updatePlain(
  deps: Needs,
  by: Actor,
  id: string,
  changes: Partial<ResourceRecord>,
): Promise<ResourceRecord> {
  const record = await deps.store.resources.change((now) => {
    const updated = { updated_by: by.event.actor, updated_on: Date.now() }
    return planChange(now, { ...existing(now, id), ...changes, ...updated } as ResourceRecord)
  })
  told(deps, by, 'resource.update', id, { fields: Object.keys(changes) })
  return record
}

/** What other kinds have. Throws InvalidInput for the fields of a client. */
function ownFields<F extends { name?: string; description?: string }>(kind: string, fields: F) {
  const { name, description, ...clients } = fields
  const [field] = Object.keys(clients)
  if (field) throw new Refusal('InvalidInput', `${field}: a resource of kind ${kind} has no such field.`)
  return {
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
  } as { [P in keyof F & ('name' | 'description')]: F[P] }
}

async function parentIds(
  { store }: Pick<Deps, 'store'>,
  {
    parents,
    parentId,
    parentSlug,
  }: Required<Pick<NewResource, 'parents'>> & Pick<NewResource, 'parentId' | 'parentSlug'>,
): Promise<string[]> {
  const all = new Set(parents)
  if (parentId !== undefined) all.add(parentId)
  if (parentSlug === undefined) return [...all]
  const parent = (await store.resources.current()).withSlug(parentSlug)
  if (!parent) throw new Refusal('InvalidInput', `parentSlug: there is no resource ${parentSlug}.`)
  return [...all.add(parent.id)]
}

function existing(now: View, id: string): ResourceRecord {
  const record = now.resources.get(id)
  if (!record) throw new Refusal('NotFound', 'There is no such resource.')
  return record
}

function clientActor({ event }: Actor) {
  return { uid: event.actor, event }
}
