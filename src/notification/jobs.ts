import { setTimeout as pause } from 'node:timers/promises'
import type { NotificationRecord } from '#adapters/redis/notifications.ts'
import type { Deps } from '#src/deps.ts'
import { mailOf } from './mail.ts'
import { recipientsOf, selectionOf } from './recipients.ts'

type Named = { notification_id: string }
type Spreading = Named & { bulk: boolean }
type Recipient = Named & { uid: string }

/** Names the recipients of a notification, and makes a job for each who was not served before. */
export async function spread(deps: Deps, { notification_id, bulk }: Spreading): Promise<void> {
  const { store } = deps
  const record = await storedSoon(deps, notification_id)
  await store.notifications.begin(notification_id)
  for await (const uids of recipientsOf(deps, selectionOf(record))) {
    await store.notifications.expect(notification_id, uids)
    await store.jobs.add(...uids.map((uid) => jobFor({ notification_id, uid }, bulk)))
  }
  await store.notifications.listed(notification_id)
}

/** The recipients cannot be read: whoever is named by now is served, and the record fails if that is nobody. */
export async function spreadNoFurther({ store }: Deps, { notification_id }: Named): Promise<void> {
  if (await store.notifications.find(notification_id))
    await surely(() => store.notifications.listed(notification_id, { broken: true }))
}

/** Writes to one recipient, unless that was done before. Throws UpstreamFailure when the mail was not taken. */
export async function writeTo(deps: Deps, { notification_id, uid }: Recipient, id: string): Promise<void> {
  const { store, users, mail, config } = deps
  if (!(await store.notifications.awaits(notification_id, uid))) return
  const entry = await users.find(uid)
  const record = await recordOnce(deps, notification_id)
  if (!entry?.mail || !record) return giveUpOn(deps, { notification_id, uid })
  await mail.send({ ...mailOf(record, entry.mail, config), id })
  await surely(() => store.notifications.settle(notification_id, uid, 'sent'))
}

/** Nothing can be delivered to this recipient. */
export async function giveUpOn({ store }: Deps, { notification_id, uid }: Recipient): Promise<void> {
  await surely(() => store.notifications.settle(notification_id, uid, 'failed'))
}

/** A uid of any spelling makes an id of its own. */
function jobFor(data: Recipient, bulk: boolean) {
  const id = `notification-${data.notification_id}-${encodeURIComponent(data.uid)}`
  return { id, kind: 'recipient', data, bulk }
}

/** The record is stored right after its job was made: one that never comes was refused, and its sender told so. */
async function storedSoon({ store }: Deps, id: string): Promise<NotificationRecord> {
  for (let tries = 0; tries < 20; tries++) {
    const record = await store.notifications.find(id)
    if (record) return record
    await pause(20)
  }
  throw new Error('the record of this notification is not stored yet')
}

let kept: { id: string; record: Promise<NotificationRecord | undefined> } | undefined
/** Subject and message never change, and the recipients of one notification come one after another. */
async function recordOnce({ store }: Deps, id: string): Promise<NotificationRecord | undefined> {
  if (kept?.id !== id) kept = { id, record: store.notifications.find(id) }
  const { record } = kept
  record.catch(() => {
    kept = undefined
  })
  return record
}

/** What was sent must be noted, or it would be sent again: tries for as long as Redis may need to come back. */
async function surely(note: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++)
    try {
      return await note()
    } catch (error) {
      if (tries === 300) throw error
      await pause(1000)
    }
}
