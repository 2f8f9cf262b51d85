import type { Redis } from 'ioredis'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'

/**
 * Part of a record as a backup has it, all of it text. `values` by type: the one value; field and value in turn; members;
 * member and score in turn; items; `[id, field, value …]` of each entry of a stream. A long record takes several lines, one
 * behind the other; the same key later in a backup begins anew.
 */
export type RecordLine = {
  key: string
  type: RecordType
  values: (string | string[])[]
  /** Milliseconds. */
  expires_at?: number
}
export type RecordType = 'string' | 'hash' | 'set' | 'zset' | 'list' | 'stream'

/**
 * What of the durable families a backup leaves out: counters, locks, the LDAP server in use and messages under way, which
 * are of the moment, and invites, which would open the door again although they were accepted or revoked since. All others
 * are in it. What is not durable (sessions, codes, tokens) lapses or is given anew; the signing keys alone are taken from
 * there.
 */
export const leftOut = [
  'agreement',
  'rate',
  'failures',
  'lock',
  'bus',
  'jobs',
  'channel',
  'invite',
  'restore',
]
/** Leases of who works on the audit log just now. */
const leases = ['reader', 'sealer']
/** Families of few records that refer to each other: read in one transaction. */
const whole = ['access-request', 'directory', 'terms', 'webhook']

const valuesOfLine = 1000

/** The records that a backup holds, while pods go on working: each as it was at one instant. */
export function openCopy(connection: Pick<Connection, 'servers' | 'client'>, keys: Keys) {
  const isLease = leases.map((name) => keys.durable('audit', name))
  const chain = ['checkpoint', 'seals', 'stream'].map((name) => keys.durable('audit', name))
  const [checkpoint = ''] = chain

  async function* ofServer(server: Redis): AsyncGenerator<RecordLine> {
    const own = server.duplicate({ enableAutoPipelining: false })
    own.on('error', () => {}) // told by the command that fails
    try {
      const seen = new Set<string>()
      for await (const page of namesOf(own, `${literally(keys.prefix)}:{*`)) {
        const names = page.filter((name) => {
          const family = familyOf(name)
          if (whole.includes(family)) seen.add(family)
          if (chain.includes(name)) seen.add(name)
          return ![...leftOut, ...whole].includes(family) && !isLease.includes(name) && !chain.includes(name)
        })
        yield* each(own, names)
      }
      yield* theChain(
        own,
        chain.filter((name) => seen.has(name)),
      )
      for (const family of whole) if (seen.has(family)) yield* atOnce(own, family)
    } finally {
      own.disconnect()
    }
  }

  /** Seals before the events they stand for, so that none is without; again when retention passed meanwhile. */
  async function* theChain(own: Redis, names: string[]): AsyncGenerator<RecordLine> {
    if (names.length === 0) return
    for (;;) {
      const before = await own.get(checkpoint)
      yield* each(own, names)
      if ((await own.get(checkpoint)) === before) return
    }
  }

  async function* atOnce(own: Redis, family: string): AsyncGenerator<RecordLine> {
    const pattern = `${literally(keys.durable(family))}*`
    for (;;) {
      const names = await all(own, pattern)
      const lines = await readAll(own, names, await typesOf(own, names), true)
      const later = await all(own, pattern)
      if (later.some((name) => !names.includes(name))) continue
      yield* lines
      return
    }
  }

  async function* signingKeys(): AsyncGenerator<RecordLine> {
    const key = keys.voidable('signing-keys', 'all')
    const values = Object.entries(await connection.client.hgetall(key)).flat()
    if (values.length > 0) yield { key, type: 'hash', values }
  }

  function familyOf(name: string): string {
    return name.slice(keys.prefix.length + 2, name.indexOf('}', keys.prefix.length + 2))
  }

  return {
    async *lines(): AsyncGenerator<RecordLine> {
      for (const server of connection.servers()) yield* ofServer(server)
      yield* signingKeys()
    },
  }
}

