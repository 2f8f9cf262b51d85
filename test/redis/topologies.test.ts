import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import type { Test } from 'tap'
import t from 'tap'
import type { Store } from '#adapters/redis/store.ts'
import { freePort } from '#quickstart/child.ts'
import { startNode } from '#test/support/redis-nodes.ts'
import { bounded, until as untilSo } from '#test/support/until.ts'
import { config, putClient, testClient, testStore } from './support.ts'

const dir = await mkdtemp(join(tmpdir(), 'latchkey-redis-'))
t.teardown(() => rm(dir, { recursive: true, force: true }))

/** One that ends with this test. */
async function node(...[kind, ...settings]: [kind: 'server' | 'sentinel', ...settings: string[]]) {
  const started = await startNode(dir, kind, ...settings)
  t.teardown(() => started[Symbol.asyncDispose]())
  return started
}

/** What throws is not so yet. */
const until = (what: string, check: () => Promise<unknown>, seconds = 15) =>
  untilSo(what, () => check().catch(() => false), seconds, 50)

/** What a backup holds of a Cluster is whole, and lies where it lay when it is put back. */
async function copies(t: Test, store: Store) {
  for (let at = 0; at < 40; at++) await store.redis.hset(`latchkey:{some${at}}:x`, { at, b: 'two' })
  const taken = async () => {
    const lines = []
    for await (const line of store.copy.lines()) lines.push(line)
    return lines
  }
  const before = await taken()
  t.equal(before.filter(({ key }) => key.includes('{some')).length, 40)
  t.equal(await store.copyBack.isEmpty(), false)
  const records = await store.copyBack.put(
    (async function* () {
      yield* before
    })(),
  )
  t.equal(records, new Set(before.map(({ key }) => key)).size)
  const sorted = (lines: typeof before) =>
    lines.map(({ key, values }) => `${key} ${values.map(String).sort()}`).sort()
  t.same(sorted(await taken()), sorted(before))
}

/** Each family does its work once: on a Cluster a script that touches two slots would fail. */
async function works(t: Test, store: Store) {
  const from = { address: '::1', agent: 'x' }
  const made = await Promise.all(
    Array.from({ length: 20 }, (_, n) => store.sessions.create({ uid: `u${n % 4}`, ...from })),
  )
  for (const { token, id } of made) t.match(await store.sessions.read(token), { id })
  const [first, second] = made as [(typeof made)[0], (typeof made)[0]]
  await store.sessions.savePayload('next', { ...(await store.sessions.payload(first.token)), uid: first.id })
  t.match(
    [await store.sessions.read('next'), await store.sessions.read(first.token)],
    [{ id: first.id }, undefined],
  )
  t.equal((await store.sessions.list('u1')).length, 5)
  t.equal(await store.sessions.end('u1', second.id), true)
  t.equal(await store.sessions.endAll('u0'), 5)
  const tries = await Promise.all(
    Array.from({ length: 9 }, () => store.failures.count('x', { most: 5, windowSeconds: 9 })),
  )
  t.equal(tries.filter(({ allowed }) => allowed).length, 5)
  await store.failures.clear('x')
  await Promise.all(['a', 'b', 'c'].map((id) => putClient(store, testClient(id))))
  await putClient(store, { ...testClient('b'), name: 'B' })
  await store.resources.change(() => ({ ops: [['resources', 'c', undefined]], value: undefined }))
  const clients = [...(await store.resources.current()).resources.values()]
  t.match(
    clients.toSorted((a, b) => a.id.localeCompare(b.id)),
    [{ id: 'a' }, { id: 'b', name: 'B' }],
  )
  await store.verification.acceptTerms('x', 0)
  t.match(await store.verification.ofMany([{ uid: 'x', mail: 'x' }]), [{ tosAccepted: true }])
  store.audit.append({ actor: 'x', action: 'x' as never, target: 'x', outcome: 'ok', address: '' })
  await store.audit.settled()
  t.equal((await store.audit.read()).length, 1)
  const heard = Promise.withResolvers<string>()
  store.bus.subscribe('x', heard.resolve)
  await store.bus.publish('x', 'y')
  t.equal(await heard.promise, 'y')
  await doesJobs(t, store)
  await givesDeviceCodes(t, store)
  await store.health()
}

