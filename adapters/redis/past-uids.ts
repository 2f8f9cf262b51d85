import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'

/**
 * Uids of deleted accounts, durable (contract section 9, `sub`): whoever holds an old token or an old note of that name
 * must not meet somebody else under it, so suggestions and invites never give one again.
 */
export function openPastUids({ client, durably }: Connection, keys: Keys) {
  const key = keys.durable('past-uid')
  return {
    async remember(uid: string): Promise<void> {
      await durably('sadd', key, uid.toLowerCase())
    },
    async has(uid: string): Promise<boolean> {
      return (await client.sismember(key, uid.toLowerCase())) === 1
    },
    /** Those of `uids` that were somebody's, in lower case. */
    async among(uids: string[]): Promise<Set<string>> {
      const names = uids.map((uid) => uid.toLowerCase())
      const known = names.length > 0 ? await client.smismember(key, ...names) : []
      return new Set(names.filter((_, at) => known[at] === 1))
    },
  }
}
