import { randomBytes } from 'node:crypto'
import { Cluster, Redis } from 'ioredis'
import type { Binaries } from '#quickstart/binaries.ts'
import type { Child } from '#quickstart/child.ts'
import { startRedis } from '#quickstart/redis.ts'
import { startCluster } from './redis-nodes.ts'

/** `npm test -- --cluster`: what a test starts as its Redis is a Cluster of three primaries. */
export const onCluster = process.env.TEST_REDIS === 'cluster'

/** The Redis of a test: one server, or a Cluster, whose servers are started, ended and signalled together. */
export type TestRedis = Pick<Child, 'start' | 'stop' | 'kill' | 'restart' | 'signal'> &
  AsyncDisposable & {
    password: string
    /** `app_redis__…` of a service on it. */
    settings: Record<string, string>
    /** Keys of either are read and written alike; what concerns servers goes to `everywhere`. */
    open(): Promise<Redis & AsyncDisposable>
  }

type Options = { dir: string; binaries: Pick<Binaries, 'redis'>; appendOnly: boolean; port?: number }

export async function startTestRedis(options: Options): Promise<TestRedis> {
  return onCluster ? startTestCluster(options) : startSingle(options)
}

async function startSingle(options: Options): Promise<TestRedis> {
  const redis = await startRedis(options)
  const opening = { password: new URL(redis.url).password, settings: { app_redis__url: redis.url } }
  const open = async () => ready(new Redis(redis.url))
  return Object.defineProperties(redis, Object.getOwnPropertyDescriptors({ ...opening, open })) as never
}

async function startTestCluster({ dir, appendOnly }: Options): Promise<TestRedis> {
  const password = randomBytes(18).toString('base64url')
  const { nodes, addresses, whole, settings, ...cluster } = await startCluster(dir, {
    // Busy machines: nobody is to be thought dead who only waits for the processor.
    nodeTimeout: 15_000,
    settings: [
      `requirepass ${password}`,
      `appendonly ${appendOnly ? 'yes' : 'no'}`,
      'maxmemory-policy noeviction',
    ],
  })
  const all = (act: (node: (typeof nodes)[number]) => Promise<void>) => async () => {
    await Promise.all(nodes.map(act))
  }
  const start = async () => {
    await Promise.all(nodes.map((node) => node.start()))
    await whole()
  }
  const stop = all((node) => node.stop())
  return {
    ...{ password, start, stop },
    kill: all((node) => node.kill()),
    restart: () => stop().then(start),
    signal(name) {
      for (const node of nodes) node.signal(name)
    },
    settings: { ...settings, app_redis__url: `redis://:${password}@127.0.0.1` },
    open: () => ready(new Cluster(addresses, { redisOptions: { password } })),
    [Symbol.asyncDispose]: cluster[Symbol.asyncDispose],
  }
}

async function ready(client: Redis | Cluster): Promise<Redis & AsyncDisposable> {
  client.on('error', () => {})
  if (client.status !== 'ready') await new Promise<void>((resolve) => client.once('ready', resolve))
  return Object.assign(client as Redis, {
    async [Symbol.asyncDispose]() {
      client.disconnect()
    },
  })
}

/** The servers that hold records, by a client of the tests or of the service. */
export function primaries(client: Redis | Cluster): Redis[] {
  return client instanceof Cluster ? client.nodes('master') : [client]
}

/** The same command to each server, as CONFIG and CLIENT need it. */
export function everywhere(client: Redis, command: string, ...words: string[]): Promise<unknown[]> {
  return Promise.all(primaries(client).map((server) => server.call(command, ...words)))
}

/** KEYS of all servers. */
export async function keysIn(client: Redis, pattern = '*'): Promise<string[]> {
  return (await Promise.all(primaries(client).map((server) => server.keys(pattern)))).flat()
}

/** KEYS that requests write, sorted: without what each pod's own look at the audit log every second or two keeps. */
export async function keysOfRequests(client: Redis): Promise<string[]> {
  const own = /\{audit\}:(reader|sealer|seals|cursor|checkpoint)$/
  return (await keysIn(client)).filter((key) => !own.test(key)).sort()
}

/** Every key and what it holds, as Redis writes it down. */
export async function storedIn(redis: Redis): Promise<Map<string, string>> {
  await everywhere(redis, 'CONFIG', 'SET', 'rdbcompression', 'no')
  const keys = await keysIn(redis)
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)))
  return new Map(keys.map((key, n) => [key, String(dumps[n])]))
}
