import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import type { Node } from '#test/support/redis-nodes.ts'
import { startCluster } from '#test/support/redis-nodes.ts'
import { config, testStore } from './support.ts'

const dir = await mkdtemp(join(tmpdir(), 'latchkey-redis-'))
t.teardown(() => rm(dir, { recursive: true, force: true }))

t.test(
  'a slot that stays half moved for long: what lies at either end is read and written, durably too',
  async (t) => {
    await using cluster = await startCluster(dir, { nodeTimeout: 15_000 })
    await using store = await testStore({
      ...config.redis,
      cluster: cluster.settings.app_redis__cluster.split(','),
    })
    const [moved, stays] = ['latchkey:{half}:moved', 'latchkey:{half}:stays']
    await store.redis.hset(moved, { at: 0 })
    await store.redis.hset(stays, { at: 0 })
    const slot = Number(await cluster.nodes[0]?.send('CLUSTER', 'KEYSLOT', moved))
    const counts = await Promise.all(
      cluster.nodes.map((node) => node.send('CLUSTER', 'COUNTKEYSINSLOT', slot)),
    )
    const at = counts.findIndex((count) => Number(count) > 0)
    const [from, to] = [cluster.nodes[at], cluster.nodes[(at + 1) % 3]] as [Node, Node]
    const id = async (node: Node) => String(await node.send('CLUSTER', 'MYID'))
    await to.send('CLUSTER', 'SETSLOT', slot, 'IMPORTING', await id(from))
    await from.send('CLUSTER', 'SETSLOT', slot, 'MIGRATING', await id(to))
    await from.send('MIGRATE', '127.0.0.1', to.port, moved, 0, 5000)
    for (let n = 1; n <= 20; n++) {
      // Some alone in their flush, some beside others: each goes another way through the client.
      t.equal(await store.redis.hincrby(moved, 'at', 1), n)
      t.same(await Promise.all([moved, stays].map((key) => store.redis.hget(key, 'at'))), [String(n), '0'])
      t.same(await Promise.all([store.redis.hget(moved, 'at'), store.redis.hlen(moved)]), [String(n), 1])
    }
    await store.connection.durably('hset', moved, 'last', 'yes')
    // A node hands over no slot in which it still holds a key.
    await from.send('MIGRATE', '127.0.0.1', to.port, stays, 0, 5000)
    for (const node of [to, from]) await node.send('CLUSTER', 'SETSLOT', slot, 'NODE', await id(to))
    t.same(await store.redis.hgetall(moved), { at: '20', last: 'yes' })
    t.same(await store.redis.hgetall(stays), { at: '0' })
  },
)
