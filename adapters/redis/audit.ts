import type { Connection, Log } from './connection.ts'
import type { Keys } from './keys.ts'

/** An event of the audit log (contract section 12), without what Redis gives it. No secret ever stands in one. */
export type AuditEvent = {
  actor: string
  action: string
  target: string
  outcome: string
  address: string
  detail?: Record<string, unknown>
}
/** `id` is the stream's own, in order of time; `at` its milliseconds. */
export type AuditRecord = AuditEvent & { id: string; at: number }

/**
 * The audit log: a durable stream that only grows. Appending does not hold up the request; an event that Redis did not
 * take stands in the service's own log as an error, whole, so that none is lost without a trace.
 */
export function openAudit({ client, durably }: Connection, keys: Keys, log: Log) {
  const stream = keys.durable('audit', 'stream')
  const underWay = new Set<Promise<void>>()

  return {
    append(event: AuditEvent): void {
      const appended = durably('xadd', stream, '*', 'event', JSON.stringify(event)).then(
        () => {},
        (error) => log.error({ err: error, event }, 'an audit event was not stored'),
      )
      underWay.add(appended)
      appended.finally(() => underWay.delete(appended))
    },
    /** Events after that one (from the first on), in order. */
    async read({ after, limit = 1000 }: { after?: string; limit?: number } = {}): Promise<AuditRecord[]> {
      const entries = await client.xrange(stream, after ? `(${after}` : '-', '+', 'COUNT', limit)
      return entries.map(([id, fields]) => ({
        id,
        at: Number.parseInt(id, 10),
        ...JSON.parse(fields[1] as string),
      }))
    },
    /** Resolves when all events appended so far are stored or logged. */
    async settled(): Promise<void> {
      await Promise.all(underWay)
    },
  }
}
