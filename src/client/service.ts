/**
 * OAuth clients, which are the directory's resources of kind `oauth`: what is decided here holds at both doors. A secret
 * is 256 random bits, shown once and kept as a hash (contract section 9); a rotated one is effective on every pod at once,
 * since a client that authenticates is read from Redis each time. Changes are merged over what they were made from, so
 * that none is lost.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Static } from 'typebox'
import { cancelRequestsFor } from '#src/access-request/endings.ts'
import type { Action } from '#src/audit/actions.ts'
import type { Deps, ProviderDeps } from '#src/deps.ts'
import { planChange, planNew, planRemoval } from '#src/directory/plan.ts'
import type { Metadata, OAuthRecord, ResourceRecord } from '#src/directory/schemas.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import type { Caller } from '#src/http/caller.ts'
import { metadataOf } from '#src/oauth/clients.ts'
import { accessTokenSeconds, refreshTokenSeconds } from '#src/oauth/lifetimes.ts'
import type { Preview } from '#src/oauth/preview.ts'
import { preview } from '#src/oauth/preview.ts'
import { hashSecret } from '#src/oauth/seams.ts'
import type { Actor } from '#src/user/actor.ts'
import { assertFields, defaultFields, normalise } from './fields.ts'
import type { Client, ClientChanges, ClientRecord, NewClient, PreviewOf } from './schemas.ts'

type Needs = Pick<ProviderDeps, 'store' | 'config' | 'audit' | 'provider'>
export type By = Pick<Caller, 'uid'> & Pick<Actor, 'event'>

/** What a resource has beside the fields of its kind, and the ids of its parents. */
export type Beside = {
  slug?: string | undefined
  owner?: string | null
  metadata?: Metadata
  parents?: string[]
}

/** Throws InvalidInput, AlreadyExists (the slug). */
export async function createClient(
  deps: Needs,
  by: By,
  fields: NewClient,
  { slug, owner = null, metadata = {}, parents = [] }: Beside = {},
): Promise<{ record: OAuthRecord; secret?: string }> {
  const secret = randomSecret()
  const client_id = randomUUID()
  const client: ClientRecord = {
    ...defaultFields,
    ...(normalise(fields) as Pick<ClientRecord, 'name'>),
    client_id,
    secret_hash: hashSecret(secret),
    created_by: by.uid,
    created_on: Date.now(),
  }
  await assertUsable(deps, client)
  const updated = { updated_by: client.created_by, updated_on: client.created_on }
  const draft = { ...client, id: client_id, kind: 'oauth' as const, owner, metadata, slug, ...updated }
  const record = (await deps.store.resources.change((now) => planNew(now, draft, parents))) as OAuthRecord
  note(deps, by, 'client.create', record.client_id)
  return record.public ? { record } : { record, secret }
}

/** Throws NotFound, InvalidInput, AlreadyExists (the slug); Conflict when it was changed after `unlessAfter` (milliseconds). */
export async function updateClient(
  deps: Needs,
  by: By,
  id: string,
  changes: ClientChanges,
  beside: Omit<Beside, 'parents'> = {},
  { unlessAfter }: { unlessAfter?: number | undefined } = {},
): Promise<OAuthRecord> {
  const wanted = normalise(changes)
  const record = await changed(deps, by, id, async (current) => {
    if (unlessAfter !== undefined && current.updated_on > unlessAfter) throw new Refusal('Conflict')
    await assertUsable(deps, present({ ...current, ...wanted }))
    return { ...cleared(wanted), ...beside }
  })
  note(deps, by, 'client.update', id, { fields: [...Object.keys(changes), ...Object.keys(beside)] })
  return record
}

/** Throws NotFound. Its tokens are refused from now on, since their client is gone. */
export async function removeClient(deps: Needs, by: By, id: string): Promise<void> {
  await deps.store.resources.change((now) => planRemoval(now, clientIn(now.resources.get(id))))
  await cancelRequestsFor(deps, id)
  note(deps, by, 'client.delete', id)
}

