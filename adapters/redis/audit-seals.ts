/**
 * The chain over the audit log (contract section 12). A seal stands for the events since the seal before it: how many,
 * their digest, and an HMAC over that and over the seal before. Whoever changes, removes or adds an event afterwards, or
 * takes a seal out of the chain, is found by `verify`; without the key no seal can be made.
 *
 * All keys lie in one slot with the log. Any pod may seal: the step that appends a seal compares the one before, so that
 * two pods make one chain, and a lease spares the others the work.
 */
import { createHash, randomUUID } from 'node:crypto'
import { sealedChain } from './audit-reseal.ts'
import type { Signer } from './audit-signer.ts'
import { signerOf } from './audit-signer.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'

/** `first` and `last` are ids of the log, `before` the MAC of the seal before; `key` says which key made `mac`. */
export type Seal = {
  number: number
  first: string
  last: string
  count: number
  digest: string
  before: string
  key: string
  mac: string
}
/**
 * What a walk over the chain found: sealed batches and events from number `from` on, and events younger than the last
 * seal. `fault` is the first thing that is wrong.
 */
export type Verdict = {
  from: number
  seals: number
  events: number
  unsealed: number
  /** MAC of the newest good seal: whoever noted it down earlier can tell that the end was cut off. */
  newest: string
  fault?: string
}
/** Where the next seal follows on. */
type Place = Pick<Seal, 'number' | 'last' | 'mac'>
export type LogEntry = [id: string, fields: string[]]

const batch = 1000
const leaseMilliseconds = 10_000
const beginning = { number: 0, last: '', mac: '' }

export function openAuditSeals(
  connection: Connection,
  keys: Keys,
  { stream, indexesOf }: { stream: string; indexesOf(entry: LogEntry): string[] },
) {
  const chain = keys.durable('audit', 'seals')
  const checkpoint = keys.durable('audit', 'checkpoint')
  const lease = keys.durable('audit', 'sealer')
  const pod = randomUUID()
  const ours = signerOf(keys.sealing)
  const own = connection.aside

  /** The newest seal of all, or what stands before the first. */
  async function latest(): Promise<Place> {
    const client = await own()
    const [[newest], kept] = await Promise.all([
      client.xrevrange(chain, '+', '-', 'COUNT', 1),
      client.get(checkpoint),
    ])
    return newest ? sealOf(newest) : kept ? (JSON.parse(kept) as Seal) : beginning
  }
  const eventsAfter = async (id: string, count: number, upTo = '+'): Promise<LogEntry[]> =>
    (await own()).xrange(stream, id ? `(${id}` : '-', upTo, 'COUNT', count)

  /** Seals the next batch; answers how many events it has, 0 also when another pod was first. */
  async function sealNext(): Promise<number> {
    const previous = await latest()
    const found = await eventsAfter(previous.last, batch)
    if (found.length === 0) return 0
    const plain = {
      number: previous.number + 1,
      first: found[0]?.[0] ?? '',
      last: found.at(-1)?.[0] ?? '',
      count: found.length,
      digest: digestOf(found),
      before: previous.mac,
    }
    const seal: Seal = ours.sign(plain)
    const client = await own()
    const done = await client.eval(appendLua, 2, chain, checkpoint, previous.mac, JSON.stringify(seal))
    return done ? found.length : 0
  }

  async function faultOf(seal: Seal, previous: Place, signer: Signer) {
    const name = `seal ${seal.number}`
    const forgery = signer.forged(seal)
    if (forgery) return forgery
    if (seal.number !== previous.number + 1 || seal.before !== previous.mac)
      return `${name} does not follow on seal ${previous.number}`
    const found = await eventsAfter(previous.last, seal.count + 1, seal.last)
    if (found.length < seal.count) return `${name}: events are missing`
    if (found.length > seal.count) return `${name}: there are events that were not sealed`
    return digestOf(found) === seal.digest ? undefined : `${name}: events were changed`
  }

  /** Seals from the oldest on, or from that after one, by its id in the chain. */
  async function* seals(after = ''): AsyncGenerator<{ id: string; seal: Seal }> {
    const client = await own()
    for (;;) {
      const entries = await client.xrange(chain, after ? `(${after}` : '-', '+', 'COUNT', 100)
      for (const entry of entries) yield { id: entry[0], seal: sealOf(entry) }
      if (entries.length < 100) return
      after = entries.at(-1)?.[0] ?? ''
    }
  }

  /** `after` is the id in the chain of `from`; with `most`, what is not sealed is left out unless the end was reached. */
  async function walk(
    from: Seal | undefined,
    signer: Signer,
    { after = '', most = Number.POSITIVE_INFINITY }: { after?: string; most?: number } = {},
  ): Promise<Verdict & { next?: string }> {
    let previous: Place = from ?? beginning
    const verdict: Verdict = {
      from: previous.number + 1,
      seals: 0,
      events: 0,
      unsealed: 0,
      newest: previous.mac,
    }
    const forgery = from && signer.forged(from)
    if (forgery) return { ...verdict, fault: forgery }
    let last = after
    for await (const { id, seal } of seals(after)) {
      if (verdict.seals === most) return { ...verdict, next: last }
      const fault = await faultOf(seal, previous, signer)
      if (fault) return { ...verdict, fault }
      last = id
      verdict.seals += 1
      verdict.events += seal.count
      verdict.newest = seal.mac
      previous = seal
    }
    for (let after = previous.last; ; ) {
      const found = await eventsAfter(after, batch)
      verdict.unsealed += found.length
      if (found.length < batch) return verdict
      after = found.at(-1)?.[0] ?? ''
    }
  }

  async function verify(signer = ours): Promise<Verdict> {
    for (;;) {
      const kept = await (await own()).get(checkpoint)
      const verdict = await walk(kept ? (JSON.parse(kept) as Seal) : undefined, signer)
      if (!verdict.fault || (await (await own()).get(checkpoint)) === kept) return verdict
    }
  }

  /** A part of that walk: `most` seals after one, by its id in the chain. Undefined where retention took that seal. */
  async function part({ after, most }: { after?: string | undefined; most: number }) {
    const client = await own()
    for (;;) {
      const [[entry], kept] = await Promise.all([
        after ? client.xrange(chain, after, after) : [],
        client.get(checkpoint),
      ])
      if (after && !entry) return undefined
      const from = entry ? sealOf(entry) : kept ? (JSON.parse(kept) as Seal) : undefined
      const verdict = await walk(from, ours, { ...(after ? { after } : {}), most })
      // Retention may have taken events from under a walk: then it found a fault that is none.
      if (!verdict.fault || (await client.get(checkpoint)) === kept)
        return { ...verdict, of: (await latest()).number }
    }
  }

  return {
    part,
    sealed: sealedChain(connection, keys, { chain, checkpoint, verify }),
    /** Seals what is not sealed yet, unless another pod is at it. */
    async seal(): Promise<void> {
      const client = await own()
      const mine = await client.set(lease, pod, 'PX', leaseMilliseconds, 'NX')
      if (!mine && (await client.get(lease)) !== pod) return
      do await client.pexpire(lease, leaseMilliseconds)
      while ((await sealNext()) === batch)
    },

    /**
     * Removes whole sealed batches whose last event is older than `before` (milliseconds), each in one step with its
     * index entries and its seal, which stays as the checkpoint that verification starts from.
     */
    async trim(before: number): Promise<void> {
      const client = await own()
      for await (const { id, seal } of seals()) {
        if (Number.parseInt(seal.last, 10) >= before) return
        const found = await client.xrange(stream, '-', seal.last)
        const indexes = [...new Set(found.flatMap(indexesOf))]
        const names = [stream, chain, checkpoint, ...indexes]
        await client.eval(trimLua, names.length, ...names, afterId(seal.last), id, JSON.stringify(seal))
      }
    },

    /** Walks the whole chain, from the checkpoint if retention left one; again, should retention pass meanwhile. */
    verify,
  }
}

