import { randomBytes, timingSafeEqual } from 'node:crypto'
import { accountKeys, accountLua, makerLua } from './account.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { hashed } from './keys.ts'
import { defineScript } from './script.ts'

/** An impersonation that goes on: who acts, and which of several in a row it is. */
export type Impersonation = { id: string; impersonator: string }

const lifetimeSeconds = 15 * 60

/** Temporary passwords of impersonated accounts: one for an account, 15 minutes, kept as a hash (contract section 4). */
export function openImpersonations(connection: Connection, keys: Keys) {
  const at = (uid: string) => accountKeys(keys, uid, 'impersonation')
  const put = defineScript(connection, 'impersonationPut', {
    keys: 2,
    // ARGV generation, ttl (ms), hash, id, impersonator
    lua: `${makerLua}redis.call('DEL', KEYS[1])
      redis.call('HSET', KEYS[1], 'generation', generation, 'hash', ARGV[3], 'id', ARGV[4], 'impersonator', ARGV[5])
      redis.call('PEXPIRE', KEYS[1], ARGV[2])
      return 1`,
  })
  const look = defineScript(connection, 'impersonationLook', {
    keys: 2,
    lua: `${accountLua}local f = redis.call('HMGET', KEYS[1], 'generation', 'hash', 'id', 'impersonator')
      if f[1] ~= generation then return nil end
      return {f[2], f[3], f[4]}`,
  })

  async function find(uid: string): Promise<(Impersonation & { hash: string }) | undefined> {
    const found = await look(...at(uid))
    if (!Array.isArray(found)) return undefined
    const [hash, id, impersonator] = found as [string, string, string]
    return { hash, id, impersonator }
  }

  return {
    /** A new password, shown only here; the one before is dead. Undefined when `generation` has passed. */
    async start(uid: string, { impersonator, generation }: { impersonator: string; generation: string }) {
      const temp_password = randomBytes(24).toString('base64url')
      const id = randomBytes(12).toString('base64url')
      const ttl = lifetimeSeconds * 1000
      const expires_at = Date.now() + ttl
      const made = await put(...at(uid), generation, ttl, hashed(temp_password), id, impersonator)
      return made === 1 ? { temp_password, expires_at } : undefined
    },
    /** The impersonation whose temporary password this is. */
    async openedBy(uid: string, password: string): Promise<Impersonation | undefined> {
      const found = await find(uid)
      const right = found && timingSafeEqual(Buffer.from(found.hash), Buffer.from(hashed(password)))
      return right ? { id: found.id, impersonator: found.impersonator } : undefined
    },
    /** True while that very one goes on. */
    async goesOn(uid: string, id: string): Promise<boolean> {
      return (await find(uid))?.id === id
    },
    /** True when a temporary password was there to end. */
    async end(uid: string): Promise<boolean> {
      return (await connection.client.del(at(uid)[0])) === 1
    },
  }
}
