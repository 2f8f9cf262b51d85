import type { Node } from '#test/support/redis-nodes.ts'
import { startNode } from '#test/support/redis-nodes.ts'
import { until } from '#test/support/until.ts'
import { startTcpProxy } from './tcp-proxy.ts'

/** Servers and Sentinels speak to each other from here, pods from 127.0.0.1: so the one can be cut off and the other not. */
const among = '127.0.0.2'

/**
 * A primary, two replicas and three Sentinels with networks in between: `cut` takes a server from all the others, but not
 * from the two pods, and `deafen` the Sentinels from one of them or both. Both answer what mends it.
 */
export async function startPartition(dir: string, settings: string[]) {
  await using opened = new AsyncDisposableStack()
  const source = `bind-source-addr ${among}`
  async function server(follow?: { port: number }) {
    const words = ['repl-diskless-sync-delay 0', 'replica-announce-ip 127.0.0.1', source, ...settings]
    const node = opened.use(await startNode(dir, 'server', ...words))
    const network = opened.use(await startTcpProxy(node.port, { only: among }))
    await node.send('CONFIG', 'SET', 'replica-announce-port', network.port)
    if (follow) await node.send('REPLICAOF', '127.0.0.1', follow.port)
    return { node, network, port: network.port }
  }
  const first = await server()
  const servers = [first, await server(first), await server(first)]
  await until(
    'two replicas follow',
    async () =>
      (String(await first.node.send('INFO', 'replication')).match(/state=online/g) ?? []).length === 2,
  )
  const watch = [
    `sentinel monitor main 127.0.0.1 ${first.port} 2`,
    'sentinel down-after-milliseconds main 2500', // not by a busy machine
    'sentinel failover-timeout main 6000',
    'sentinel announce-ip 127.0.0.1',
    source,
  ]
  const sentinels: Node[] = []
  for (let count = 0; count < 3; count++)
    sentinels.push(opened.use(await startNode(dir, 'sentinel', ...watch)))
  const hear = () => Promise.all(sentinels.map(async ({ port }) => opened.use(await startTcpProxy(port))))
  const ears = [await hear(), await hear()]
  for (const each of sentinels)
    await until('each Sentinel knows the others and the replicas', async () =>
      String(await each.send('INFO', 'sentinel')).includes('slaves=2,sentinels=3'),
    )
  const closing = opened.move()

  /** Whom most of the Sentinels call primary. */
  async function primary() {
    const ports = await Promise.all(
      sentinels.map(async (each) => {
        const [, port] = (await each.send('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')) as string[]
        return Number(port)
      }),
    )
    const found = servers.find(({ port }) => ports.filter((each) => each === port).length > 1)
    if (!found) throw new Error(`the Sentinels do not agree: ${ports}`)
    return found
  }
  /** How many replicas it counts, as min-replicas-to-write does. */
  const good = async ({ node }: Server) =>
    Number(/min_slaves_good_slaves:(\d+)/.exec(String(await node.send('INFO', 'replication')))?.[1])
  type Server = Awaited<ReturnType<typeof primary>>

  return {
    settings: { app_redis__sentinel_name: 'main', app_redis__replicas: '1' },
    pods: ears.map((own) => ({ app_redis__sentinels: own.map(({ port }) => `127.0.0.1:${port}`).join() })),
    primary,
    cut({ network }: Server) {
      network.become('stalled')
      return () => network.become('pass')
    },
    deafen(pod?: number) {
      const deaf = ears.filter((_, index) => index === (pod ?? index)).flat()
      for (const ear of deaf) ear.become('stalled')
      return () => deaf.map((ear) => ear.become('pass'))
    },
    /** Until another one is primary and takes writes: a replica follows it. */
    replaced: (old: Server) =>
      until('another one is primary', async () => {
        const found = await primary().catch(() => old)
        return found.port !== old.port && (await good(found)) > 0
      }),
    /** Until the three stand as in the beginning, whichever is primary. */
    whole: () =>
      until('two replicas follow the primary', async () => {
        const found = await primary().catch(() => undefined)
        return found && (await good(found)) === 2
      }),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
