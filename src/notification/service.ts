/**
 * Notifications: a mail to many, kept as history (contract section 8). The job is made before the record, and waits for
 * it: a record that is stored is always sent, and one that could not be stored never is. The job names the recipients and
 * makes one more for each; who was named or served before is passed over, so any of it may be done again by another pod.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { NotificationRecord } from '#adapters/redis/notifications.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import type { Actor } from '#src/user/actor.ts'
import { safeHtml } from './html.ts'
import { mailOf } from './mail.ts'
import { recipientsOf, refuseUnknown, selectionOf } from './recipients.ts'
import type { Filter, Message, NewNotification } from './schemas.ts'

/** More than these are not waited for. */
const mostAwaited = 50
/** Recipients that an answer names, at most. */
const mostNamed = 1000
/** Longest that an answer waits; what is not done by then goes on by itself. */
const patienceMilliseconds = 20_000

/**
 * Stores and sends. Answers after delivery where few are written to, else at once. Throws InvalidInput for a filter that
 * names what is not there, or a message of which nothing is left.
 */
export async function notify(
  deps: Pick<Deps, 'users' | 'groups' | 'store' | 'audit'>,
  by: Actor,
  { subject, message, filter_type, filter_value = '', active_only = false }: NewNotification,
): Promise<NotificationRecord> {
  const { store, audit } = deps
  const filter = { filter_type, filter_value, active_only }
  const safe = await shownMessage(message)
  const selection = selectionOf(filter)
  await refuseUnknown(deps, selection)
  const few = await areFew(recipientsOf(deps, selection))
  const notification_id = randomUUID()
  await store.jobs.add({
    id: `notification-${notification_id}`,
    kind: 'notification',
    data: { notification_id, bulk: !few },
    bulk: !few,
  })
  const record = await store.notifications.create({
    ...{ notification_id, created_by: by.caller.uid, created_on: Date.now() },
    ...{ subject: subject.trim(), message: safe, ...filter },
  })
  audit.append({
    ...by.event,
    ...{ action: 'notification.send', target: notification_id, outcome: 'ok', detail: { filter_type } },
  })
  return few ? finished(deps, record) : record
}

/** Throws NotFound. */
export async function notificationNamed(
  { store }: Pick<Deps, 'store'>,
  id: string,
): Promise<NotificationRecord> {
  const record = await store.notifications.find(id)
  if (!record) throw new Refusal('NotFound', 'There is no such notification.')
  return record
}

/** What a recipient would get. Throws InvalidInput for a message of which nothing is left. */
export async function renderedMail(
  { config }: Pick<Deps, 'config'>,
  { subject, message }: Message,
): Promise<{ html: string; text: string }> {
  const { html = '', text } = mailOf(
    { subject: subject.trim(), message: await shownMessage(message) },
    '',
    config,
  )
  return { html, text }
}

/** How many different people a filter names now. Throws InvalidInput for one that names what is not there. */
export async function countRecipients(deps: Pick<Deps, 'users' | 'groups'>, filter: Filter): Promise<number> {
  const selection = selectionOf(filter)
  await refuseUnknown(deps, selection)
  return (await differentIn(recipientsOf(deps, selection))).size
}

/** Throws NotFound. */
export async function recipientsNamed({ store }: Pick<Deps, 'store'>, id: string) {
  await notificationNamed({ store }, id)
  return store.notifications.recipients(id, mostNamed)
}

async function shownMessage(message: string): Promise<string> {
  const safe = await safeHtml(message)
  if (safe === '') throw new Refusal('InvalidInput', 'message holds nothing that a mail can show.')
  return safe
}

async function areFew(pages: AsyncIterable<string[]>): Promise<boolean> {
  return (await differentIn(pages, mostAwaited)).size <= mostAwaited
}

/** All of them, or the first pages with more than `enough`. */
async function differentIn(pages: AsyncIterable<string[]>, enough = Number.POSITIVE_INFINITY) {
  const different = new Set<string>()
  for await (const page of pages) {
    for (const uid of page) different.add(uid)
    if (different.size > enough) break
  }
  return different
}

/** The record once everybody is served, or as it stands when that takes too long. */
async function finished(
  { store }: Pick<Deps, 'store'>,
  record: NotificationRecord,
): Promise<NotificationRecord> {
  const until = Date.now() + patienceMilliseconds
  let now = record
  for (let wait = 10; now.sent_at === undefined && Date.now() < until; wait = Math.min(wait * 1.5, 250)) {
    await pause(wait)
    // It is sent whatever happens here: a moment without Redis is no refusal.
    now = (await store.notifications.find(record.notification_id).catch(() => undefined)) ?? now
  }
  return now
}
