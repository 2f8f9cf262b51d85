import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { findBinaries } from '#quickstart/binaries.ts'
import type { Child } from '#quickstart/child.ts'
import { freePort, startChild } from '#quickstart/child.ts'
import { testDataDir } from './servers.ts'
import { until } from './until.ts'

export type Node = Child & {
  port: number
  /** Where it keeps what it holds. */
  home: string
  send(command: string, ...words: (string | number)[]): Promise<unknown>
}

/** One Redis server or Sentinel on loopback without a password, in a folder of its own below `dir`. */
export async function startNode(
  dir: string,
  kind: 'server' | 'sentinel',
  ...settings: string[]
): Promise<Node> {
  const { redis } = await findBinaries(testDataDir)
  const port = await freePort()
  const home = join(dir, String(port))
  await mkdir(home, { recursive: true })
  const common = [`port ${port}`, 'bind 127.0.0.1', `dir ${home}`, ...(kind === 'server' ? ['save ""'] : [])]
  await writeFile(join(home, 'redis.conf'), [...common, ...settings].join('\n'))
  const client = new Redis({ port, lazyConnect: true, retryStrategy: () => 50, commandTimeout: 5000 })
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

/** A primary, its replicas, and three Sentinels that call it `main` and replace it after half a second of silence. */
export async function startSentinels(
  dir: string,
  { replicas = 1, settings = [] }: { replicas?: number; settings?: string[] } = {},
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
    'sentinel down-after-milliseconds main 500',
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

/** A Redis Cluster of primaries that share the slots evenly. */
export async function startCluster(dir: string, size = 3) {
  await using opened = new AsyncDisposableStack()
  const nodes = await Promise.all(
    Array.from({ length: size }, async () => {
      const own = [
        'cluster-enabled yes',
        `cluster-port ${await freePort()}`,
        'cluster-node-timeout 2000',
        'appendonly yes',
      ]
      return opened.use(await startNode(dir, 'server', ...own))
    }),
  )
  const share = Math.ceil(16_384 / size)
  const [first] = nodes as [Node]
  for (const [at, node] of nodes.entries()) {
    await node.send('CLUSTER', 'ADDSLOTSRANGE', at * share, Math.min((at + 1) * share, 16_384) - 1)
    const [, busPort] = (await first.send('CONFIG', 'GET', 'cluster-port')) as string[]
    if (node !== first) await node.send('CLUSTER', 'MEET', '127.0.0.1', first.port, Number(busPort))
  }
  for (const each of nodes)
    await until('the cluster forms', async () => {
      const info = String(await each.send('CLUSTER', 'INFO'))
      return info.includes('cluster_state:ok') && info.includes(`cluster_known_nodes:${size}`)
    })
  const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`)
  const closing = opened.move()
  return {
    nodes,
    addresses,
    settings: { app_redis__cluster: addresses.join() },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
