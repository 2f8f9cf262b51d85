import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import tap, { test } from 'tap'
import { freePort } from '#quickstart/child.ts'
import { readConfig } from '#src/config.ts'
import { openInspection } from '#src/connect.ts'
import type { Finding } from '#src/doctor/findings.ts'
import { runAll, worstOf } from '#src/doctor/findings.ts'
import { redisCheck } from '#src/doctor/redis.ts'
import { startNode } from '#test/support/redis-nodes.ts'
import { until } from '#test/support/until.ts'
import { found, testFolder } from './support.ts'

const dir = await testFolder(tap)

/** What the check of Redis alone says of a topology. */
async function examined(settings: Record<string, string>) {
  const config = readConfig({
    ...{ app_ldap__base: 'dc=test', app_ldap__bindDN: 'cn=test', app_ldap__bindPassword: 'test' },
    OAUTH_ISSUER: 'http://localhost:3000',
    JWT_SECRET: 'a signing secret of this test alone, long enough',
    app_redis__timeout: '1000',
    ...settings,
  })
  const findings: Finding[] = await runAll([redisCheck(config, openInspection(config))])
  return { findings, level: worstOf(findings) }
}

test('a Redis that evicts, and keeps nothing, is told of, with why and fix', async (t) => {
  await using node = await startNode(dir, 'server', 'maxmemory-policy allkeys-lru')
  const settings = { app_redis__url: `redis://127.0.0.1:${node.port}` }
  const report = await examined({ ...settings, app_redis__replicas: '2' })
  t.equal(report.level, 'error')
  found(t, report, [/Redis/, 'error', /allkeys-lru/])
  found(t, report, [/Redis/, 'error', /keeps nothing on disk/])
  found(t, report, [/Redis/, 'error', /0 replicas, and durable writes wait for 2/])
  const set = (name: string, value: string) => node.send('CONFIG', 'SET', name, value)
  await set('save', '60 1')
  await set('maxmemory-policy', 'noeviction')
  await node.send('SET', 'filler', 'x'.repeat(1_000_000))
  await set('maxmemory', '2200000')
  const snapshots = await examined(settings)
  found(t, snapshots, [/Redis/, 'warning', /snapshots only/])
  found(t, snapshots, [/Redis/, 'warning', /% of its maxmemory/])
  await set('appendonly', 'yes')
  await set('appendfsync', 'no')
  found(t, await examined(settings), [/Redis/, 'warning', /appendfsync no/])
})

test('Sentinels that are away or could promote nobody, and a primary that needs no replica, are told of', async (t) => {
  await using primary = await startNode(dir, 'server')
  await using sentinel = await startNode(dir, 'sentinel')
  await sentinel.send('SENTINEL', 'MONITOR', 'main', '127.0.0.1', primary.port, 1)
  const dead = await freePort()
  const settings = {
    app_redis__sentinels: `127.0.0.1:${sentinel.port},127.0.0.1:${dead}`,
    app_redis__sentinel_name: 'main',
  }
  const alone = await examined(settings)
  found(t, alone, [/Redis/, 'error', /no replica that the Sentinels could promote/])
  found(t, alone, [/Redis/, 'error', new RegExp(`Sentinel 127.0.0.1:${dead}: `)])
  found(t, alone, [/Redis/, 'warning', /there are 2 Sentinels/])
  found(t, alone, [/Redis/, 'warning', /takes writes without any replica/])

  await using replica = await startNode(dir, 'server', `replicaof 127.0.0.1 ${primary.port}`)
  await until('the replica follows', async () =>
    String(await replica.send('INFO', 'replication')).includes('link_status:up'),
  )
  await primary.send('CONFIG', 'SET', 'min-replicas-to-write', 1)
  const paired = await examined({ ...settings, app_redis__sentinels: `127.0.0.1:${sentinel.port}` })
  found(t, paired, [
    /Redis/,
    'ok',
    new RegExp(`Sentinel 127.0.0.1:${sentinel.port} can have a replica of main promoted`),
  ])
  found(t, paired, [/Redis/, 'ok', /has 1 replicas/])
  const two = { app_redis__url: `redis://127.0.0.1:${primary.port}`, app_redis__replicas: '2' }
  found(t, await examined(two), [/Redis/, 'error', /has 1 replicas, and durable writes wait for 2/])
  t.notOk(paired.findings.some(({ what }) => /takes writes without|no replica/.test(what)))
  await sentinel.send('SENTINEL', 'SET', 'main', 'quorum', 2)
  found(t, await examined(settings), [/Redis/, 'error', /NOQUORUM/])
})

test('a Cluster without all of its slots, and primaries without replicas, are told of', async (t) => {
  await using node = await startNode(
    ...([dir, 'server', 'cluster-enabled yes', 'cluster-announce-ip 127.0.0.1'] as const),
    'cluster-require-full-coverage no',
  )
  await node.send('CLUSTER', 'ADDSLOTSRANGE', 0, 16383)
  await until('it serves', async () =>
    String(await node.send('CLUSTER', 'INFO')).includes('cluster_state:ok'),
  )
  const settings = { app_redis__cluster: `127.0.0.1:${node.port}` }
  const whole = await examined(settings)
  found(t, whole, [/Redis/, 'ok', /the Cluster serves all slots/])
  found(t, whole, [/Redis/, 'warning', new RegExp(`the primary 127.0.0.1:${node.port} has no replica`)])
  await node.send('CLUSTER', 'DELSLOTS', 5)
  found(t, await examined(settings), [/Redis/, 'error', /serves 16383 of 16384 slots/])
})

test('every policy that evicts is told of, and a disk that took nothing the last time', async (t) => {
  await using node = await startNode(dir, 'server')
  const settings = { app_redis__url: `redis://127.0.0.1:${node.port}` }
  for (const policy of ['volatile-lru', 'volatile-ttl', 'allkeys-random']) {
    await node.send('CONFIG', 'SET', 'maxmemory-policy', policy)
    found(t, await examined(settings), [/Redis/, 'error', new RegExp(`maxmemory-policy ${policy}`)])
  }
  t.notOk((await examined(settings)).findings.some(({ what }) => /could not write/.test(what)))
  await mkdir(join(node.home, 'dump.rdb')) // in the way of a snapshot
  await node.send('BGSAVE')
  await until('the snapshot failed', async () =>
    String(await node.send('INFO', 'persistence')).includes('rdb_last_bgsave_status:err'),
  )
  found(t, await examined(settings), [/Redis/, 'error', /could not write to its disk the last time it tried/])
})
