import type { Connection } from './connection.ts'
import { defineScript } from './script.ts'

/** Redis's clock, one for all pods, in milliseconds. */
export const clock = `local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)
`

/** The Lua of provider.ts; each touches one key. */
export function providerScripts(connection: Connection) {
  const define = (name: string, lua: string) => defineScript(connection, name, { keys: 1, lua: clock + lua })
  return {
    /** ARGV payload, ttl (ms). */
    put: define(
      'oncePut',
      `redis.call('HSET', KEYS[1], 'p', ARGV[1]) redis.call('PEXPIRE', KEYS[1], ARGV[2])`,
    ),
    /** Answers payload and time of use, or `young` when that was within the last 3 seconds. */
    find: define(
      'onceFind',
      `local f = redis.call('HMGET', KEYS[1], 'p', 'c')
      if not f[1] then return nil end
      if f[2] and now - f[2] < 3000 then return 'young' end
      return f`,
    ),
    /**
     * ARGV longest ttl from now on (ms), name of the use. 1 for the one that used it, 0 for all others and for a use that
     * was given back before, -1 when it is gone.
     */
    consume: define(
      'onceConsume',
      `if redis.call('EXISTS', KEYS[1]) == 0 then return -1 end
      if redis.call('HGET', KEYS[1], 'g') == ARGV[2] then return 0 end
      if redis.call('HSETNX', KEYS[1], 'c', now) == 0 then return 0 end
      redis.call('HSET', KEYS[1], 'b', ARGV[2], 'e', redis.call('PEXPIRETIME', KEYS[1]))
      if redis.call('PTTL', KEYS[1]) > tonumber(ARGV[1]) then redis.call('PEXPIRE', KEYS[1], ARGV[1]) end
      return 1`,
    ),
    /** ARGV name of the use. 1 when it had been used by it. */
    giveBack: define(
      'onceGiveBack',
      `if redis.call('EXISTS', KEYS[1]) == 0 then return 0 end
      redis.call('HSET', KEYS[1], 'g', ARGV[1])
      local f = redis.call('HMGET', KEYS[1], 'b', 'e')
      if f[1] ~= ARGV[1] then return 0 end
      redis.call('HDEL', KEYS[1], 'c', 'b', 'e')
      redis.call('PEXPIREAT', KEYS[1], f[2])
      return 1`,
    ),
    /** ARGV payload, ttl (ms). Writes a record unless it is buried. */
    keep: define(
      'grantKeep',
      `if redis.call('GET', KEYS[1]) == '' then return 0 end
      redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
      return 1`,
    ),
    /** ARGV ttl (ms). An empty record stands for one that must not come back; 1 when it was alive. */
    bury: define(
      'grantBury',
      `local before = redis.call('GET', KEYS[1])
      redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
      return (before and before ~= '') and 1 or 0`,
    ),
    /** ARGV member, end (ms). Enters it and forgets what has ended. */
    index: define(
      'grantIndex',
      `redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
      redis.call('ZADD', KEYS[1], 'GT', ARGV[2], ARGV[1])
      if redis.call('PEXPIRETIME', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIREAT', KEYS[1], ARGV[2]) end`,
    ),
  }
}
