import type { ClusterOptions, CommonRedisOptions, RedisOptions } from 'ioredis'
import { Cluster, Redis } from 'ioredis'
import type { Config } from '#src/settings.ts'
import { enroll, insteadOf } from './failover.ts'

/** The client of the configured topology. It never gives up reconnecting, and sends no command a second time. */
export function open(
  settings: Config['redis'],
  extra: Pick<CommonRedisOptions, 'enableAutoPipelining'>,
): Redis | Cluster {
  return make(settings, { ...common(settings), maxRetriesPerRequest: 0 }, { ...extra, maxRedirections: 4 })
}

/**
 * A client that waits for Redis as long as it takes, for work that nobody waits for: what was under way when the
 * connection broke is sent again. `blocking`: for commands that Redis itself answers late.
 */
export function openPatient(settings: Config['redis'], { blocking }: { blocking: boolean }): Redis | Cluster {
  const { commandTimeout: _, socketTimeout, ...options } = common(settings)
  const patient = { ...options, maxRetriesPerRequest: null, autoResendUnfulfilledCommands: true }
  return make(
    settings,
    { ...patient, ...(blocking || socketTimeout === undefined ? {} : { socketTimeout }) },
    {},
  )
}

function make(
  settings: Config['redis'],
  options: CommonRedisOptions,
  extra: Pick<ClusterOptions, 'enableAutoPipelining' | 'maxRedirections'>,
): Redis | Cluster {
  const { maxRedirections, ...both } = extra
  if (settings.cluster.length === 0)
    return enroll(settings, new Redis({ ...options, ...target(settings), ...both, retryStrategy: pause }))
  const { maxRetriesPerRequest: _, ...redisOptions } = options
  const cluster: ClusterOptions = {
    ...both,
    ...(maxRedirections ? { maxRedirections } : {}),
    clusterRetryStrategy: pause,
    slotsRefreshTimeout: settings.timeout,
    redisOptions,
  }
  const client = new Cluster(settings.cluster.map(address), cluster)
  // Not by `slotsRefreshInterval`: a client that ends during such a look would go on looking, and the process never end.
  const looking = setInterval(() => client.refreshSlotsCache(), slotsMilliseconds).unref()
  client.once('end', () => clearInterval(looking))
  return client
}

/** A connection that only listens. On Cluster every node hears every message, so any node that answers will do. */
export function openListener(settings: Config['redis']): Redis {
  const nodes = settings.cluster.map(address)
  const options = { ...common(settings), ...(nodes[0] ?? target(settings)) }
  const listener: Redis = new Redis({
    ...options,
    maxRetriesPerRequest: 0,
    // The bus subscribes at each `ready`. ioredis would too, and nobody would hear of its failure: that ends the process.
    autoResubscribe: false,
    retryStrategy(times) {
      if (nodes.length > 0) Object.assign(listener.options, nodes[times % nodes.length])
      return pause(times)
    },
  })
  return enroll(settings, listener)
}

function common(settings: Config['redis']): CommonRedisOptions & Pick<RedisOptions, 'tls'> {
  const { username, password, protocol } = new URL(settings.url)
  return {
    ...(username ? { username: decodeURIComponent(username) } : {}),
    ...(password ? { password: decodeURIComponent(password) } : {}),
    ...(protocol === 'rediss:' ? { tls: {} } : {}),
    connectTimeout: settings.timeout,
    commandTimeout: Math.ceil(settings.timeout / 2),
    socketTimeout: settings.timeout,
    autoResendUnfulfilledCommands: false,
    reconnectOnError: (error) => error.message.startsWith('READONLY'), // the primary became a replica
    disableClientInfo: true,
  }
}

/** Where a single server or the Sentinels are. A Sentinel may be written `redis://:password@host:port`. */
function target(settings: Config['redis']): RedisOptions {
  const { hostname, port, pathname, protocol } = new URL(settings.url)
  const db = Number(pathname.slice(1)) || 0
  if (settings.sentinels.length === 0) return { host: unbracket(hostname), port: Number(port) || 6379, db }
  const password = sentinelPassword(settings)
  const tls = protocol === 'rediss:'
  return {
    sentinels: settings.sentinels.map(address),
    name: settings.sentinel_name,
    natMap: (address) => insteadOf(settings, address),
    db,
    ...(password ? { sentinelPassword: password } : {}),
    ...(tls ? { sentinelTLS: {}, enableTLSForSentinelMode: true } : {}),
    sentinelCommandTimeout: settings.timeout,
    sentinelRetryStrategy: pause,
  }
}

/** How each Sentinel is spoken to by itself. */
export function sentinelsOf(settings: Config['redis']) {
  const password = sentinelPassword(settings)
  const tls = new URL(settings.url).protocol === 'rediss:'
  return settings.sentinels.map((each) => ({
    ...address(each),
    ...(password ? { password } : {}),
    ...(tls ? { tls: {} } : {}),
  }))
}

function sentinelPassword(settings: Config['redis']): string {
  return decodeURIComponent(new URL(absolute(settings.sentinels[0] ?? 'none')).password)
}

function address(node: string): { host: string; port: number } {
  const { hostname, port } = new URL(absolute(node))
  return { host: unbracket(hostname), port: Number(port) || 6379 }
}
const absolute = (node: string) => (node.includes('://') ? node : `redis://${node}`)
const unbracket = (host: string) => host.replace(/^\[|\]$/g, '')
const slotsMilliseconds = 10_000
const pause = (times: number) => Math.min(50 * times, 300)
