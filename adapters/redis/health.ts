import type { Client, Connection, Log } from './connection.ts'
import { refuse } from './connection.ts'
import type { Keys } from './keys.ts'

export type Health = {
  persistence: 'append-only file' | 'snapshots' | 'off' | 'unknown'
  /** Redis's `maxmemory-policy`. */
  eviction: string
  warnings: string[]
}
/** Of one server. */
export type Inspected = Health & {
  /** It could not write to its disk. */
  diskFault: boolean
}

const inspectMilliseconds = 30_000

/**
 * Whether Redis answers (else UpstreamFailure), and whether it could lose records; of a Cluster, the worst of its primaries.
 * Where a server does not tell (managed ones forbid CONFIG) the answer is `unknown`, without a warning.
 */
export function openHealth({ client, servers }: Connection, keys: Keys, log: Log) {
  let known: { at: number; health: Health } | undefined
  const warned = new Set<string>()

  async function inspect(): Promise<Health> {
    const all = await Promise.all(servers().map(inspectServer)).catch(refuse)
    const worst = all.reduce((a, b) => (b.warnings.length > a.warnings.length ? b : a))
    const { persistence, eviction } = worst
    return { persistence, eviction, warnings: [...new Set(all.flatMap(({ warnings }) => warnings))] }
  }

  return async function health(): Promise<Health> {
    // Not PING, which a Cluster that is down answers as well.
    await client.exists(keys.durable('bus'))
    if (known && Date.now() - known.at < inspectMilliseconds) return known.health
    const health = await inspect()
    known = { at: Date.now(), health }
    for (const warning of health.warnings) if (!warned.has(warning)) log.warn(warning)
    for (const warning of health.warnings) warned.add(warning)
    return health
  }
}

/** What a server tells of itself: one that does not answer throws, one that keeps its settings to itself does not. */
export async function inspectServer(server: Client): Promise<Inspected> {
  const [info, save, policy] = await Promise.all([
    server.info().catch(told),
    server.config('GET', 'save').then(settingOf, told),
    server.config('GET', 'maxmemory-policy').then(settingOf, told),
  ])
  const persistence = persistenceOf(info ?? '', save)
  const eviction = policy ?? /^maxmemory_policy:(\S+)/m.exec(info ?? '')?.[1] ?? 'unknown'
  const losing = eviction !== 'noeviction' && eviction !== 'unknown'
  const diskFault = /^(aof_last_write_status|rdb_last_bgsave_status):err/m.test(info ?? '')
  return {
    persistence,
    eviction,
    diskFault,
    warnings: [
      ...(persistence === 'off'
        ? ['Redis keeps nothing on disk: a restart of Redis loses every record.']
        : []),
      ...(persistence === 'snapshots'
        ? ['Redis writes snapshots only: a crash of Redis loses the last minutes. Set appendonly yes.']
        : []),
      ...(losing
        ? [`Redis may drop records when memory is short (maxmemory-policy ${eviction}). Set noeviction.`]
        : []),
      ...(diskFault ? ['Redis could not write to its disk the last time it tried.'] : []),
    ],
  }
}

function persistenceOf(info: string, save: string | undefined): Health['persistence'] {
  const appendOnly = /^aof_enabled:([01])/m.exec(info)?.[1]
  if (appendOnly === '1') return 'append-only file'
  if (appendOnly === undefined || save === undefined) return 'unknown'
  return save === '' ? 'off' : 'snapshots'
}

function settingOf(answer: unknown): string {
  return String((answer as string[])[1] ?? '')
}

/** A server that answers, but not this. One that does not answer is no matter of permissions. */
function told(error: Error): undefined {
  if (error.name !== 'ReplyError') throw error
}
