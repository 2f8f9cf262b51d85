import type { Connection } from './connection.ts'
import { defineScript } from './script.ts'

/** Lua: completes the record when all recipients are named and done with. KEYS record, recipients. */
const complete = (now: string) => `
local f = redis.call('HMGET', KEYS[1], 'listed', 'total', 'sent_count', 'failed_count', 'sent_at')
if f[1] and not f[5] and f[3] + f[4] == tonumber(f[2]) then
  local failed = tonumber(f[3]) == 0 and (tonumber(f[2]) > 0 or f[1] == 'broken')
  redis.call('HSET', KEYS[1], 'status', failed and 'failed' or 'sent', 'sent_at', ${now})
  redis.call('EXPIRE', KEYS[2], 86400)
end
return 1`

/** The Lua of notifications.ts. All its keys lie in one slot. */
export function notificationScripts(connection: Connection) {
  const define = (name: string, keys: number, lua: string) =>
    defineScript(connection, name, { keys, lua, durable: true })
  return {
    /** KEYS record, index; ARGV what never changes, place. */
    insert: define(
      'notificationInsert',
      2,
      `redis.call('HSET', KEYS[1], 'fixed', ARGV[1], 'status', 'queued', 'total', 0, 'sent_count', 0, 'failed_count', 0)
      redis.call('ZADD', KEYS[2], 0, ARGV[2])
      return 1`,
    ),
    /** KEYS record. */
    begin: define(
      'notificationBegin',
      1,
      `if redis.call('HGET', KEYS[1], 'status') == 'queued' then redis.call('HSET', KEYS[1], 'status', 'sending') end
      return 1`,
    ),
    /** KEYS record, recipients; ARGV uids. */
    expect: define(
      'notificationExpect',
      2,
      `if redis.call('HGET', KEYS[1], 'listed') then return 0 end
      local added = 0
      for _, uid in ipairs(ARGV) do added = added + redis.call('HSETNX', KEYS[2], uid, 'queued') end
      redis.call('HINCRBY', KEYS[1], 'total', added)
      return 1`,
    ),
    /** KEYS record, recipients; ARGV now, whole or broken. */
    listed: define(
      'notificationListed',
      2,
      `redis.call('HSET', KEYS[1], 'listed', ARGV[2])${complete('ARGV[1]')}`,
    ),
    /** KEYS record, recipients; ARGV uid, outcome, now. */
    settle: define(
      'notificationSettle',
      2,
      `if redis.call('HGET', KEYS[2], ARGV[1]) ~= 'queued' then return 0 end
      redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
      redis.call('HINCRBY', KEYS[1], ARGV[2] .. '_count', 1)${complete('ARGV[3]')}`,
    ),
  }
}
