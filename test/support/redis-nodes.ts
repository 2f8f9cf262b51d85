import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { findBinaries } from '#quickstart/binaries.ts'
import type { Child } from '#quickstart/child.ts'
import { freePort, startChild } from '#quickstart/child.ts'
import { testDataDir } from './data-dir.ts'
import { until } from './until.ts'

export type Node = Child & {
  port: number
  /** Where it keeps what it holds. */
  home: string
  send(command: string, ...words: (string | number)[]): Promise<unknown>
}

/** One Redis server or Sentinel on loopback, in a folder of its own below `dir`. */
export async function startNode(
  dir: string,
  kind: 'server' | 'sentinel',
  ...settings: string[]
): Promise<Node> {
  return startNodeAt(await freePort(), dir, kind, ...settings)
}

async function startNodeAt(
  port: number,
  dir: string,
  kind: 'server' | 'sentinel',
  ...settings: string[]
): Promise<Node> {
  const { redis } = await findBinaries(testDataDir)
  const home = join(dir, String(port))
  const password = settings.find((line) => line.startsWith('requirepass '))?.slice('requirepass '.length)
  await mkdir(home, { recursive: true })
  const common = [`port ${port}`, 'bind 127.0.0.1', `dir ${home}`, ...(kind === 'server' ? ['save ""'] : [])]
  await writeFile(join(home, 'redis.conf'), [...common, ...settings].join('\n'))
  const client = new Redis({
    ...{ port, lazyConnect: true, retryStrategy: () => 50, commandTimeout: 5000 },
    ...(password ? { password } : {}),
  })
  client.on('error', () => {})
  const child = await startChild({
    command: redis.path,
    args: [join(home, 'redis.conf'), ...(kind === 'sentinel' ? ['--sentinel'] : [])],
    cwd: home,
    env: redis.env,
    ready: () =>
      client.ping().then(
        () => true,
        () => false,
      ),
  })
  const node = {
    port,
    home,
    send: (command: string, ...words: (string | number)[]) => client.call(command, ...words),
    async [Symbol.asyncDispose]() {
      client.disconnect()
      await child.kill()
    },
  }
  return Object.defineProperties(node, {
    ...Object.getOwnPropertyDescriptors(child),
    [Symbol.asyncDispose]: { value: node[Symbol.asyncDispose] },
  }) as Node
}

