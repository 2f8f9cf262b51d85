/**
 * Webhooks (contract section 12): addresses that are told of what stands in the audit log, signed as Standard Webhooks
 * says. reader.ts finds who is to be told of an event and makes a job for each, delivery.ts sends.
 */
import { randomBytes } from 'node:crypto'
import type { WebhookRecord } from '#adapters/redis/webhooks.ts'
import type { Action } from '#src/audit/actions.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { keepsSecret, mask } from '#src/http/mask.ts'
import type { Actor } from '#src/user/actor.ts'
import type { NewWebhook, Webhook, WebhookChanges } from './schemas.ts'

type Needs = Pick<Deps, 'store' | 'audit'>
/** `secret` is the one that was made, to show it this once. */
type Written = { record: WebhookRecord; secret?: string }

/** How long a replaced secret signs beside its successor. */
const overlapMilliseconds = 86_400_000

/** By name. */
export async function webhooksOf({ store }: Pick<Deps, 'store'>): Promise<Webhook[]> {
  const records = await store.webhooks.all()
  return records.map(shown).sort((a, b) => a.name.localeCompare(b.name))
}

/** Throws NotFound. */
export async function webhookNamed({ store }: Pick<Deps, 'store'>, id: string): Promise<WebhookRecord> {
  return (await store.webhooks.find(id)) ?? refuseAbsent()
}

/** Throws InvalidInput, AlreadyExists for a name that is taken, Conflict where there are enough. */
export async function createWebhook(deps: Needs, by: Actor, given: NewWebhook): Promise<Written> {
  const { store, audit } = deps
  const { secret, enabled = true, ...fields } = given
  const wanted = secret === undefined || secret === '' ? newSecret() : checkedSecret(secret)
  const id = randomBytes(12).toString('base64url')
  const now = Date.now()
  const record = await store.webhooks.create({
    id,
    ...{ ...fields, url: checkedUrl(fields.url), enabled },
    ...{ secret: store.webhooks.sealSecret(id, wanted), from: await audit.reader.newest() },
    ...{ created_by: by.caller.uid, created_on: now, updated_on: now },
  })
  note(deps, by, 'webhook.create', record)
  return { record, ...(wanted === secret ? {} : { secret: wanted }) }
}

/** Changes what is given and leaves the rest. Throws NotFound, InvalidInput, AlreadyExists, Conflict. */
export async function updateWebhook(
  deps: Needs,
  by: Actor,
  id: string,
  { secret, ...changes }: WebhookChanges,
): Promise<Written> {
  const { store, audit } = deps
  if (changes.url !== undefined) changes.url = checkedUrl(changes.url)
  const made = secret === null ? newSecret() : undefined
  const next =
    secret === undefined || secret === null || keepsSecret(secret) ? undefined : checkedSecret(secret)
  const wanted = made ?? next
  const newest = await audit.reader.newest()
  const record = await store.webhooks.update(id, (current) => ({
    ...current,
    ...changes,
    ...(changes.enabled && !current.enabled ? { from: newest } : {}),
    ...(wanted === undefined ? {} : replaced(deps, current, wanted)),
    updated_on: Date.now(),
  }))
  if (!record) return refuseAbsent()
  const fields = [...Object.keys(changes), ...(wanted === undefined ? [] : ['secret'])]
  note(deps, by, 'webhook.update', record, { fields })
  return { record, ...(made === undefined ? {} : { secret: made }) }
}

/** With its log; what waits to be sent is not. Throws NotFound. */
export async function removeWebhook(deps: Needs, by: Actor, id: string): Promise<void> {
  const record = (await deps.store.webhooks.remove(id)) ?? refuseAbsent()
  note(deps, by, 'webhook.delete', record)
}

/** As it may be seen: nobody reads a secret again. */
export function shown({ secret: _, previous: _previous, from: _from, ...record }: WebhookRecord): Webhook {
  return { ...record, secret: mask }
}

function note({ audit }: Needs, by: Actor, action: Action, { id, name }: WebhookRecord, detail = {}): void {
  audit.append({ ...by.event, action, target: name, outcome: 'ok', detail: { id, ...detail } })
}

function replaced({ store }: Needs, { id, secret }: WebhookRecord, wanted: string) {
  const previous = { secret, until: Date.now() + overlapMilliseconds }
  return { secret: store.webhooks.sealSecret(id, wanted), previous }
}

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** Standard Webhooks, signature scheme: 24 to 64 bytes. */
function checkedSecret(secret: string): string {
  const [, text = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? []
  const { length } = Buffer.from(text, 'base64')
  if (length < 24 || length > 64)
    throw new Refusal('InvalidInput', 'secret must be whsec_ and 24 to 64 bytes in base64.')
  return secret
}

function checkedUrl(text: string): string {
  const url = URL.parse(text)
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.hash)
    throw new Refusal('InvalidInput', 'url must be an https or http address without user and fragment.')
  return url.href
}

function refuseAbsent(): never {
  throw new Refusal('NotFound', 'There is no such webhook.')
}
