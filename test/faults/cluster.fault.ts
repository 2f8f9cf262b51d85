import { setTimeout as pause } from 'node:timers/promises'
import tap, { test } from 'tap'
import type { Node } from '#test/support/redis-nodes.ts'
import { startCluster } from '#test/support/redis-nodes.ts'
import { until } from '#test/support/until.ts'
import { patient, rigFolder, startRig } from './rig.ts'
import { trial } from './trial.ts'

const { dir, ...folder } = await rigFolder()
const cluster = await startCluster(dir, { nodeTimeout: 15_000 })
const [one, two, three] = cluster.nodes as [Node, Node, Node]
const rig = await startRig({ redis: cluster.settings, settings: patient })
tap.teardown(async () => {
  for (const each of [rig, cluster, folder]) await each[Symbol.asyncDispose]()
})

/** As redis-cli does it: announced at both ends, keys moved a few at a time, then told to all. */
async function migrate(from: Node, to: Node, slots: Iterable<number>) {
  const [source, target] = (await Promise.all([
    from.send('CLUSTER', 'MYID'),
    to.send('CLUSTER', 'MYID'),
  ])) as [string, string]
  let keys = 0
  for (const slot of slots) {
    await to.send('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source)
    await from.send('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target)
    const count = Number(await from.send('CLUSTER', 'COUNTKEYSINSLOT', slot))
    for (let moved = 0; ; ) {
      const found = (await from.send('CLUSTER', 'GETKEYSINSLOT', slot, 3)) as string[]
      if (found.length === 0) break
      await pause(count > 3 ? 20 : 1) // half of a slot is here and half of it there
      await from.send('MIGRATE', '127.0.0.1', to.port, '', 0, 5000, 'KEYS', ...found)
      keys += found.length
      moved += found.length
      if (moved > 200_000) throw new Error(`slot ${slot} does not end`)
    }
    for (const node of [to, from, three]) await node.send('CLUSTER', 'SETSLOT', slot, 'NODE', target)
  }
  return keys
}

/** Those that hold something. */
async function slotsOf(node: Node, first: number, last: number): Promise<number[]> {
  const counted = await Promise.all(
    Array.from({ length: last - first + 1 }, async (_, at) => {
      const keys = await node.send('CLUSTER', 'COUNTKEYSINSLOT', first + at)
      return { slot: first + at, keys: Number(keys) }
    }),
  )
  return counted.filter(({ keys }) => keys > 0).map(({ slot }) => slot)
}

test('Redis Cluster with three primaries: slots move to another primary under load, and no request fails', async (t) => {
  let keys = 0
  const load = await trial(t, rig, {
    begin: async () => {
      const slots = await slotsOf(one, 0, 5461)
      keys = await migrate(one, two, slots)
      t.comment(`${slots.length} slots with ${keys} keys were moved`)
    },
  })
  t.ok(keys > 20)
  t.same(load.failures(), [])
})

const up = (node: Node) =>
  until('the cluster is whole', async () =>
    String(await node.send('CLUSTER', 'INFO')).includes('cluster_state:ok'),
  )

test('a primary of a Redis Cluster dies and comes back: errors in our form for what it holds, then all is well', async (t) => {
  const load = await trial(t, rig, {
    async begin() {
      for (const node of cluster.nodes) await node.send('CONFIG', 'SET', 'cluster-node-timeout', 2000)
      await two.kill()
    },
    end: async () => {
      await two.start()
      for (const node of cluster.nodes) await up(node)
    },
    seconds: 4,
  })
  t.ok(load.failures().length > 0, 'the fault was felt')
})
