import type { AccessRequest } from '#src/access-request/schemas.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { defineScript } from './script.ts'

/** Decided requests of one person are kept up to this many, the oldest go first. */
const keptOfPerson = 100
const pageSize = 200

/**
 * Requests for access, durable. The scripts decide: a person has one pending request for a resource, and a request is
 * changed only from what the change was decided on.
 *
 *   records     id → the request (JSON)
 *   open        "<uid> <resource>" → id of the pending request
 *   pending     <created_on>:<id> of all pending ones
 *   of:<uid>    the same of all that somebody made
 */
export function openAccessRequests(connection: Connection, keys: Keys) {
  const { client } = connection
  const [records, open, pending] = ['records', 'open', 'pending'].map((part) =>
    keys.durable('access-request', part),
  ) as [string, string, string]
  const madeBy = (uid: string) => keys.durable('access-request', 'of', uid.toLowerCase())
  const fieldOf = ({ uid, resourceId }: AccessRequest) => `${uid.toLowerCase()} ${resourceId}`
  const placeOf = ({ created_on, id }: AccessRequest) => `${String(created_on).padStart(15, '0')}:${id}`
  const define = (name: string, keys: number, lua: string) =>
    defineScript(connection, name, { keys, lua, durable: true })
  const insert = define('accessRequestInsert', 4, insertLua)
  const swap = define('accessRequestSwap', 3, swapLua)
  const forget = define('accessRequestForget', 4, forgetLua)

  async function listed(index: string): Promise<AccessRequest[]> {
    const found: AccessRequest[] = []
    for (let after = '-'; ; ) {
      const places = await client.zrange(index, after, '+', 'BYLEX', 'LIMIT', 0, pageSize)
      const ids = places.map((place) => place.slice(place.indexOf(':') + 1))
      const raw = ids.length > 0 ? await client.hmget(records, ...ids) : []
      found.push(...raw.flatMap((each) => (each ? [JSON.parse(each) as AccessRequest] : [])))
      if (places.length < pageSize) return found
      after = `(${places.at(-1)}`
    }
  }

  return {
    async find(id: string): Promise<AccessRequest | undefined> {
      const raw = await client.hget(records, id)
      return raw === null ? undefined : JSON.parse(raw)
    },
    /** False when the person has a pending request for the resource already. */
    async create(request: AccessRequest): Promise<boolean> {
      const made = await insert(
        ...[records, open, pending, madeBy(request.uid)],
        ...[fieldOf(request), request.id, placeOf(request), JSON.stringify(request), keptOfPerson],
      )
      return made === 1
    },
    /** Makes of a pending request what `decide` makes of it as it is; undefined when it is pending no more, or `decide` declines. */
    async change(
      id: string,
      decide: (current: AccessRequest) => AccessRequest | undefined,
    ): Promise<AccessRequest | undefined> {
      for (;;) {
        const raw = await client.hget(records, id)
        const current = raw === null ? undefined : (JSON.parse(raw) as AccessRequest)
        const next = current?.state === 'pending' ? decide(current) : undefined
        if (raw === null || !current || !next) return undefined
        const settled = next.state === 'pending' ? 0 : 1
        const written = [id, raw, JSON.stringify(next), fieldOf(current), placeOf(current), settled]
        if (await swap(records, open, pending, ...written)) return next
      }
    },
    /** All that wait for a decision, the oldest first. */
    pending: () => listed(pending),
    /** What somebody made, the oldest first. */
    of: (uid: string) => listed(madeBy(uid)),
    /** Removes everything that somebody made. */
    async forget(uid: string): Promise<void> {
      await forget(records, open, pending, madeBy(uid))
    },
  }
}

/** KEYS records, open, pending, of; ARGV field, id, place, record, kept. */
const insertLua = `
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 0 end
redis.call('HSET', KEYS[2], ARGV[1], ARGV[2])
redis.call('HSET', KEYS[1], ARGV[2], ARGV[4])
redis.call('ZADD', KEYS[3], 0, ARGV[3])
redis.call('ZADD', KEYS[4], 0, ARGV[3])
for _, place in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1 - ARGV[5])) do
  local id = string.match(place, ':(.*)$')
  local raw = redis.call('HGET', KEYS[1], id)
  if not raw or cjson.decode(raw).state ~= 'pending' then
    redis.call('ZREM', KEYS[4], place)
    redis.call('HDEL', KEYS[1], id)
  end
end
return 1`

/** KEYS records, open, pending; ARGV id, record before, record after, field, place, whether it is settled. */
const swapLua = `
if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
if ARGV[6] == '1' then
  redis.call('HDEL', KEYS[2], ARGV[4])
  redis.call('ZREM', KEYS[3], ARGV[5])
end
return 1`

/** KEYS records, open, pending, of. */
const forgetLua = `
for _, place in ipairs(redis.call('ZRANGE', KEYS[4], 0, -1)) do
  local id = string.match(place, ':(.*)$')
  local raw = redis.call('HGET', KEYS[1], id)
  if raw then
    local request = cjson.decode(raw)
    local field = string.lower(request.uid) .. ' ' .. request.resourceId
    if redis.call('HGET', KEYS[2], field) == id then redis.call('HDEL', KEYS[2], field) end
  end
  redis.call('HDEL', KEYS[1], id)
  redis.call('ZREM', KEYS[3], place)
end
return redis.call('DEL', KEYS[4])`