/** Streams bit by bit, all else in one go. */
async function* each(own: Redis, names: string[]): AsyncGenerator<RecordLine> {
  const types = await typesOf(own, names)
  yield* await readAll(
    own,
    names.filter((name) => types.get(name) !== 'stream'),
    types,
    false,
  )
  for (const key of names) {
    if (types.get(key) !== 'stream') continue
    for (let after = '-'; ; ) {
      const entries = await own.xrange(key, after, '+', 'COUNT', valuesOfLine)
      if (entries.length > 0) yield { key, type: 'stream', values: entries.map(([id, at]) => [id, ...at]) }
      if (entries.length < valuesOfLine) break
      after = `(${entries.at(-1)?.[0]}`
    }
  }
}

const reads: Record<RecordType, [command: string, ...rest: string[]]> = {
  string: ['GET'],
  hash: ['HGETALL'],
  set: ['SMEMBERS'],
  zset: ['ZRANGE', '0', '-1', 'WITHSCORES'],
  list: ['LRANGE', '0', '-1'],
  stream: ['XRANGE', '-', '+'],
}

async function readAll(own: Redis, names: string[], types: Map<string, RecordType>, together: boolean) {
  const there = names.filter((name) => types.has(name))
  if (there.length === 0) return []
  const sent = together ? own.multi() : own.pipeline()
  for (const key of there) {
    const [command, ...rest] = reads[types.get(key) as RecordType]
    sent.call(command, key, ...rest).pttl(key)
  }
  const answers = answersOf(await sent.exec())
  return there.flatMap((key, at) =>
    linesOf(key, types.get(key) as RecordType, answers[2 * at], Number(answers[2 * at + 1])),
  )
}

function linesOf(key: string, type: RecordType, answer: unknown, pttl: number): RecordLine[] {
  const values =
    type === 'stream' ? (answer as [string, string[]][]).map(([id, at]) => [id, ...at]) : flat(answer)
  const expires = pttl > 0 ? { expires_at: Date.now() + pttl } : {}
  const lines: RecordLine[] = []
  for (let at = 0; at < values.length; at += valuesOfLine)
    lines.push({ key, type, values: values.slice(at, at + valuesOfLine), ...expires })
  return lines
}

/** Pairs come as a map or nested, as the protocol's version has it, and scores as numbers. */
function flat(answer: unknown): string[] {
  if (answer === null || answer === undefined) return []
  if (Array.isArray(answer)) return answer.flatMap(flat)
  return typeof answer === 'object' ? Object.entries(answer).flat() : [String(answer)]
}

/** Those that are not there any more have none. */
async function typesOf(own: Redis, names: string[]): Promise<Map<string, RecordType>> {
  const asked = own.pipeline()
  for (const name of names) asked.type(name)
  const answers = names.length > 0 ? answersOf(await asked.exec()) : []
  return new Map(
    names.flatMap((name, at) => (answers[at] === 'none' ? [] : [[name, answers[at] as RecordType]])),
  )
}

function answersOf(results: [Error | null, unknown][] | null): unknown[] {
  if (!results) throw new Error('Redis gave up a transaction')
  return results.map(([error, answer]) => {
    if (error) throw error
    return answer
  })
}

async function all(own: Redis, pattern: string): Promise<string[]> {
  const names = new Set<string>()
  for await (const page of namesOf(own, pattern)) for (const name of page) names.add(name)
  return [...names]
}

/** As a pattern that matches itself alone. */
export function literally(name: string): string {
  return name.replace(/[*?[\]\\]/g, '\\$&')
}

/** A page may name again what one before it named. */
export async function* namesOf(server: Pick<Redis, 'scan'>, pattern: string): AsyncGenerator<string[]> {
  for (let cursor = '0'; ; ) {
    const [next, page] = await server.scan(cursor, 'MATCH', pattern, 'COUNT', 1000)
    yield page
    if (next === '0') return
    cursor = next
  }
}
