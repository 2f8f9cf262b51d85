import { Refusal } from '#src/errors.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { defineScript } from './script.ts'

/** A thing that happened to a record; `at` is when it began, milliseconds, and the order of the history. */
export type Entry = { id: string; at: number }
/** `unique` names the value that no two records share, compared without case; `most` is how many there may be. */
type Family<R> = { family: string; unique: (record: R) => string; most: number }

const mostEntries = 100

/**
 * Few, durable records with a name of their own each, and of each the last hundred things that happened to it. All of a
 * family lie in one slot: a record and its name change in one step, which decides whether the name is free, and nothing is
 * noted of a record that is gone. A change is written only over what it was made from, else made again.
 *
 *   records   id → record         names        name → id
 *   history:<id>   entry's id → entry    order:<id>   entries' ids by time    secrets:<id>   name → sealed text
 */
export function openNamedRecords<R extends { id: string }, E extends Entry>(
  connection: Connection,
  keys: Keys,
  { family, unique, most }: Family<R>,
) {
  const { client } = connection
  const records = keys.durable(family, 'records')
  const names = keys.durable(family, 'names')
  const history = (id: string) => keys.durable(family, 'history', id)
  const order = (id: string) => keys.durable(family, 'order', id)
  const secrets = (id: string) => keys.durable(family, 'secrets', id)
  const nameOf = (record: R) => unique(record).toLowerCase()
  const define = (name: string, count: number, lua: string) =>
    defineScript(connection, `${family}${name}`, { keys: count, lua, durable: true })

  // KEYS records, names; ARGV id, record, name, most. 0: the name is taken; -1: there are as many as may be.
  const insert = define(
    'Insert',
    2,
    `if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[4]) then return -1 end
    if redis.call('HSETNX', KEYS[2], ARGV[3], ARGV[1]) == 0 then return 0 end
    return redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])`,
  )
  // KEYS records, names; ARGV id, record before, record after, name before, name after. 0: the name is taken; -1: changed.
  const swap = define(
    'Swap',
    2,
    `if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return -1 end
    if ARGV[4] ~= ARGV[5] then
      if redis.call('HSETNX', KEYS[2], ARGV[5], ARGV[1]) == 0 then return 0 end
      redis.call('HDEL', KEYS[2], ARGV[4])
    end
    redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
    return 1`,
  )
  // KEYS records, names, history, order, secrets; ARGV id, record, name
  const drop = define(
    'Drop',
    5,
    `if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
    redis.call('HDEL', KEYS[2], ARGV[3])
    redis.call('DEL', KEYS[3], KEYS[4], KEYS[5])
    return redis.call('HDEL', KEYS[1], ARGV[1])`,
  )
  // KEYS records, history, order; ARGV id, entry's id, at, entry, most
  const note = define(
    'Note',
    3,
    `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
    redis.call('HSET', KEYS[2], ARGV[2], ARGV[4])
    redis.call('ZADD', KEYS[3], ARGV[3], ARGV[2])
    local old = redis.call('ZRANGE', KEYS[3], 0, -1 - tonumber(ARGV[5]))
    if #old > 0 then
      redis.call('HDEL', KEYS[2], unpack(old))
      redis.call('ZREM', KEYS[3], unpack(old))
    end
    return 1`,
  )

  // KEYS records, secrets; ARGV id, then names and sealed texts, '' where there is to be none
  const setSecrets = define(
    'Secrets',
    2,
    `if redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
    for i = 2, #ARGV, 2 do
      if ARGV[i + 1] == '' then redis.call('HDEL', KEYS[2], ARGV[i])
      else redis.call('HSET', KEYS[2], ARGV[i], ARGV[i + 1]) end
    end
    return 1`,
  )

  const raw = async (id: string) => (await client.hget(records, id)) ?? undefined

  /** Writes what `change` makes of a record; undefined where there is none. Throws AlreadyExists. */
  async function update(id: string, change: (current: R) => R | Promise<R>): Promise<R | undefined> {
    for (let attempt = 0; attempt < 100; attempt++) {
      const text = await raw(id)
      if (text === undefined) return undefined
      const before = JSON.parse(text) as R
      const after = { ...(await change(structuredClone(before))), id }
      const args = [id, text, JSON.stringify(after), nameOf(before), nameOf(after)]
      const done = await swap(records, names, ...args)
      if (done === 1) return after
      if (done === 0) throw new Refusal('AlreadyExists')
    }
    throw new Refusal('Conflict')
  }

  return {
    /** All of them; `aside` past the requests, for what nobody waits for. */
    async all({ aside = false } = {}): Promise<R[]> {
      const texts = await (aside ? await connection.aside() : client).hvals(records)
      return texts.map((text) => JSON.parse(text) as R)
    },
    async find(id: string): Promise<R | undefined> {
      const text = await raw(id)
      return text === undefined ? undefined : JSON.parse(text)
    },
    /** Throws AlreadyExists for a name that is taken, Conflict where there are enough. */
    async create(record: R): Promise<R> {
      const done = await insert(records, names, record.id, JSON.stringify(record), nameOf(record), most)
      if (done === -1) throw new Refusal('Conflict', `There are ${most} of these already: remove one first.`)
      if (done !== 1) throw new Refusal('AlreadyExists')
      return record
    },
    update,
    /** With its history; what was removed, undefined where there was nothing. */
    async remove(id: string): Promise<R | undefined> {
      for (let attempt = 0; attempt < 100; attempt++) {
        const text = await raw(id)
        if (text === undefined) return undefined
        const record = JSON.parse(text) as R
        const done = await drop(records, names, history(id), order(id), secrets(id), id, text, nameOf(record))
        if (done === 1) return record
      }
      throw new Refusal('Conflict')
    },
    /** Notes an entry, or writes it anew; of more than a hundred the oldest go. */
    async note(id: string, entry: E): Promise<void> {
      await note(records, history(id), order(id), id, entry.id, entry.at, JSON.stringify(entry), mostEntries)
    },
    /** Sets some secrets, sealed, and clears those that are undefined; false where there is no such record. */
    async setSecrets(id: string, changes: Record<string, string | undefined>): Promise<boolean> {
      const args = Object.entries(changes).flatMap(([name, sealed]) => [name, sealed ?? ''])
      return (await setSecrets(records, secrets(id), id, ...args)) === 1
    },
    secrets: (id: string): Promise<Record<string, string>> => client.hgetall(secrets(id)),
    async entry(id: string, entryId: string): Promise<E | undefined> {
      const text = await client.hget(history(id), entryId)
      return text === null ? undefined : JSON.parse(text)
    },
    /** The last ones, the newest first; all hundred unless fewer are wanted. */
    async history(id: string, count = mostEntries): Promise<E[]> {
      const ids = await client.zrange(order(id), 0, String(count - 1), 'REV')
      const texts = ids.length > 0 ? await client.hmget(history(id), ...ids) : []
      return texts.flatMap((text) => (text ? [JSON.parse(text) as E] : []))
    },
  }
}