async function givesDeviceCodes(t: Test, { provider }: Store): Promise<void> {
  const codes = provider.adapter('DeviceCode')
  const payload = { kind: 'DeviceCode', clientId: 'a', exp: 9_999_999_999 }
  await codes.upsert('the device code', { ...payload, userCode: 'BCDF' }, 60)
  await t.rejects(codes.upsert('another', { ...payload, userCode: 'BCDF' }, 60), { name: 'Conflict' })
  const found = await codes.findByUserCode('BCDF')
  const held = found?.jti as string
  t.match(found, { clientId: 'a', userCode: 'BCDF' })
  await codes.upsert(held, { ...payload, inFlight: true }, 60)
  await t.rejects(codes.upsert(held, { ...payload, inFlight: true }, 60), { message: 'invalid_grant' })
  await codes.upsert(held, { ...payload, accountId: 'x', grantId: 'g', sessionUid: 's' }, 60)
  await t.rejects(codes.upsert(held, { ...payload, error: 'access_denied' }, 60), {
    message: 'invalid_grant',
  })
  t.match(await codes.find('the device code'), { accountId: 'x' })
  const uses = await Promise.allSettled(Array.from({ length: 9 }, () => codes.consume('the device code')))
  t.equal(uses.filter(({ status }) => status === 'fulfilled').length, 1)
}

async function doesJobs(t: Test, { jobs }: Store): Promise<void> {
  const done: unknown[] = []
  const all = Promise.withResolvers<void>()
  await using _work = jobs.work({
    async perform({ id, data }) {
      if (done.push([id, data]) === 3) all.resolve()
    },
    isFinal: () => true,
    failed() {},
    async gaveUp() {},
  })
  for (let n = 0; n < 2; n++)
    await jobs.add(
      ...['a', 'b', 'c'].map((id) => ({ id, kind: 'x', data: id, secret: id === 'a', bulk: id !== 'b' })),
    )
  await all.promise
  t.same(done.sort(), [
    ['a', 'a'],
    ['b', 'b'],
    ['c', 'c'],
  ])
}

t.test('on a Redis Cluster', async (t) => {
  const own = async () => ['cluster-enabled yes', `cluster-port ${await freePort()}`]
  const [one, two] = await Promise.all([node('server', ...(await own())), node('server', ...(await own()))])
  await one.send('CLUSTER', 'ADDSLOTSRANGE', 0, 8191)
  await two.send('CLUSTER', 'ADDSLOTSRANGE', 8192, 16383)
  await two.send('CONFIG', 'SET', 'cluster-node-timeout', 2000)
  const [, busPort] = (await one.send('CONFIG', 'GET', 'cluster-port')) as string[]
  await two.send('CLUSTER', 'MEET', '127.0.0.1', one.port, Number(busPort))
  for (const each of [one, two])
    await until('the cluster forms', async () =>
      String(await each.send('CLUSTER', 'INFO')).includes('cluster_state:ok'),
    )

  const cluster = [`127.0.0.1:${one.port}`, `127.0.0.1:${two.port}`]
  await using store = await testStore({ ...config.redis, cluster, timeout: 3000 })
  await works(t, store)
  for (const each of [one, two]) t.ok(Number(await each.send('DBSIZE')) > 5, 'both nodes hold records')
  await copies(t, store)

  const lines: string[] = []
  await using careful = await testStore(
    { ...config.redis, cluster, replicas: 1, timeout: 3000 },
    { onLog: (line) => lines.push(line) },
  )
  await t.rejects(putClient(careful, testClient('d')), { name: 'UpstreamFailure' }, 'no replica has it')
  for (const id of ['1', '2', '3']) {
    await store.vouch({ model: 'RefreshToken', id })
    await t.rejects(careful.vouch({ model: 'RefreshToken', id }), { name: 'UpstreamFailure' })
  }
  t.ok(
    lines.some((line) => line.includes('fewer Redis replicas')),
    'the log says that no replica has it',
  )

  await one.kill()
  const eight = <T>(ask: (name: string) => Promise<T>) =>
    Promise.allSettled(Array.from({ length: 8 }, (_, n) => ask(`${n}`)))
  const asked = async () => [
    ...(await eight((name) => store.resources.findClient(name))),
    ...(await eight((name) => store.sessions.read(name))),
  ]
  const failed = (await bounded(8000, asked())).filter((answer) => answer.status === 'rejected')
  t.ok(failed.length > 0)
  for (const { reason } of failed) t.equal(reason.name, 'UpstreamFailure')
  await one.start()
  await until('all slots are served again', async () => {
    await Promise.all(Array.from({ length: 20 }, (_, n) => store.sessions.read(`${n}`)))
    return true
  })
  await until('durable writes are taken again', async () => putClient(store, testClient('e')))
  await until('messages are heard', async () => store.bus.live())
  t.ok(await store.sessions.create({ uid: 'u9', address: '::1', agent: 'x' }))

  // Closed while it looks at the slots anew: were that look to be followed by another, this process would not end.
  const closed = await testStore({ ...config.redis, cluster, timeout: 3000 })
  const [runner] = closed.connection.runners as unknown as [Looking]
  const look = runner.getInfoFromNode.bind(runner)
  runner.getInfoFromNode = (node, done) =>
    look(node, (error) => void setTimeout(1000).then(() => done(error)))
  await until('it looks', async () => runner.isRefreshing)
  await closed[Symbol.asyncDispose]()
})

