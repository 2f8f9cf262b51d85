import type { Action } from '#src/audit/actions.ts'
import { openAuditReader } from './audit-reader.ts'
import type { LogEntry } from './audit-seals.ts'
import { openAuditSeals } from './audit-seals.ts'
import type { Connection, Log } from './connection.ts'
import type { Keys } from './keys.ts'
import { defineScript } from './script.ts'

/** An event of the audit log (contract section 12), without what Redis gives it. No secret ever stands in one. */
export type AuditEvent = {
  actor: string
  action: string
  target: string
  outcome: string
  address: string
  detail?: Record<string, unknown>
  /** Id of the personal access token by which the actor did it. */
  api_token?: string
}
/** `id` is the stream's own, in order of time; `at` its milliseconds. */
export type AuditRecord = AuditEvent & { id: string; at: number }
/** Names are compared without case; `since` and `until` are milliseconds, both included. */
export type AuditFilter = Partial<Pick<AuditEvent, 'actor' | 'action' | 'target' | 'outcome'>> & {
  since?: number
  until?: number
}
/** The newest first (`desc`) unless it is said otherwise. */
export type Order = 'asc' | 'desc'
/** `next` is the `from` of the page that follows; absent at the end. */
export type AuditPage = { events: AuditRecord[]; next?: string }

const indexed = ['actor', 'action', 'target'] as const
type Indexed = (typeof indexed)[number]

/** How many events one answer looks at, at most: a page of rare ones may be short and still have a next. */
const chunk = 500
const chunksOfPage = 20

/**
 * The audit log: a durable stream that only grows, beside it one of bare ids for each actor, action and target, written
 * in the same step. Appending does not hold up the request; an event that Redis did not take stands in the service's
 * own log as an error, whole, so that none is lost without a trace.
 */
export function openAudit(connection: Connection, keys: Keys, log: Log) {
  const { client } = connection
  const stream = keys.durable('audit', 'stream')
  const seals = openAuditSeals(connection, keys, {
    stream,
    indexesOf: (entry) => {
      const event = record(entry)
      return indexed.flatMap((by) => indexOf(by, event[by]) ?? [])
    },
  })
  const reader = openAuditReader(connection, keys, { stream, record })
  const underWay = new Set<Promise<void>>()
  const store = defineScript(connection, 'auditAppend', {
    keys: 1 + indexed.length,
    lua: appendLua,
    durable: true,
  })
  /** The ids of an actor, action or target; what has no name has no index. */
  const indexOf = (by: Indexed, name: string | undefined) =>
    name ? keys.durable('audit', by, name.toLowerCase()) : undefined

  /** At most `count` ids or events of a stream beyond `from`. */
  function stretch(
    key: string,
    { since, until }: AuditFilter,
    { from, order = 'desc' }: { from?: string | undefined; order?: Order },
    count: number,
  ) {
    const beyond = from === undefined ? undefined : `(${from}`
    return order === 'asc'
      ? client.xrange(key, beyond ?? since ?? '-', until ?? '+', 'COUNT', count)
      : client.xrevrange(key, beyond ?? until ?? '+', since ?? '-', 'COUNT', count)
  }

  /** The events of these ids, in one flush. */
  async function eventsOf(ids: string[]): Promise<AuditRecord[]> {
    const found = await Promise.all(ids.map((id) => client.xrange(stream, id, id)))
    return found.flatMap((entries) => entries.map(record))
  }

  /** The shortest stream that holds all that the filter lets through. */
  async function sourceFor(filter: AuditFilter): Promise<string> {
    const sources = indexed.flatMap((by) => indexOf(by, filter[by]) ?? [])
    if (sources.length < 2) return sources[0] ?? stream
    const lengths = await Promise.all(sources.map((source) => client.xlen(source)))
    return sources[lengths.indexOf(Math.min(...lengths))] as string
  }

  return {
    seals,
    reader,
    append(event: AuditEvent & { action: Action }): void {
      const indexes = indexed.map((by) => indexOf(by, event[by]) ?? stream)
      const appended = store(stream, ...indexes, JSON.stringify(event)).then(
        () => {},
        (error) => log.error({ err: error, event }, 'an audit event was not stored'),
      )
      underWay.add(appended)
      appended.finally(() => underWay.delete(appended))
    },
    /** Events after that one (from the first on), in order. */
    async read({ after, limit = 1000 }: { after?: string; limit?: number } = {}): Promise<AuditRecord[]> {
      const entries = await client.xrange(stream, after ? `(${after}` : '-', '+', 'COUNT', limit)
      return entries.map(record)
    },
    /** At most `limit` events, and no more than ten thousand looked at: time is bounded, however rare they are. */
    async page(
      filter: AuditFilter,
      { limit, from, order = 'desc' }: { limit: number; from?: string; order?: Order },
    ): Promise<AuditPage> {
      const source = await sourceFor(filter)
      const events: AuditRecord[] = []
      let last = from
      for (let chunks = 0; chunks < chunksOfPage; chunks++) {
        const entries = await stretch(source, filter, { from: last, order }, chunk)
        const found = source === stream ? entries.map(record) : await eventsOf(entries.map(([id]) => id))
        for (const event of found) {
          if (!passes(filter, event)) continue
          if (events.length === limit) return { events, next: events.at(-1)?.id as string }
          events.push(event)
        }
        if (entries.length < chunk) return { events }
        last = entries.at(-1)?.[0] as string
      }
      return { events, next: last as string }
    },
    /** What somebody did and what was done to them, since a time. */
    async about(
      name: string,
      since: number,
      { limit, from }: { limit: number; from?: string },
    ): Promise<AuditPage> {
      const streams = (['actor', 'target'] as const).flatMap((by) => indexOf(by, name) ?? [])
      const found = await Promise.all(streams.map((key) => stretch(key, { since }, { from }, limit + 1)))
      const ids = [...new Set(found.flat().map(([id]) => id))].sort(newestFirst)
      const events = await eventsOf(ids.slice(0, limit))
      return ids.length > limit ? { events, next: ids[limit - 1] as string } : { events }
    },
    /** Resolves when all events appended so far are stored or logged. */
    async settled(): Promise<void> {
      await Promise.all(underWay)
    },
  }
}

function record([id, fields]: LogEntry): AuditRecord {
  return { id, at: Number.parseInt(id, 10), ...JSON.parse(fields[1] as string) }
}

function passes(filter: AuditFilter, event: AuditRecord): boolean {
  const same = (wanted: string | undefined, is: string) =>
    wanted === undefined || wanted.toLowerCase() === is.toLowerCase()
  return (['actor', 'action', 'target', 'outcome'] as const).every((by) => same(filter[by], event[by]))
}

/** Ids are `<milliseconds>-<number>`. */
function newestFirst(a: string, b: string): number {
  const [atA = 0, nthA = 0] = a.split('-').map(Number)
  const [atB = 0, nthB = 0] = b.split('-').map(Number)
  return atB - atA || nthB - nthA
}

/** KEYS the stream, then its indexes, the stream again where there is none; ARGV the event. */
const appendLua = `
local id = redis.call('XADD', KEYS[1], '*', 'event', ARGV[1])
for at = 2, #KEYS do
  if KEYS[at] ~= KEYS[1] then redis.call('XADD', KEYS[at], id, '', '') end
end
return id`
