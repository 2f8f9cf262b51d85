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

  const takeBackFrom = defineScript(connection, 'ratesGiveBack', {
    keys: 1,
    lua: `if tonumber(redis.call('GET', KEYS[1]) or '0') > 0 then redis.call('DECR', KEYS[1]) end`,
  })

  return {
    /** Counts one more for `who`: how many in this window, and the milliseconds until it ends. */
    async count(who: string, windowMilliseconds: number): Promise<{ current: number; ttl: number }> {
      const answer = (await countIn(keys.durable('rate', who), windowMilliseconds)) as [number, number]
      return { current: answer[0], ttl: answer[1] }
    },
    /** Takes back one that was counted and should not have been. */
    async giveBack(who: string): Promise<void> {
      await takeBackFrom(keys.durable('rate', who))
    },
  }
}
