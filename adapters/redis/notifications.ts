import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { notificationScripts } from './notification-scripts.ts'
import { stretch } from './stretch.ts'

/** The interface's notification record, as stored. */
export type NotificationRecord = NewNotification & {
  status: 'queued' | 'sending' | 'sent' | 'failed'
  sent_count: number
  failed_count: number
  /** When the last recipient was done with. */
  sent_at?: number
}
export type NewNotification = {
  notification_id: string
  created_by: string
  created_on: number
  subject: string
  /** Sanitised HTML. */
  message: string
  filter_type: 'all_active' | 'all' | 'group' | 'users'
  filter_value: string
  active_only: boolean
}
export type Notifications = ReturnType<typeof openNotifications>

const pageSize = 50

/**
 * Notifications, durable, newest first. Beside each record lies who is to get it and who has: a recipient is counted by
 * the script that marks them, and only once, so that work begun anew adds nobody and counts nobody twice.
 *
 *   record:<id>  fixed: the record as made (JSON); status, sent_count, failed_count, sent_at, total, listed
 *   to:<id>      uid → queued | sent | failed; goes a day after the last
 *   index        <created_on>:<id>
 */
export function openNotifications(connection: Connection, keys: Keys) {
  const { client } = connection
  const run = notificationScripts(connection)
  const key = (id: string) => keys.durable('notification', 'record', id)
  const recipients = (id: string) => keys.durable('notification', 'to', id)
  const index = keys.durable('notification', 'index')
  const place = (made: Pick<NewNotification, 'created_on' | 'notification_id'>) =>
    `${String(made.created_on).padStart(15, '0')}:${made.notification_id}`

  async function find(id: string): Promise<NotificationRecord | undefined> {
    return recordOf(await client.hgetall(key(id)))
  }

  return {
    find,
    async create(made: NewNotification): Promise<NotificationRecord> {
      await run.insert(key(made.notification_id), index, JSON.stringify(made), place(made))
      return { ...made, status: 'queued', sent_count: 0, failed_count: 0 }
    },
    /** Its recipients are being found and written to. */
    async begin(id: string): Promise<void> {
      await run.begin(key(id))
    },
    /** These are to get it; who was named before is not counted again. */
    async expect(id: string, uids: string[]): Promise<void> {
      await run.expect(key(id), recipients(id), ...uids)
    },
    /** All recipients are named, or (`broken`) no more can be. */
    async listed(id: string, { broken = false } = {}): Promise<void> {
      await run.listed(key(id), recipients(id), Date.now(), broken ? 'broken' : 'whole')
    },
    /** Whether this recipient is still to get it. */
    async awaits(id: string, uid: string): Promise<boolean> {
      return (await client.hget(recipients(id), uid)) === 'queued'
    },
    /** This recipient has it, or never will; the last one completes the record. */
    async settle(id: string, uid: string, outcome: 'sent' | 'failed'): Promise<void> {
      await run.settle(key(id), recipients(id), uid, outcome, Date.now())
    },
    /** How many are named, whether that is all, and the first `most` that failed; null when that is forgotten. */
    async recipients(id: string, most: number) {
      const [[total, listed] = [], kept] = await Promise.all([
        client.hmget(key(id), 'total', 'listed'),
        client.exists(recipients(id)),
      ])
      const of = { total: Number(total ?? 0), complete: typeof listed === 'string' }
      if (!kept) return { ...of, failed: of.total === 0 ? [] : null }
      const failed: string[] = []
      for (let cursor = '0'; ; ) {
        const [next, found] = await client.hscan(recipients(id), cursor, 'COUNT', 1000)
        for (let at = 0; at < found.length; at += 2)
          if (found[at + 1] === 'failed') failed.push(found[at] as string)
        if (next === '0' || failed.length >= most)
          return { ...of, failed: [...new Set(failed)].slice(0, most) }
        cursor = next
      }
    },
    /** `q` is looked for in the subject, without case. `next` is the `after` of the page that follows. */
    async page({
      limit,
      after,
      q = '',
      order,
    }: {
      limit: number
      after?: string | undefined
      q?: string | undefined
      /** The newest first (`desc`) unless it says otherwise. */
      order?: 'asc' | 'desc' | undefined
    }) {
      const entries: NotificationRecord[] = []
      const wanted = q.toLowerCase()
      for (let from = after; ; ) {
        const places = await stretch(client, index, { after: from, order, count: pageSize })
        const found = await Promise.all(places.map((at) => find(at.slice(at.indexOf(':') + 1))))
        for (const record of found) {
          if (!record?.subject.toLowerCase().includes(wanted)) continue
          if (entries.length === limit) return { entries, next: place(entries.at(-1) as NotificationRecord) }
          entries.push(record)
        }
        if (places.length < pageSize) return { entries }
        from = places.at(-1)
      }
    },
  }
}

function recordOf(kept: Record<string, string>): NotificationRecord | undefined {
  if (!kept.fixed) return undefined
  const { fixed, status, sent_count, failed_count, sent_at } = kept
  return {
    ...(JSON.parse(fixed) as NewNotification),
    status: status as NotificationRecord['status'],
    sent_count: Number(sent_count),
    failed_count: Number(failed_count),
    ...(sent_at ? { sent_at: Number(sent_at) } : {}),
  }
}