/** Throws NotFound, InvalidInput for a public client, which has no secret. The old secret is invalid at once. */
export async function rotateSecret(deps: Needs, by: By, id: string): Promise<string> {
  const secret = randomSecret()
  await changed(deps, by, id, (current) => {
    if (current.public) throw new Refusal('InvalidInput', 'A public client has no secret.')
    return { secret_hash: hashSecret(secret) }
  })
  note(deps, by, 'client.rotate', id)
  return secret
}

/** Throws NotFound. */
export async function clientNamed({ store }: Pick<Deps, 'store'>, id: string): Promise<OAuthRecord> {
  return clientIn(await store.resources.findClient(id))
}

/** All clients whose name or id holds `q`. */
export async function clientsLike({ store }: Pick<Deps, 'store'>, q = ''): Promise<OAuthRecord[]> {
  const { resources } = await store.resources.current()
  const all = [...resources.values()].filter((record) => record.kind === 'oauth') as OAuthRecord[]
  const wanted = q.toLowerCase()
  return all.filter(({ client_id, name }) => `${client_id}\n${name}`.toLowerCase().includes(wanted))
}

function clientIn(record: ResourceRecord | undefined): OAuthRecord {
  if (record?.kind !== 'oauth') throw new Refusal('NotFound')
  return record as OAuthRecord
}

/** Id, author and time of creation never change. */
async function changed(
  { store }: Pick<Deps, 'store'>,
  by: By,
  id: string,
  change: (current: OAuthRecord) => Promise<Partial<OAuthRecord>> | Partial<OAuthRecord>,
): Promise<OAuthRecord> {
  const record = await store.resources.change(async (now) => {
    const current = clientIn(now.resources.get(id))
    const changes = await change(current)
    // Later than the change before, whatever the clocks of two pods say.
    const updated_on = Math.max(Date.now(), current.updated_on + 1)
    return planChange(now, { ...current, ...changes, updated_by: by.uid, updated_on })
  })
  return record as OAuthRecord
}

/** What somebody would be told of at a client, or why nothing; said to the audit log. Throws NotFound. */
export async function previewClient(
  deps: Pick<ProviderDeps, 'store' | 'config' | 'audit' | 'accounts' | 'provider'>,
  by: By,
  id: string,
  asked: Static<typeof PreviewOf>,
): Promise<Preview> {
  const { client_id } = await clientNamed(deps, id)
  const found = await preview(deps, client_id, asked)
  note(deps, by, 'client.preview', client_id, { uid: asked.uid, granted: found.granted })
  return found
}

/** A record as the API shows it: the lifetimes that apply, and nothing of the secret. */
export function shown(stored: OAuthRecord, { config }: Pick<Deps, 'config'>): Client {
  const { secret_hash: _, ...record } = present(stored)
  const access_token = accessTokenSeconds(record, config)
  const refresh_token = refreshTokenSeconds(record, config)
  return { ...record, token_lifetime: { access_token, refresh_token } }
}

/** Ours first, since its sentences name the field; then the library's own check of what it will be given. */
async function assertUsable({ config, provider }: Needs, record: ClientRecord): Promise<void> {
  assertFields(record, config)
  const { Client } = provider.current
  const { validate } = Client as unknown as { validate(metadata: object): Promise<void> }
  await validate.call(Client, metadataOf(record)).catch((error: Error & { error_description?: string }) => {
    if (isRefusal(error) || !error.error_description) throw error
    throw new Refusal('InvalidInput', `${error.error_description}.`)
  })
}

/** JSON has no `undefined`: a removed field is stored as null, and read as absent. */
function cleared(fields: Partial<ClientRecord>): Partial<ClientRecord> {
  const entries = Object.entries(fields).map(([name, value]) => [name, value ?? null])
  return Object.fromEntries(entries)
}

function present<R extends ClientRecord>(record: R): R {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null)) as R
}

function randomSecret(): string {
  return randomBytes(32).toString('base64url')
}

function note(
  { audit }: Needs,
  by: By,
  action: Action,
  target: string,
  detail?: Record<string, unknown>,
): void {
  audit.append({
    ...by.event,
    action,
    target,
    outcome: 'ok',
    ...(detail ? { detail } : {}),
  })
}
