import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { defineScript } from './script.ts'

/** Requests counted by who makes them, in windows that begin with the first (interface, Limits). */
export function openRates(connection: Connection, keys: Keys) {
  const countIn = defineScript(connection, 'ratesCount', {
    keys: 1,
    // KEYS counter; ARGV window (ms)
    lua: `local current = redis.call('INCR', KEYS[1])
      if current == 1 then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
      return {current, redis.call('PTTL', KEYS[1])}`,
  })

  return {
    /** Counts one more for `who`: how many in this window, and the milliseconds until it ends. */
    async count(who: string, windowMilliseconds: number): Promise<{ current: number; ttl: number }> {
      const answer = (await countIn(keys.durable('rate', who), windowMilliseconds)) as [number, number]
      return { current: answer[0], ttl: answer[1] }
    },
  }
}
