import type { Static } from 'typebox'
import type { NotificationRecord } from '#adapters/redis/notifications.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { openCursor, sealCursor } from '#src/http/cursor.ts'
import type { ListQuery } from './schemas.ts'

type Query = Static<typeof ListQuery>
/** Where a page ended, and of which listing. */
type Cursor = { after: string; of: string }

const pageSize = 50

/** All that the query asks for, as they come. Throws InvalidInput for a cursor without a page size. */
export async function* allNotifications(
  { store }: Pick<Deps, 'store'>,
  { q, order, cursor }: Query,
): AsyncGenerator<NotificationRecord> {
  if (cursor !== undefined) throw new Refusal('InvalidInput', 'cursor needs the limit of the page before.')
  for (let after: string | undefined; ; ) {
    const { entries, next } = await store.notifications.page({ limit: pageSize, after, q: q?.trim(), order })
    yield* entries
    if (next === undefined) return
    after = next
  }
}

/** One page of them. Throws InvalidInput for a forged cursor. */
export async function pageOfNotifications(
  { store }: Pick<Deps, 'store'>,
  { limit, cursor, order = 'desc', q: asked }: Query & { limit: number },
): Promise<{ results: NotificationRecord[]; next?: string }> {
  const key = store.keys.derive('cursor:notification')
  const q = asked?.trim() ?? ''
  const of = `${order} ${q}`
  const from = cursor === undefined ? undefined : openCursor<Cursor>(key, cursor)
  if (from && from.of !== of) throw new Refusal('InvalidInput', 'cursor belongs to another search or order.')
  const { entries, next } = await store.notifications.page({ limit, after: from?.after, q, order })
  return {
    results: entries,
    ...(next === undefined ? {} : { next: sealCursor(key, { after: next, of } satisfies Cursor) }),
  }
}
