import { randomUUID } from 'node:crypto'
import type { AuditRecord } from './audit.ts'
import type { LogEntry } from './audit-seals.ts'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'

const batch = 200
const leaseMilliseconds = 10_000

export type Reading = {
  /** The id after which somebody wants to know, `undefined` while nobody does. */
  from(): Promise<string | undefined>
  /** Is given each event at least once and in order; again after it threw, or when its pod died. */
  handle(events: AuditRecord[]): Promise<void>
}

/**
 * Reads the audit log from where it was left, on one pod at a time: the cursor lies in Redis beside the log, and moves only
 * after the events before it were handled. A lease spares the others the work; should two read at once (it lapsed), both
 * handle the same events and one moves the cursor. Past the requests, on a connection beside theirs.
 */
export function openAuditReader(
  connection: Connection,
  keys: Keys,
  { stream, record }: { stream: string; record(entry: LogEntry): AuditRecord },
) {
  const cursor = keys.durable('audit', 'cursor')
  const lease = keys.durable('audit', 'reader')
  const pod = randomUUID()

  return {
    /** Reads on until there is nothing more, unless another pod is at it; ends soon once `stopped`. */
    async turn({ from, handle }: Reading, stopped: () => boolean): Promise<void> {
      const client = await connection.aside()
      const mine = await client.set(lease, pod, 'PX', leaseMilliseconds, 'NX')
      if (!mine && (await client.get(lease)) !== pod) return
      const start = await from()
      if (start === undefined) return
      while (!stopped()) {
        await client.pexpire(lease, leaseMilliseconds)
        const left = (await client.get(cursor)) ?? ''
        const entries = await client.xrange(stream, `(${later(left, start)}`, '+', 'COUNT', batch)
        if (entries.length === 0) return
        await handle(entries.map(record))
        if (!(await client.eval(moveLua, 1, cursor, left, entries.at(-1)?.[0] ?? ''))) return
      }
    },
    /** The id of the newest event: what comes after it comes from now on. */
    async newest(): Promise<string> {
      const [entry] = await connection.client.xrevrange(stream, '+', '-', 'COUNT', 1)
      return entry?.[0] ?? '0-0'
    },
    async find(id: string): Promise<AuditRecord | undefined> {
      const [entry] = await connection.client.xrange(stream, id, id)
      return entry && record(entry)
    },
  }
}

/** Ids are `<milliseconds>-<number>`. */
function later(a: string, b: string): string {
  const [atA = 0, nthA = 0] = a.split('-').map(Number)
  const [atB = 0, nthB = 0] = b.split('-').map(Number)
  return atA > atB || (atA === atB && nthA >= nthB) ? a : b
}

/** KEYS cursor; ARGV where it was, where it goes. */
const moveLua = `
if (redis.call('GET', KEYS[1]) or '') ~= ARGV[1] then return 0 end
redis.call('SET', KEYS[1], ARGV[2])
return 1`
