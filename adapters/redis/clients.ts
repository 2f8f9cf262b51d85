import { Refusal } from '#src/errors.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { defineScript } from './script.ts'

/** An OAuth client as stored: the interface's fields, `secret_hash`, and whatever else the slice keeps with it. */
export type ClientRecord = { client_id: string; created_on: number; [field: string]: unknown }
type Change<R> = Partial<R> | ((current: R) => Partial<R> | Promise<Partial<R>>)

const pageSize = 200
const mostRead = 5000

/**
 * OAuth clients, durable. A record and its place in the index (by created_on) change in one script, uniqueness of client_id
 * included, and the same script tells the other pods on the bus's channel `client`, so that no cache outlives the write.
 * An update is written only over what it was made from, else made again: no change is lost.
 */
export function openClients<R extends ClientRecord = ClientRecord>(connection: Connection, keys: Keys) {
  const { client } = connection
  const key = (id: string) => keys.durable('client', 'record', id)
  const index = keys.durable('client', 'index')
  const place = ({ created_on, client_id }: ClientRecord) =>
    `${String(created_on).padStart(15, '0')}:${client_id}`
  const tell = `redis.call('PUBLISH', '${keys.durable('bus')}', 'client ' .. ARGV[1]) return 1`
  const write = (name: string, lua: string) =>
    defineScript(connection, name, { keys: 2, lua: lua + tell, durable: true })

  // KEYS record, index; ARGV client_id, place, record
  const insert = write(
    'clientInsert',
    `if not redis.call('SET', KEYS[1], ARGV[3], 'NX') then return 0 end
    redis.call('ZADD', KEYS[2], 0, ARGV[2])
    `,
  )
  // KEYS record, index; ARGV client_id, record before, record after
  const swap = write(
    'clientSwap',
    `if redis.call('GET', KEYS[1]) ~= ARGV[2] then return 0 end
    redis.call('SET', KEYS[1], ARGV[3])
    `,
  )
  // KEYS record, index; ARGV client_id, place
  const drop = write(
    'clientDrop',
    `redis.call('ZREM', KEYS[2], ARGV[2])
    if redis.call('DEL', KEYS[1]) == 0 then return 0 end
    `,
  )

  /** What was read last of each: the same text is the same object, so that nobody works it out again. */
  const read = new Map<string, { raw: string; record: R }>()

  async function find(client_id: string): Promise<R | undefined> {
    const raw = await client.get(key(client_id))
    if (raw === null) return undefined
    const known = read.get(client_id)
    if (known?.raw === raw) return known.record
    if (read.size >= mostRead) read.clear()
    const record = JSON.parse(raw) as R
    read.set(client_id, { raw, record })
    return record
  }

  async function page(after: string, limit: number): Promise<[place: string, record: R][]> {
    const places = await client.zrange(index, after ? `(${after}` : '-', '+', 'BYLEX', 'LIMIT', 0, limit)
    const raw =
      places.length > 0 ? await client.mget(places.map((at) => key(at.slice(at.indexOf(':') + 1)))) : []
    return places.flatMap((at, n) =>
      raw[n] ? [[at, JSON.parse(raw[n]) as R] as [string, R]] : [[at, undefined as never]],
    )
  }

  return {
    /** Not to be changed: the next one who asks may get the same object. */
    find,
    /** Throws AlreadyExists when the client_id is taken. */
    async create(record: R): Promise<R> {
      const done = await insert(
        key(record.client_id),
        index,
        record.client_id,
        place(record),
        JSON.stringify(record),
      )
      if (done !== 1) throw new Refusal('AlreadyExists')
      return record
    },
    /**
     * Merges changes (`undefined` leaves, `null` is kept as such), or what a function makes of the record as it is; the
     * function runs again when somebody else was faster. client_id and created_on never change.
     */
    async update(client_id: string, change: Change<R>): Promise<R | undefined> {
      for (let attempt = 0; attempt < 100; attempt++) {
        const raw = await client.get(key(client_id))
        if (raw === null) return undefined
        const current = JSON.parse(raw) as R
        const changes = typeof change === 'function' ? await change(structuredClone(current)) : change
        const next = { ...current, ...defined(changes), client_id, created_on: current.created_on }
        const done = await swap(key(client_id), index, client_id, raw, JSON.stringify(next))
        if (done === 1) return next
      }
      throw new Refusal('Conflict')
    },
    async remove(client_id: string): Promise<boolean> {
      const current = await find(client_id)
      return current !== undefined && (await drop(key(client_id), index, client_id, place(current))) === 1
    },
    /** Oldest first; `q` is looked for in name and client_id, without case. `next` is the `after` of the page that follows. */
    async list({
      limit = Number.MAX_SAFE_INTEGER,
      after = '',
      q = '',
    }: {
      limit?: number
      after?: string
      q?: string
    } = {}) {
      const entries: R[] = []
      const wanted = q.toLowerCase()
      for (let from = after; ; ) {
        const read = await page(from, pageSize)
        for (const [at, record] of read) {
          from = at
          if (!record || !matches(record, wanted)) continue
          if (entries.length === limit) return { entries, next: place(entries.at(-1) as R) }
          entries.push(record)
        }
        if (read.length < pageSize) return { entries }
      }
    },
  }
}

function matches({ client_id, name }: ClientRecord, wanted: string): boolean {
  return wanted === '' || `${client_id}\n${name ?? ''}`.toLowerCase().includes(wanted)
}

function defined<T extends object>(changes: T): T {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as T
}
