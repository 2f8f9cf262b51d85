import { setTimeout as pause } from 'node:timers/promises'
import type { OAuthRecord, ResourceRecord } from '#src/directory/schemas.ts'
import { Refusal } from '#src/errors.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import type { Op, View } from './resource-view.ts'
import { createView, families } from './resource-view.ts'
import { defineScript } from './script.ts'

export type { Op, View } from './resource-view.ts'
export type Resources = ReturnType<typeof openResources>

/** How many changes the log keeps: a pod that is further behind reads everything anew. */
const logLength = 1000
/** How often a change is made again while others are faster. */
const mostAttempts = 200
const mostRead = 5000

/**
 * The directory of resources with its edges and group links, durable; OAuth clients are the resources of kind `oauth`.
 * Each family is one hash, and beside them lies a log of changes: a change is written, in one script, only while the log
 * still ends where the change was decided, so that whatever was checked in memory (a free slug, no loop, no children)
 * still holds, and is decided anew when somebody else was faster.
 *
 * Each pod has everything in memory (a few KB for each resource) and asks before every answer what the log holds since
 * its last time: one round trip, whatever the size. The question names the entry it knows: where that is not in the log
 * any more, because it is too old or was lost with a primary, everything is read anew.
 */
export function openResources(connection: Connection, keys: Keys) {
  const { client } = connection
  const hashes = families.map((family) => keys.durable('directory', family))
  const [records = ''] = hashes
  const log = keys.durable('directory', 'log')
  const commit = defineScript(connection, 'resourcesCommit', {
    keys: hashes.length + 1,
    lua: commitLua,
    durable: true,
  })
  const everything = defineScript(connection, 'resourcesLoad', {
    keys: hashes.length + 1,
    lua: loadLua,
  })
  const view = createView()
  const read = new Map<string, { raw: string; record: OAuthRecord }>()
  /** The last entry of the log that the view holds; empty before the first. */
  let known = ''
  let loading: Promise<void> | undefined

  async function load(): Promise<void> {
    const [last, ...held] = (await everything(...hashes, log)) as [string, ...string[][]]
    view.clear()
    for (const [at, family] of families.entries())
      for (const raw of held[at] ?? []) {
        const record = JSON.parse(raw)
        view.put([family, record.id, record])
      }
    known = last
  }

  /** The view as it is now, or later: never older than the call. */
  async function current(): Promise<View> {
    const from = known
    const [own, ...news] = from === '' ? [] : await client.xrange(log, from, '+', 'COUNT', logLength)
    // Answers may come when another has been heard, or everything was read anew: what is known by then counts.
    const next = known === from ? 0 : news.findIndex(([id]) => id === known) + 1
    if (known !== from && next === 0) return current()
    if (own?.[0] !== from || news.length >= logLength - 1) return readAnew()
    for (const [id, [, ops = '[]']] of news.slice(next)) {
      for (const op of parsed(ops)) view.put(op)
      known = id
    }
    return view
  }

  /** Whoever came before may have begun before this was asked: theirs ends first, the next is shared. */
  async function readAnew(): Promise<View> {
    await loading
    loading ??= load().finally(() => {
      loading = undefined
    })
    await loading
    return view
  }

  return {
    current,

    /**
     * An OAuth client, not from memory: whoever authenticates one asks for what is stored. The same text is the same object,
     * so that nobody works it out again: not to be changed.
     */
    async findClient(client_id: string): Promise<OAuthRecord | undefined> {
      const raw = await client.hget(records, client_id)
      if (raw === null) return undefined
      const last = read.get(client_id)
      if (last?.raw === raw) return last.record
      const record = JSON.parse(raw) as ResourceRecord
      if (record.kind !== 'oauth') return undefined
      if (read.size >= mostRead) read.clear()
      read.set(client_id, { raw, record: record as OAuthRecord })
      return record as OAuthRecord
    },

    /**
     * Makes the change that `plan` decides on the directory as it is. It runs again, on what is there then, when somebody
     * else was faster, so it has no effects of its own; what it throws is thrown, and nothing is changed. Every pod hears
     * of a changed client on the bus's channel `client` with the write itself. Throws Conflict when the others are always
     * faster.
     */
    async change<T>(plan: (now: View) => Promise<Planned<T>> | Planned<T>): Promise<T> {
      for (let attempt = 0; attempt < mostAttempts; attempt++) {
        const now = await current()
        const at = known
        const { ops, value } = await plan(now)
        if (ops.length === 0) return value
        const told = ops.filter(
          ([family, id, record]) => family === 'resources' && isClient(record ?? now.resources.get(id)),
        )
        if (
          await commit(
            ...hashes,
            log,
            at,
            written(ops),
            keys.durable('bus'),
            logLength,
            ...told.map(([, id]) => id),
          )
        )
          return value
        if (attempt > 20) await pause(Math.random() * 10)
      }
      throw new Refusal('Conflict')
    },
  }
}

/** What a change writes, and what it is worth to whoever asked for it. */
export type Planned<T> = { ops: Op[]; value: T }

function isClient(record: unknown): boolean {
  return (record as ResourceRecord | undefined)?.kind === 'oauth'
}

function written(ops: Op[]): string {
  return JSON.stringify(
    ops.map(([family, id, record]) => [
      families.indexOf(family) + 1,
      id,
      record ? JSON.stringify(record) : false,
    ]),
  )
}

function parsed(text: string): Op[] {
  const ops = JSON.parse(text) as [number, string, string | false][]
  return ops.map(([at, id, raw]) => [families[at - 1], id, raw ? JSON.parse(raw) : undefined] as Op)
}

/** KEYS the families, log; ARGV the entry it was decided on, changes, bus, length of the log, changed clients. */
const commitLua = `
local log = KEYS[#KEYS]
local last = redis.call('XREVRANGE', log, '+', '-', 'COUNT', 1)[1]
if (last and last[1] or '') ~= ARGV[1] then return false end
for _, op in ipairs(cjson.decode(ARGV[2])) do
  if op[3] then redis.call('HSET', KEYS[op[1]], op[2], op[3]) else redis.call('HDEL', KEYS[op[1]], op[2]) end
end
for n = 5, #ARGV do redis.call('PUBLISH', ARGV[3], 'client ' .. ARGV[n]) end
return redis.call('XADD', log, 'MAXLEN', '~', ARGV[4], '*', 'ops', ARGV[2])`

/** KEYS the families, log. */
const loadLua = `
local last = redis.call('XREVRANGE', KEYS[#KEYS], '+', '-', 'COUNT', 1)[1]
local all = { last and last[1] or '' }
for n = 1, #KEYS - 1 do all[n + 1] = redis.call('HVALS', KEYS[n]) end
return all`
