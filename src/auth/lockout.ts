import type { ClosedAccount } from '#adapters/redis/failures.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { openCursor, sealCursor } from '#src/http/cursor.ts'
import type { Actor } from '#src/user/actor.ts'

type Query = { limit?: number; cursor?: string; q?: string }

/** Accounts whose doors too many failures have closed, the longest closed last (contract section 4, brute force). */
export async function lockouts(
  { store }: Pick<Deps, 'store'>,
  { limit, cursor, q = '' }: Query,
): Promise<{ results: ClosedAccount[]; next?: string }> {
  const key = store.keys.derive('cursor:lockout')
  const after = cursor === undefined ? undefined : openCursor<ClosedAccount>(key, cursor)
  const closed = await store.failures.list()
  const found = closed.filter(
    (account) => account.uid.includes(q.toLowerCase()) && (!after || comesAfter(account, after)),
  )
  const results = found.slice(0, limit)
  const last = results.at(-1)
  return { results, ...(last && found.length > results.length ? { next: sealCursor(key, last) } : {}) }
}

/** Forgets the failures of an account. Throws NotFound when its doors are open. */
export async function openDoors(
  { store, audit }: Pick<Deps, 'store' | 'audit'>,
  by: Actor,
  uid: string,
): Promise<void> {
  if (!(await store.failures.clear(uid)))
    throw new Refusal('NotFound', 'The doors of this account are not closed.')
  audit.append({ ...by.event, action: 'lockout.clear', target: uid, outcome: 'ok' })
}

/** In the order of the list: by the end, the latest first, and by name where ends are the same. */
function comesAfter(account: ClosedAccount, after: ClosedAccount): boolean {
  return account.until < after.until || (account.until === after.until && account.uid < after.uid)
}
