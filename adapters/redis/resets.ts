import { randomBytes } from 'node:crypto'
import { accountKeys, accountLua, makerLua } from './account.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { hashed } from './keys.ts'
import { defineScript } from './script.ts'

/** A reset link as it is kept; `id` may be shown, the token never again. */
export type Reset = {
  id: string
  uid: string
  /** The address it was sent to: a link to an old address opens nothing. */
  mail: string
  created_on: number
  expires_at: number
  generation: string
}

const lifetimeMilliseconds = 24 * 3_600_000

/**
 * Tokens of password resets: 256 bits kept as a hash, for one account, 24 hours (contract section 4). All of an account
 * lie in one hash, and using one removes them all in the same step: of parallel uses one wins, and the older are dead.
 *
 *   account:{uid}:resets   hash of the token → record
 *   reset:<hash>           the account
 *   reset-list             every record by its end, for the lists of tokens: a hint only
 */
export function openResets(connection: Connection, keys: Keys) {
  const { client } = connection
  const at = (uid: string) => accountKeys(keys, uid, 'resets')
  const owner = (hash: string) => keys.voidable('reset', hash)
  const list = () => keys.voidable('reset-list', 'all')

  const put = defineScript(connection, 'resetPut', {
    keys: 2,
    // ARGV generation, ttl (ms), hash, record
    lua: `${makerLua}local kept = redis.call('HGETALL', KEYS[1])
      for i = 1, #kept, 2 do
        if cjson.decode(kept[i + 1]).expires_at <= now then redis.call('HDEL', KEYS[1], kept[i]) end
      end
      redis.call('HSET', KEYS[1], ARGV[3], ARGV[4])
      if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
      return 1`,
  })
  const takeAll = defineScript(connection, 'resetTake', {
    keys: 2,
    // ARGV hash
    lua: `${accountLua}local record = redis.call('HGET', KEYS[1], ARGV[1])
      if not record then return nil end
      local kept = cjson.decode(record)
      if kept.generation ~= generation or kept.expires_at <= now then return nil end
      redis.call('DEL', KEYS[1])
      return record`,
  })

  async function of(uid: string): Promise<Reset[]> {
    const [records, generation] = await Promise.all([client.hvals(at(uid)[0]), client.get(at(uid)[1])])
    return records
      .map((record) => JSON.parse(record) as Reset)
      .filter((reset) => reset.expires_at > Date.now() && reset.generation === (generation ?? '0'))
  }

  return {
    /** A new token, shown only here. Undefined when `generation` has passed. */
    async issue(uid: string, { mail, generation }: { mail: string; generation: string }) {
      const token = randomBytes(32).toString('base64url')
      const hash = hashed(token)
      const created_on = Date.now()
      const expires_at = created_on + lifetimeMilliseconds
      const id = randomBytes(12).toString('base64url')
      const reset: Reset = { id, uid, mail, created_on, expires_at, generation }
      await client.set(owner(hash), uid, 'PX', lifetimeMilliseconds)
      const made = await put(...at(uid), generation, lifetimeMilliseconds, hash, JSON.stringify(reset))
      await Promise.all([
        client.zremrangebyscore(list(), '-inf', created_on),
        client.zadd(list(), expires_at, `${id}:${uid}`),
        client.pexpire(list(), lifetimeMilliseconds),
      ])
      return made === 1 ? token : undefined
    },
    /** What the token opens, to look at only. */
    async find(token: string): Promise<Reset | undefined> {
      const uid = await client.get(owner(hashed(token)))
      const record = uid === null ? null : await client.hget(at(uid)[0], hashed(token))
      const { id } = record ? (JSON.parse(record) as Reset) : { id: '' }
      return uid === null ? undefined : (await of(uid)).find((reset) => reset.id === id)
    },
    /** What the token opens; it and all others of the account are used up. Of many takers one gets it. */
    async take(token: string): Promise<Reset | undefined> {
      const hash = hashed(token)
      const uid = await client.get(owner(hash))
      const record = uid === null ? undefined : await takeAll(...at(uid), hash)
      return typeof record === 'string' ? (JSON.parse(record) as Reset) : undefined
    },
    /** It could not be used after all: good again until its end, unless all of the account has ended meanwhile. */
    async giveBack(token: string, reset: Reset): Promise<void> {
      const left = reset.expires_at - Date.now()
      if (left > 0) await put(...at(reset.uid), reset.generation, left, hashed(token), JSON.stringify(reset))
    },
    /** Those of an account that still open it. */
    of,
    /** Those of everybody. */
    async all(): Promise<Reset[]> {
      const names = await client.zrange(list(), `(${Date.now()}`, '+inf', 'BYSCORE')
      const uids = new Set(names.map((name) => name.slice(name.indexOf(':') + 1)))
      return (await Promise.all([...uids].map(of))).flat()
    },
  }
}
