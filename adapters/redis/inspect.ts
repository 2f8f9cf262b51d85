import { Redis } from 'ioredis'
import type { Config } from '#src/settings.ts'
import { connect } from './connection.ts'
import type { Health } from './health.ts'
import { inspectServer } from './health.ts'
import { sentinelsOf } from './topology.ts'

/** One server that holds records, as it tells of itself; what it does not tell is undefined. */
export type ServerFacts = Omit<Health, 'warnings'> & {
  at: string
  version: string | undefined
  replicas: number
  /** When its append-only file reaches the disk. */
  fsync: string | undefined
  /** Replicas without which it takes no write. */
  leastReplicas: number | undefined
  diskFault: boolean
  memory: { used: number; limit: number }
  /** Milliseconds that its clock is ahead of ours. */
  ahead: number
}
export type SentinelFacts = { at: string; fault: string | undefined }
export type ClusterFacts = { state: string; slots: number }
export type RedisFacts = {
  servers: ServerFacts[]
  sentinels: SentinelFacts[]
  cluster: ClusterFacts | undefined
}

/** What Redis says of itself, of each server and Sentinel; writes nothing. Throws UpstreamFailure when it does not answer. */
export async function inspectRedis(settings: Config['redis']): Promise<RedisFacts> {
  const silent = { info() {}, warn() {}, error() {} }
  const sentinels = Promise.all(sentinelsOf(settings).map((each) => askSentinel(each, settings)))
  await using connection = await connect(settings, silent, { onRoundTrip() {} })
  const { client } = connection
  const servers = await Promise.all(connection.servers().map(factsOf))
  return {
    servers,
    sentinels: await sentinels,
    cluster: settings.cluster.length > 0 ? clusterIn(String(await client.cluster('INFO'))) : undefined,
  }
}

async function factsOf(server: Redis): Promise<ServerFacts> {
  const sent = Date.now()
  const [seconds = 0, microseconds = 0] = (await server.time()).map(Number)
  const now = (sent + Date.now()) / 2
  const [health, info, fsync, least] = await Promise.all([
    inspectServer(server),
    server.info().catch(() => ''),
    settingOf(server, 'appendfsync'),
    settingOf(server, 'min-replicas-to-write'),
  ])
  const told = (name: string) => new RegExp(`^${name}:(.*?)\r?$`, 'm').exec(info)?.[1]
  const { host, port } = server.options
  return {
    at: `${host}:${port}`,
    persistence: health.persistence,
    eviction: health.eviction,
    diskFault: health.diskFault,
    version: told('redis_version'),
    replicas: Number(told('connected_slaves') ?? 0),
    fsync,
    leastReplicas: least === undefined ? undefined : Number(least),
    memory: { used: Number(told('used_memory') ?? 0), limit: Number(told('maxmemory') ?? 0) },
    ahead: Math.round(seconds * 1000 + microseconds / 1000 - now),
  }
}

/** Managed servers forbid CONFIG. */
async function settingOf(server: Redis, name: string): Promise<string | undefined> {
  const [, value] = (await server.config('GET', name).catch(() => [])) as string[]
  return value
}

async function askSentinel(
  target: ReturnType<typeof sentinelsOf>[number],
  settings: Config['redis'],
): Promise<SentinelFacts> {
  const sentinel = new Redis({
    ...target,
    ...{ connectTimeout: settings.timeout, commandTimeout: settings.timeout },
    ...{ lazyConnect: true, maxRetriesPerRequest: 0, retryStrategy: () => null, disableClientInfo: true },
  })
  sentinel.on('error', () => {})
  const at = `${target.host}:${target.port}`
  try {
    await sentinel.connect()
    // Says OK, or why no failover could happen (NOQUORUM).
    await sentinel.call('SENTINEL', 'CKQUORUM', settings.sentinel_name)
    return { at, fault: undefined }
  } catch (error) {
    return { at, fault: (error as Error).message }
  } finally {
    sentinel.disconnect()
  }
}

function clusterIn(info: string): ClusterFacts {
  const told = (name: string) => new RegExp(`^${name}:(\\S+)`, 'm').exec(info)?.[1]
  return { state: told('cluster_state') ?? 'unknown', slots: Number(told('cluster_slots_ok') ?? 0) }
}
