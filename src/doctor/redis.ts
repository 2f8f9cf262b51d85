import type { Inspection } from '#src/connect.ts'
import type { Config } from '#src/settings.ts'
import { clockFinding } from './clocks.ts'
import type { Check } from './findings.ts'
import { error, note, ok, reasonOf, warning } from './findings.ts'

type Facts = Awaited<ReturnType<Inspection['redis']>>
type Server = Facts['servers'][number]

const oldest = [6, 2]
const slots = 16_384

export function redisCheck(config: Config, { redis }: Pick<Inspection, 'redis'>): Check {
  return {
    name: 'Redis',
    run: async () => {
      const facts = await redis().catch((cause) => cause as Error)
      if (facts instanceof Error)
        return [
          error(
            `does not answer: ${reasonOf(facts)}`,
            'Without Redis nobody signs in, and every request is answered 502.',
            'Start it, or mend app_redis__* (address, password, Sentinels, Cluster).',
          ),
        ]
      return [
        ...facts.servers.flatMap((server) => serverFindings(server, config.redis)),
        ...sentinelFindings(facts, config.redis),
        ...clusterFindings(facts),
      ]
    },
  }
}

function serverFindings(server: Server, { replicas: wanted, sentinels }: Config['redis']) {
  const { at, version, persistence, eviction, fsync, replicas, leastReplicas, memory, diskFault } = server
  return [
    versionFinding(at, version),
    persistenceFinding(at, persistence),
    eviction === 'noeviction' || eviction === 'unknown'
      ? ok(`${at} evicts nothing (${eviction})`)
      : error(
          `${at} may drop records when memory is short (maxmemory-policy ${eviction})`,
          'Applications, audit events, sessions and revocations vanish without a word.',
          'CONFIG SET maxmemory-policy noeviction, and write it into redis.conf.',
        ),
    ...(fsync === 'no' && persistence === 'append-only file'
      ? [
          warning(
            `${at} leaves it to the system when its append-only file reaches the disk (appendfsync no)`,
            'A power cut loses the last half minute of acknowledged writes.',
            'Set appendfsync everysec (a second may be lost) or always.',
          ),
        ]
      : []),
    ...(diskFault
      ? [
          error(
            `${at} could not write to its disk the last time it tried`,
            'It refuses writes, or will lose them at its next restart.',
            'Make room on the disk and look into Redis’s log.',
          ),
        ]
      : []),
    ...(memory.limit > 0 && memory.used > 0.8 * memory.limit
      ? [
          warning(
            `${at} uses ${Math.round((100 * memory.used) / memory.limit)} % of its maxmemory`,
            'When it is full, every write is refused: nobody signs in.',
            'Raise maxmemory, or shorten app_audit__retention_days.',
          ),
        ]
      : []),
    ...(replicas < wanted
      ? [
          error(
            `${at} has ${replicas} replicas, and durable writes wait for ${wanted} (app_redis__replicas)`,
            'Each waits until it gives up, and lies on one server alone.',
            'Bring the replicas back, or lower app_redis__replicas.',
          ),
        ]
      : [ok(`${at} has ${replicas} replicas`)]),
    ...(sentinels.length > 0 && replicas === 0
      ? [
          error(
            `${at} has no replica that the Sentinels could promote`,
            'When it is lost, so are all records since the last backup.',
            'Start a replica (replicaof) and see that it follows.',
          ),
        ]
      : []),
    ...(sentinels.length > 0 && leastReplicas === 0
      ? [
          warning(
            `${at} takes writes without any replica (min-replicas-to-write 0)`,
            'A primary that is cut off goes on taking writes, which are lost when it comes back as a replica.',
            'Set min-replicas-to-write 1 and min-replicas-max-lag 10 on all servers.',
          ),
        ]
      : []),
    clockFinding(`Redis ${at}`, server.ahead),
  ]
}

function versionFinding(at: string, version = '') {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [leastMajor = 0, leastMinor = 0] = oldest
  if (!version)
    return note(`${at} does not tell its version`, 'It may be too old.', `Use ${oldest.join('.')} or later.`)
  return major > leastMajor || (major === leastMajor && minor >= leastMinor)
    ? ok(`${at} is Redis ${version}`)
    : error(
        `${at} is Redis ${version}`,
        'Commands that the service sends are not there.',
        `Upgrade to ${oldest.join('.')} or later.`,
      )
}

function persistenceFinding(at: string, persistence: Server['persistence']) {
  const fix = 'CONFIG SET appendonly yes, and write it into redis.conf.'
  if (persistence === 'off')
    return error(`${at} keeps nothing on disk`, 'A restart of Redis loses every record.', fix)
  if (persistence === 'snapshots')
    return warning(`${at} writes snapshots only`, 'A crash of Redis loses the last minutes.', fix)
  if (persistence === 'unknown')
    return note(
      `${at} does not tell how it keeps its records`,
      'It may lose them.',
      'Ask its provider for an append-only file.',
    )
  return ok(`${at} keeps an append-only file`)
}

function sentinelFindings({ sentinels }: Facts, { sentinel_name }: Config['redis']) {
  if (sentinels.length === 0) return []
  return [
    ...sentinels.map(({ at, fault }) =>
      fault === undefined
        ? ok(`Sentinel ${at} can have a replica of ${sentinel_name} promoted`)
        : error(
            `Sentinel ${at}: ${fault}`,
            'Without a majority of Sentinels nobody takes the place of a lost primary.',
            'Start it, mend its address, or SENTINEL MONITOR the primary under this name (app_redis__sentinel_name).',
          ),
    ),
    ...(sentinels.length < 3
      ? [
          warning(
            `there are ${sentinels.length} Sentinels`,
            'When one machine is lost, the others are no majority of three.',
            'Run three or more on machines of their own, and name all in app_redis__sentinels.',
          ),
        ]
      : []),
  ]
}

function clusterFindings({ cluster, servers }: Facts) {
  if (!cluster) return []
  return [
    cluster.state === 'ok' && cluster.slots === slots
      ? ok('the Cluster serves all slots')
      : error(
          `the Cluster is ${cluster.state} and serves ${cluster.slots} of ${slots} slots`,
          'Sessions and records in the others cannot be reached.',
          'redis-cli --cluster check says which node is missing, --cluster fix mends slots.',
        ),
    ...servers
      .filter(({ replicas }) => replicas === 0)
      .map(({ at }) =>
        warning(
          `the primary ${at} has no replica`,
          'When it is lost, its third of the records is.',
          'Add one: redis-cli --cluster add-node … --cluster-slave.',
        ),
      ),
  ]
}
