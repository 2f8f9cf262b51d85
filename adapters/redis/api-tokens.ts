import { randomBytes } from 'node:crypto'
import { accountKeys, accountLua, makerLua } from './account.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { hashed } from './keys.ts'
import { defineScript } from './script.ts'

/** What a personal access token is, without the token itself. */
export type ApiToken = {
  /** Fit for lists and the audit log. */
  id: string
  name: string
  scope: 'read' | 'write'
  created_on: number
  expires_at: number
  last_used_on: number | null
}
type NewApiToken = Pick<ApiToken, 'name' | 'scope'> & {
  uid: string
  /** When the owner's entry was made, as the directory says it: a later owner of the name is somebody else. */
  account: string
  lifetimeSeconds: number
  /** From `sessions.generation(uid)`, read before the caller was looked at again. */
  generation: string
  most: number
}
type Stored = Omit<ApiToken, 'last_used_on'> & { account: string }

/** Tells a personal access token from every other bearer value; src/http/caller.ts looks for it. */
const begin = 'lkp_'
const touchMilliseconds = 60_000

/**
 * Personal access tokens (contract section 12). All of an account lie in one hash in the account's slot, under the
 * SHA-256 of the secret; the token carries the account's name, so that a request finds it in one command on one key:
 *
 *   account:{uid}:api-tokens   <hash> → record, used:<hash> → when it was used last, to the minute
 *
 * Made under the account's generation like whatever opens an account, and removed all at once with `end`: whoever ends
 * an account's access changes the generation first, so that none can be made in between.
 */
export function openApiTokens(connection: Connection, keys: Keys) {
  const { client } = connection
  const at = (uid: string) => accountKeys(keys, uid, 'api-tokens')

  const put = defineScript(connection, 'apiTokenPut', {
    keys: 2,
    durable: true,
    // ARGV generation, most, ttl (ms), hash, record. 0: the generation has passed; -1: there are as many as may be.
    lua: `${makerLua}local kept, count = redis.call('HGETALL', KEYS[1]), 0
      for i = 1, #kept, 2 do
        if kept[i]:sub(1, 5) ~= 'used:' then
          if cjson.decode(kept[i + 1]).expires_at > now then count = count + 1
          else redis.call('HDEL', KEYS[1], kept[i], 'used:' .. kept[i]) end
        end
      end
      if count >= tonumber(ARGV[2]) then return -1 end
      redis.call('HSET', KEYS[1], ARGV[4], ARGV[5])
      if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[3]) then redis.call('PEXPIRE', KEYS[1], ARGV[3]) end
      return 1`,
  })
  const read = defineScript(connection, 'apiTokenRead', {
    keys: 2,
    // ARGV hash, touch (ms)
    lua: `${accountLua}local record = redis.call('HGET', KEYS[1], ARGV[1])
      if not record or cjson.decode(record).expires_at <= now then return nil end
      local used = redis.call('HGET', KEYS[1], 'used:' .. ARGV[1])
      if not used or now - used >= tonumber(ARGV[2]) then redis.call('HSET', KEYS[1], 'used:' .. ARGV[1], now) end
      return record`,
  })

  async function all(uid: string): Promise<{ hash: string; token: ApiToken }[]> {
    const fields = await client.hgetall(at(uid)[0])
    return Object.entries(fields)
      .filter(([name]) => !name.startsWith('used:'))
      .map(([hash, record]) => {
        const { account: _, ...token } = JSON.parse(record) as Stored
        const used = fields[`used:${hash}`]
        return { hash, token: { ...token, last_used_on: used === undefined ? null : Number(used) } }
      })
      .filter(({ token }) => token.expires_at > Date.now())
      .sort((a, b) => b.token.created_on - a.token.created_on)
  }

  return {
    /** A new token, shown only here; `passed` when all of the account ended meanwhile, `full` when it has enough. */
    async create({ uid, generation, most, lifetimeSeconds, name, scope, account }: NewApiToken) {
      const secret = randomBytes(32).toString('base64url')
      const ttl = lifetimeSeconds * 1000
      const created_on = Date.now()
      const record: Stored = {
        ...{ id: randomBytes(12).toString('base64url'), name, scope, account },
        ...{ created_on, expires_at: created_on + ttl },
      }
      const done = await put(...at(uid), generation, most, ttl, hashed(secret), JSON.stringify(record))
      if (done !== 1) return done === -1 ? ('full' as const) : ('passed' as const)
      const { account: _, ...shown } = record
      const token = `${begin}${Buffer.from(uid).toString('base64url')}.${secret}`
      return { token, record: { ...shown, last_used_on: null } satisfies ApiToken }
    },

    /** Whose token this is and what it may, unless it has ended; one round trip. */
    async read(token: string): Promise<(Stored & { uid: string }) | undefined> {
      const [name = '', secret = ''] = token.slice(begin.length).split('.')
      const uid = Buffer.from(name, 'base64url').toString()
      const record = uid && secret ? await read(...at(uid), hashed(secret), touchMilliseconds) : null
      return typeof record === 'string' ? { ...(JSON.parse(record) as Stored), uid } : undefined
    },

    /** Those of an account that have not expired, the newest first. */
    async list(uid: string): Promise<ApiToken[]> {
      return (await all(uid)).map(({ token }) => token)
    },

    /** Ends one of that account; false when it has none such. */
    async remove(uid: string, id: string): Promise<boolean> {
      const found = (await all(uid)).find(({ token }) => token.id === id)
      return found !== undefined && (await client.hdel(at(uid)[0], found.hash, `used:${found.hash}`)) > 0
    },

    /** Ends all of an account, after its generation has changed. */
    async end(uid: string): Promise<void> {
      await client.del(at(uid)[0])
    },
  }
}