/** A primary, its replicas, and three Sentinels that call it `main` and replace it after a silence, by default of half a second. */
export async function startSentinels(
  dir: string,
  {
    replicas = 1,
    settings = [],
    silentMilliseconds = 500,
  }: { replicas?: number; settings?: string[]; silentMilliseconds?: number } = {},
) {
  await using opened = new AsyncDisposableStack()
  const add = async (...node: Parameters<typeof startNode>) => opened.use(await startNode(...node))
  const primary = await add(dir, 'server', 'repl-diskless-sync-delay 0', ...settings)
  const follow = `replicaof 127.0.0.1 ${primary.port}`
  const followers = await Promise.all(
    Array.from({ length: replicas }, () =>
      add(dir, 'server', 'repl-diskless-sync-delay 0', follow, ...settings),
    ),
  )
  for (const each of followers)
    await until('the replica follows', async () =>
      String(await each.send('INFO', 'replication')).includes('link_status:up'),
    )
  const watch = [
    `sentinel monitor main 127.0.0.1 ${primary.port} 2`,
    `sentinel down-after-milliseconds main ${silentMilliseconds}`,
    'sentinel failover-timeout main 3000',
  ]
  const sentinels = await Promise.all([1, 2, 3].map(() => add(dir, 'sentinel', ...watch)))
  for (const each of sentinels)
    await until('each Sentinel knows the others and the replicas', async () =>
      String(await each.send('INFO', 'sentinel')).includes(`slaves=${replicas},sentinels=3`),
    )
  const closing = opened.move()
  return {
    primary,
    replicas: followers,
    sentinels,
    settings: {
      app_redis__sentinels: sentinels.map(({ port }) => `127.0.0.1:${port}`).join(),
      app_redis__sentinel_name: 'main',
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/**
 * A Redis Cluster of primaries that share the slots evenly.
 *
 * A primary without slots or after a restart takes writes after two seconds only (CLUSTER_WRITABLE_DELAY), a replica that
 * takes over at once. So each node begins as the replica of a primary that never was, by a configuration that is there
 * before it starts, and takes its place.
 */
export async function startCluster(
  dir: string,
  {
    size = 3,
    nodeTimeout = 2000,
    settings = [],
  }: { size?: number; nodeTimeout?: number; settings?: string[] } = {},
) {
  await using opened = new AsyncDisposableStack()
  const share = Math.ceil(16_384 / size)
  const places = await Promise.all(
    Array.from({ length: size }, async (_, at) => ({
      id: randomBytes(20).toString('hex'),
      port: await freePort(),
      busPort: await freePort(),
      former: randomBytes(20).toString('hex'),
      slots: `${at * share}-${Math.min((at + 1) * share, 16_384) - 1}`,
      epoch: at + 1,
    })),
  )
  const nodes = await Promise.all(
    places.map(async (own) => {
      const lines = places.flatMap(({ id, port, busPort, former, slots, epoch }) => [
        `${id} 127.0.0.1:${port}@${busPort} ${id === own.id ? 'myself,' : ''}slave ${former} 0 0 ${epoch} connected`,
        `${former} :0@0 master,noaddr - 0 0 ${epoch} disconnected ${slots}`,
      ])
      await mkdir(join(dir, String(own.port)), { recursive: true })
      // Epochs apart, so that no two nodes take over in the same one.
      const known = [...lines, `vars currentEpoch ${own.epoch * size} lastVoteEpoch 0`, '']
      await writeFile(join(dir, String(own.port), 'nodes.conf'), known.join('\n'))
      const clustered = [
        'cluster-enabled yes',
        `cluster-port ${own.busPort}`,
        `cluster-node-timeout ${nodeTimeout}`,
        'appendonly yes',
      ]
      return opened.use(await startNodeAt(own.port, dir, 'server', ...clustered, ...settings))
    }),
  )
  const eachOnce = (holds: (node: Node) => Promise<boolean>) =>
    Promise.all(nodes.map((node) => until('the cluster forms', () => holds(node), 40, 10)))
  const serves = async (node: Node) => String(await node.send('CLUSTER', 'INFO')).includes('cluster_state:ok')
  await eachOnce(serves)
  await Promise.all(nodes.map((node) => node.send('CLUSTER', 'FAILOVER', 'TAKEOVER')))
  const knowsAll = async (node: Node) => {
    const lines = String(await node.send('CLUSTER', 'NODES'))
    return lines.match(/master - .* connected \d+/gm)?.length === size
  }
  await eachOnce(knowsAll)
  await Promise.all(
    nodes.flatMap((node) => places.map(({ former }) => node.send('CLUSTER', 'FORGET', former))),
  )
  await until('no two are of one epoch, and all know it', () => haveOwnEpochs(nodes), 40, 10)
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  const closing = opened.move()
  return {
    nodes,
    addresses,
    settings: { app_redis__cluster: addresses.join() },
    /** Until every node serves and knows that the others do. */
    whole: () => eachOnce(async (node) => (await serves(node)) && (await knowsAll(node))),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** Of two that took over in one epoch either may raise its own later, and would take back a slot that moves just then. */
async function haveOwnEpochs(nodes: Node[]): Promise<boolean> {
  const told = await Promise.all(
    nodes.map(async (node) => {
      const lines = String(await node.send('CLUSTER', 'NODES'))
        .trim()
        .split('\n')
      return lines.map((line) => line.split(' ')).map(([id = '', , , , , , epoch = '']) => ({ id, epoch }))
    }),
  )
  const [first = '', ...others] = told.map((all) =>
    all
      .map(({ id, epoch }) => `${id} ${epoch}`)
      .sort()
      .join(),
  )
  const epochs = new Set(told[0]?.map(({ epoch }) => epoch))
  return epochs.size === nodes.length && others.every((other) => other === first)
}
