import type { Connection } from './connection.ts'
import { defineScript } from './script.ts'

/** Redis's clock, one for all pods, in milliseconds. */
const clock = `local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)
`
const own = `'uid', 'id', 'created_on', 'last_used_on', 'address', 'agent', 'impersonator'`

/** The Lua of sessions.ts. Each touches keys of one slot only. */
export function sessionScripts(connection: Connection) {
  const define = (name: string, keys: number, lua: string) =>
    defineScript(connection, name, { keys, lua: clock + lua })
  return {
    /**
     * KEYS record; ARGV idle, absolute, touch (ms), with payload (1 or 0). Decides expiry, notes the use, and answers the
     * fields of `own`, whether the use was noted, and the payload.
     */
    read: define(
      'sessionRead',
      1,
      `local f = redis.call('HMGET', KEYS[1], ${own})
      if not f[3] then return nil end
      local created, used = tonumber(f[3]), tonumber(f[4])
      local idle, absolute = tonumber(ARGV[1]), tonumber(ARGV[2])
      if now - used >= idle or now - created >= absolute then redis.call('DEL', KEYS[1]) return nil end
      local touched = 0
      if now - used >= tonumber(ARGV[3]) then
        touched = 1
        redis.call('HSET', KEYS[1], 'last_used_on', now)
        redis.call('PEXPIRE', KEYS[1], math.min(idle, created + absolute - now))
      end
      f[8] = touched
      f[9] = ARGV[4] == '1' and redis.call('HGET', KEYS[1], 'p') or ''
      return f`,
    ),
    /**
     * KEYS record; ARGV idle, absolute, payload, then names and values of own fields. Writes a new record; created_on and
     * last_used_on are now unless given (a session whose token is replaced keeps them).
     */
    write: define(
      'sessionWrite',
      1,
      `redis.call('HSET', KEYS[1], 'created_on', now, 'last_used_on', now, 'p', ARGV[3], unpack(ARGV, 4))
      local f = redis.call('HMGET', KEYS[1], 'created_on', 'last_used_on')
      local left = math.min(f[2] + ARGV[1], f[1] + ARGV[2]) - now
      if left <= 0 then redis.call('DEL', KEYS[1]) return 0 end
      redis.call('PEXPIRE', KEYS[1], left)
      return 1`,
    ),
    /** KEYS record; ARGV payload, id, account. Replaces the payload of a record that is there and is that session's. */
    replace: define(
      'sessionReplace',
      1,
      `local f = redis.call('HMGET', KEYS[1], 'id', 'uid')
      if f[1] ~= ARGV[2] or (f[2] or '') ~= ARGV[3] then return 0 end
      redis.call('HSET', KEYS[1], 'p', ARGV[1])
      return 1`,
    ),
    /** KEYS record. Removes it and answers what it was: of many takers one gets it. */
    take: define(
      'sessionTake',
      1,
      `local f = redis.call('HMGET', KEYS[1], ${own})
      if not f[3] then return nil end
      f[8], f[9] = 0, redis.call('HGET', KEYS[1], 'p')
      redis.call('DEL', KEYS[1])
      return f`,
    ),
    /** KEYS pointer; ARGV hash, ttl. Points the id at its record, unless the session has ended; answers the pointer before. */
    claim: define(
      'sessionClaim',
      1,
      `local before = redis.call('GET', KEYS[1])
      if before == '' then return nil end
      redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
      return before or ARGV[1]`,
    ),
    /** KEYS pointer; ARGV hash, ttl. Keeps a pointer that still is this one. */
    hold: define(
      'sessionHold',
      1,
      `if redis.call('GET', KEYS[1]) == ARGV[1] then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end`,
    ),
    /** KEYS pointer; ARGV ttl. The empty pointer is the tombstone: a request under way cannot bring the session back. */
    close: define(
      'sessionClose',
      1,
      `local before = redis.call('GET', KEYS[1])
      redis.call('SET', KEYS[1], '', 'PX', ARGV[1])
      return before`,
    ),
    /** KEYS index, generation; ARGV id, ttl, generation or ''. Enters the session under its account. */
    enter: define(
      'sessionEnter',
      2,
      `if ARGV[3] ~= '' and ARGV[3] ~= (redis.call('GET', KEYS[2]) or '0') then return 0 end
      redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
      redis.call('ZADD', KEYS[1], 'GT', now + ARGV[2], ARGV[1])
      if redis.call('PTTL', KEYS[1]) < tonumber(ARGV[2]) then redis.call('PEXPIRE', KEYS[1], ARGV[2]) end
      return 1`,
    ),
    /** KEYS index, generation. From here on no sign-in that began before can make a session; answers those there are. */
    drain: define(
      'sessionDrain',
      2,
      `redis.call('INCR', KEYS[2])
      redis.call('PEXPIRE', KEYS[2], 86400000)
      return redis.call('ZRANGE', KEYS[1], 0, -1)`,
    ),
  }
}
