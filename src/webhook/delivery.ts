/** Sends messages to webhooks (Standard Webhooks 1.0), and keeps the log of what came of it. */
import { createHmac, randomBytes } from 'node:crypto'
import type { AuditRecord } from '#adapters/redis/audit.ts'
import type { Delivery, WebhookRecord } from '#adapters/redis/webhooks.ts'
import type { Deps } from '#src/deps.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import type { Actor } from '#src/user/actor.ts'
import { webhookNamed } from './service.ts'

export type WebhookJob = { webhook: string; event: string }
type Needs = Pick<Deps, 'store' | 'audit' | 'egress'>
type Message = { id: string; type: string; at: number; data: object }
type Outcome = Pick<Delivery, 'response_status' | 'error'>

/**
 * One attempt to tell a webhook of an event. Throws UpstreamFailure when it did not answer 2xx, and is tried again with
 * the same `webhook-id`; 410 disables it, as the specification wants. Nobody is told who is gone or disabled by now.
 */
export async function tellWebhook(deps: Needs, { webhook, event }: WebhookJob): Promise<void> {
  const { store, audit } = deps
  const [record, found] = await Promise.all([store.webhooks.find(webhook), audit.reader.find(event)])
  if (!record?.enabled || !found) return
  const message = messageOf(found)
  const outcome = await send(deps, record, message)
  const { response_status, error, cause } = outcome
  const gone = response_status === 410
  await noteAttempt(deps, record, message, { response_status, error }, gone ? 'failed' : 'retrying')
  if (gone) await disable(deps, record)
  else if (error !== null) throw cause ?? new Refusal('UpstreamFailure', error)
}

/** The last attempt failed as well. */
export async function neverToldWebhook({ store }: Needs, { webhook, event }: WebhookJob): Promise<void> {
  const entry = await store.webhooks.entry(webhook, idOf(event))
  if (entry) await store.webhooks.note(webhook, { ...entry, status: 'failed' })
}

/** Sends one message now, also to one that is disabled, and answers what came of it. Throws NotFound. */
export async function testWebhook(deps: Needs, by: Actor, id: string): Promise<Delivery> {
  const record = await webhookNamed(deps, id)
  const at = Date.now()
  const data = { webhook: record.name, asked_by: by.caller.uid }
  const message = { id: `ping_${randomBytes(12).toString('base64url')}`, type: 'webhook.ping', at, data }
  const { response_status, error } = await send(deps, record, message)
  const delivery = await noteAttempt(deps, record, message, { response_status, error }, 'failed')
  const outcome = error === null ? 'ok' : 'failed'
  deps.audit.append({ ...by.event, action: 'webhook.test', target: record.name, outcome, detail: { id } })
  return delivery
}

/** `{msg_id}.{timestamp}.{payload}`, once for each secret; the time is that of the attempt. */
export function signed(secrets: string[], id: string, body: string, seconds = Math.floor(Date.now() / 1000)) {
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': signatures.join(' '),
  }
}

async function send(
  { store, egress }: Needs,
  record: WebhookRecord,
  { id, type, at, data }: Message,
): Promise<Outcome & { cause?: Error }> {
  const body = JSON.stringify({ type, timestamp: new Date(at).toISOString(), data })
  const headers = {
    'content-type': 'application/json',
    'user-agent': 'latchkey-webhooks',
    ...signed(store.webhooks.secretsOf(record), id, body),
  }
  try {
    const { status } = await egress.send(record.url, { method: 'POST', headers, body })
    const taken = status >= 200 && status < 300
    return { response_status: status, error: taken ? null : `The webhook answered ${status}.` }
  } catch (cause) {
    if (!isRefusal(cause)) throw cause
    return { response_status: null, error: cause.message, cause }
  }
}

async function noteAttempt(
  { store }: Needs,
  { id: webhook }: WebhookRecord,
  { id, type }: Message,
  outcome: Outcome,
  otherwise: 'retrying' | 'failed',
): Promise<Delivery> {
  const now = Date.now()
  const before = await store.webhooks.entry(webhook, id)
  const delivery: Delivery = {
    ...{ id, type, at: before?.at ?? now, attempts: (before?.attempts ?? 0) + 1, last_attempt_at: now },
    ...{ status: outcome.error === null ? 'delivered' : otherwise, ...outcome },
  }
  await store.webhooks.note(webhook, delivery)
  return delivery
}

async function disable({ store, audit }: Needs, { id, name, url }: WebhookRecord): Promise<void> {
  // Another address that it was given meanwhile has not said so.
  const record = await store.webhooks.update(id, (current) =>
    current.url === url ? { ...current, enabled: false, updated_on: Date.now() } : current,
  )
  if (!record || record.enabled) return
  const event = { actor: 'service', target: name, outcome: 'ok', address: '' }
  audit.append({ ...event, action: 'webhook.disable', detail: { id, response_status: 410 } })
}

function messageOf(event: AuditRecord): Message {
  return { id: idOf(event.id), type: event.action, at: event.at, data: event }
}

function idOf(event: string): string {
  return `evt_${event}`
}