function sealOf([, fields]: LogEntry): Seal {
  return JSON.parse(fields[1] as string)
}

/** Over ids and events as they stand. */
function digestOf(entries: LogEntry[]): string {
  const hash = createHash('sha256')
  for (const [id, [, event = '']] of entries) hash.update(JSON.stringify([id, event]))
  return hash.digest('base64url')
}

/** The smallest id above. */
function afterId(id: string): string {
  const [milliseconds, nth] = id.split('-')
  return `${milliseconds}-${Number(nth) + 1}`
}

/** KEYS chain, checkpoint; ARGV the MAC it is to follow on, the seal. */
const appendLua = `
local newest = redis.call('XREVRANGE', KEYS[1], '+', '-', 'COUNT', 1)[1]
local kept = newest and newest[2][2] or redis.call('GET', KEYS[2])
local mac = kept and cjson.decode(kept).mac or ''
if mac ~= ARGV[1] then return 0 end
redis.call('XADD', KEYS[1], '*', 'seal', ARGV[2])
return 1`

/** KEYS log, chain, checkpoint, indexes; ARGV the oldest id that stays, the seal's id in the chain, the seal. */
const trimLua = `
if redis.call('XDEL', KEYS[2], ARGV[2]) == 0 then return 0 end
redis.call('SET', KEYS[3], ARGV[3])
redis.call('XTRIM', KEYS[1], 'MINID', ARGV[1])
for at = 4, #KEYS do
  redis.call('XTRIM', KEYS[at], 'MINID', ARGV[1])
  if redis.call('XLEN', KEYS[at]) == 0 then redis.call('DEL', KEYS[at]) end
end
return 1`
