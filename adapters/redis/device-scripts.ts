import type { Connection } from './connection.ts'
import { clock } from './provider-scripts.ts'
import { defineScript } from './script.ts'

/** The Lua of device-codes.ts; each touches one key. */
export function deviceScripts(connection: Connection) {
  const define = (name: string, lua: string) => defineScript(connection, name, { keys: 1, lua: clock + lua })
  /** ARGV payload. 1 for the one that marked it, 0 for all others, -1 when it is gone. */
  const once = (mark: string) => `if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
    if redis.call('HSETNX', KEYS[1], '${mark}', now) == 0 then return 0 end
    redis.call('HSET', KEYS[1], 'p', ARGV[1])
    return 1`
  return {
    /** ARGV payload, ttl (ms). */
    put: define(
      'devicePut',
      `redis.call('HSET', KEYS[1], 'p', ARGV[1]) redis.call('PEXPIRE', KEYS[1], ARGV[2])`,
    ),
    /** Answers payload and time of use. */
    find: define(
      'deviceFind',
      `local f = redis.call('HMGET', KEYS[1], 'p', 'c') if not f[1] then return nil end return f`,
    ),
    /** Somebody begins to confirm it: nobody else can from now on. */
    claim: define('deviceClaim', once('f')),
    /** It is allowed or refused, for good. */
    decide: define('deviceDecide', once('d')),
    /**
     * The device asks: ARGV interval, leniency (ms). Answers what `find` does, and 1 when it asked too early while
     * nothing is decided; from then on it must wait an interval longer. As with codes, what was just used is not found:
     * of devices that race only one is answered, and the others do not revoke what it got.
     */
    poll: define(
      'devicePoll',
      `local f = redis.call('HMGET', KEYS[1], 'p', 'c', 'd', 'l', 'w')
      if not f[1] or (f[2] and now - f[2] < 3000) then return nil end
      if f[3] then return {{f[1], f[2]}, 0} end
      local wait = tonumber(f[5] or ARGV[1])
      local early = f[4] and now - f[4] < wait - tonumber(ARGV[2])
      if early then wait = wait + tonumber(ARGV[1]) end
      redis.call('HSET', KEYS[1], 'l', now, 'w', wait)
      return {{f[1]}, early and 1 or 0}`,
    ),
  }
}