/** How a client of a Cluster asks for the slots. */
type Looking = {
  isRefreshing: boolean
  getInfoFromNode(node: unknown, done: (error?: Error) => void): void
}

t.test('through Sentinel, with a replica that durable writes wait for', async (t) => {
  const primary = await node('server', 'repl-diskless-sync-delay 0')
  const replica = await node('server', `replicaof 127.0.0.1 ${primary.port}`)
  await until('the replica follows', async () =>
    String(await replica.send('INFO', 'replication')).includes('link_status:up'),
  )
  const sentinel = await node('sentinel')
  await sentinel.send('SENTINEL', 'MONITOR', 'main', '127.0.0.1', primary.port, 1)
  await sentinel.send('SENTINEL', 'SET', 'main', 'failover-timeout', 3000)
  const settings = { ...config.redis, sentinels: [`127.0.0.1:${sentinel.port}`], sentinel_name: 'main' }
  const lines: string[] = []
  const options = { onLog: (line: string) => lines.push(line) }
  await using store = await testStore({ ...settings, replicas: 1, timeout: 3000 }, options)
  await works(t, store)
  const shown = { model: 'RefreshToken' as const, id: 'r' }
  await store.vouch(shown)
  const beside = (await primary.send('KEYS', '*:vouched:*')) as string[]
  t.match(beside.sort(), [/:vouched:\{directory\}$/, /:vouched:\{.*:refresh-token:[^{}]+\}$/], 'of both')
  t.notOk(lines.some((line) => line.includes('fewer Redis replicas')))
  t.match(String(await replica.send('HGET', store.keys.durable('directory', 'resources'), 'b')), /"name":"B"/)

  await until('Sentinel knows the replica', async () =>
    String(await sentinel.send('INFO', 'sentinel')).includes('slaves=1'),
  )
  await sentinel.send('SENTINEL', 'SET', 'main', 'down-after-milliseconds', 500)
  await primary.kill()
  await t.rejects(store.resources.findClient('a'), { name: 'UpstreamFailure' })
  await until(
    'the replica is promoted',
    async () => store.sessions.create({ uid: 'x', address: '', agent: '' }),
    60,
  )
  // It ends every connection, those that have found their way by themselves too.
  await until('the Sentinel is heard', async () =>
    lines.some((line) => line.includes('Redis has another primary')),
  )
  await until(
    'what was acknowledged is there',
    async () => (await store.resources.findClient('b'))?.name === 'B',
  )
  await until('the log says that no replica has it', async () => {
    await t.rejects(putClient(store, testClient('z')), { name: 'UpstreamFailure' }, 'nothing durable')
    return lines.some((line) => line.includes('fewer Redis replicas'))
  })
  await t.rejects(store.vouch(shown), { name: 'UpstreamFailure' }, 'nor is its word final')
})
