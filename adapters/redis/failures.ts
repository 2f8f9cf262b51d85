import { randomUUID } from 'node:crypto'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { hashed } from './keys.ts'
import { defineScript } from './script.ts'

export type FailureLimits = { most: number; windowSeconds: number }
/** An account whose doors are closed, until when. */
export type ClosedAccount = { uid: string; until: number }

/**
 * Failed sign-ins by account, from whatever addresses (contract section 4). A try is counted before it is checked and
 * given back when it was right, so that of any number of parallel guesses no more than `most` reach the verifier. The
 * counter is the set of tries in the sliding window; when it is full it is left alone and its own expiry, one window after
 * the last try, opens the doors again. Survives a changed signing secret.
 */
export function openFailures(connection: Connection, keys: Keys) {
  const { client } = connection
  const counter = (uid: string) => keys.durable('failures', 'of', hashed(uid.toLowerCase()))
  const closed = keys.durable('failures', 'closed')
  const count = defineScript(connection, 'failuresCount', {
    keys: 2,
    // KEYS counter, closed accounts; ARGV most, window (ms), try, uid
    lua: `local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)
      local most, window = tonumber(ARGV[1]), tonumber(ARGV[2])
      local tries = redis.call('ZCARD', KEYS[1])
      if tries >= most then return redis.call('PTTL', KEYS[1]) end
      redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - window)
      redis.call('ZADD', KEYS[1], now, ARGV[3])
      redis.call('PEXPIRE', KEYS[1], window)
      if redis.call('ZCARD', KEYS[1]) >= most then
        redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', now)
        redis.call('ZADD', KEYS[2], now + window, ARGV[4])
      end
      return 0`,
  })
  const giveBack = defineScript(connection, 'failuresGiveBack', {
    keys: 2,
    // KEYS counter, closed accounts; ARGV uid, then the try to forget (none: all)
    lua: `if ARGV[2] then
        if redis.call('ZREM', KEYS[1], ARGV[2]) == 0 then return 0 end
      else
        redis.call('DEL', KEYS[1])
      end
      return redis.call('ZREM', KEYS[2], ARGV[1])`,
  })

  return {
    /** Counts a try before its check. Not `allowed`: check nothing, answer as for a wrong one. */
    async count(uid: string, { most, windowSeconds }: FailureLimits) {
      const attempt = randomUUID()
      const wait = Number(
        await count(counter(uid), closed, most, windowSeconds * 1000, attempt, uid.toLowerCase()),
      )
      return { allowed: wait === 0, attempt, retryAfterSeconds: Math.ceil(wait / 1000) }
    },
    /** The try was right: gives back that one. */
    async refund(uid: string, attempt: string): Promise<void> {
      await giveBack(counter(uid), closed, uid.toLowerCase(), attempt)
    },
    /** Forgets all failures of an account and opens its doors; false when they were not closed. */
    async clear(uid: string): Promise<boolean> {
      return (await giveBack(counter(uid), closed, uid.toLowerCase())) === 1
    },
    /** Accounts whose doors are closed now, the longest closed last. */
    async list(limit = 1000): Promise<ClosedAccount[]> {
      const answer = await client.zrange(
        closed,
        '+inf',
        `(${Date.now()}`,
        'BYSCORE',
        'REV',
        'LIMIT',
        0,
        limit,
        'WITHSCORES',
      )
      return pairs(answer).map(([uid, until]) => ({ uid, until: Number(until) }))
    },
  }
}

function pairs(flat: string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, at) => [
    flat[2 * at] as string,
    flat[2 * at + 1] as string,
  ])
}
