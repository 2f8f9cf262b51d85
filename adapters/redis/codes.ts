import { createHmac, randomInt } from 'node:crypto'
import { accountKeys, accountLua, makerLua } from './account.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { defineScript } from './script.ts'
import type { AddressKind } from './verification.ts'

/** Where a code was sent. */
export type CodeSent = { kind: AddressKind; address: string }

export const codeLifetimeSeconds = 600
const mostAttempts = 5

/**
 * One-time codes: one for an account, 6 digits, 10 minutes, 5 attempts (contract section 4). A million guesses would open
 * a plain hash, so what is stored is an HMAC under a key of the signing secret. One script counts an attempt, compares
 * and uses the code up, so of any number of parallel attempts 5 are looked at and one wins.
 */
export function openCodes(connection: Connection, keys: Keys) {
  const sealed = (uid: string, code: string) =>
    createHmac('sha256', keys.derive('one-time code'))
      .update(`${uid.toLowerCase()}\n${code}`)
      .digest('base64url')

  const put = defineScript(connection, 'codePut', {
    keys: 2,
    // ARGV generation, ttl (ms), hash, kind, address
    lua: `${makerLua}redis.call('DEL', KEYS[1])
      redis.call('HSET', KEYS[1], 'generation', generation, 'tries', 0, 'hash', ARGV[3], 'kind', ARGV[4], 'address', ARGV[5])
      redis.call('PEXPIRE', KEYS[1], ARGV[2])
      return 1`,
  })
  const attempt = defineScript(connection, 'codeAttempt', {
    keys: 2,
    // ARGV hash, most attempts
    lua: `${accountLua}local f = redis.call('HMGET', KEYS[1], 'generation', 'hash', 'kind', 'address')
      if not f[1] then return nil end
      local tries = redis.call('HINCRBY', KEYS[1], 'tries', 1)
      local most = tonumber(ARGV[2])
      local right = f[2] == ARGV[1] and f[1] == generation and tries <= most
      if right or tries >= most then redis.call('DEL', KEYS[1]) end
      if right then return {f[3], f[4]} end
      return nil`,
  })

  return {
    /** A new code, shown only here; the one before is dead. Undefined when `generation` has passed. */
    async issue(uid: string, { kind, address, generation }: CodeSent & { generation: string }) {
      const code = String(randomInt(1_000_000)).padStart(6, '0')
      const ttl = codeLifetimeSeconds * 1000
      const made = await put(
        ...accountKeys(keys, uid, 'code'),
        generation,
        ttl,
        sealed(uid, code),
        kind,
        address,
      )
      return made === 1 ? code : undefined
    },
    /** Where the code was sent, when this is it: it is used up then. Costs the same for whom there is none. */
    async redeem(uid: string, code: string): Promise<CodeSent | undefined> {
      const found = await attempt(...accountKeys(keys, uid, 'code'), sealed(uid, code), mostAttempts)
      if (!Array.isArray(found)) return undefined
      const [kind, address] = found as [AddressKind, string]
      return { kind, address }
    },
    async remove(uid: string): Promise<void> {
      await connection.client.del(accountKeys(keys, uid, 'code')[0])
    },
  }
}
