import { setTimeout } from 'node:timers/promises'
import type { Redis } from 'ioredis'
import type { Test } from 'tap'
import t from 'tap'
import type { Store } from '#adapters/redis/store.ts'
import { freePort } from '#quickstart/child.ts'
import { primaries } from '#test/support/redis.ts'
import { bounded } from '#test/support/until.ts'
import { config, putClient, testClient, testRedis, testStore } from './support.ts'

const from = { address: '192.0.2.1', agent: 'Tester' }

/** Every kind of call; each must fail as UpstreamFailure within the configured time. */
async function failsInTime(t: Test, store: Store, milliseconds: number) {
  const calls: Record<string, () => Promise<unknown>> = {
    read: () => store.sessions.read('any'),
    create: () => store.sessions.create({ uid: 'jane', ...from }),
    count: () => store.failures.count('jane', { most: 30, windowSeconds: 900 }),
    find: () => store.resources.findClient('any'),
    update: () => putClient(store, testClient('new')),
    publish: () => store.bus.publish('any', 'thing'),
    health: () => store.health(),
    own: () => store.redis.set('latchkey:any', 'thing'),
  }
  const all = async () => {
    await Promise.all(
      Object.entries(calls).map(([name, call]) =>
        t.rejects(call() as Promise<void>, { name: 'UpstreamFailure', status: 502 }, name),
      ),
    )
    await setTimeout(20)
    await t.rejects(store.sessions.read('any'), { name: 'UpstreamFailure' })
  }
  await t.resolves(bounded(milliseconds, all()), `all failed within ${milliseconds} ms`)
}

async function recovers(t: Test, call: () => Promise<unknown>, milliseconds: number) {
  const started = Date.now()
  for (;;) {
    const answer = await call().catch(() => undefined)
    if (answer) break
    if (Date.now() - started > milliseconds) return t.fail('it did not recover')
    await setTimeout(20)
  }
  t.pass(`recovered after ${Date.now() - started} ms`)
}

t.test(
  'Redis is stopped and started under the service: bounded errors, recovery, nothing lost',
  async (t) => {
    await using redis = await testRedis({ timeout: 1000 })
    const lines: string[] = []
    await using store = await testStore(redis.settings, { onLog: (line) => lines.push(line) })
    const { token, id } = await store.sessions.create({ uid: 'jane', ...from })
    await putClient(store, testClient('kept'))
    let gaps = 0
    store.bus.onGap(() => gaps++)
    for (const end of [redis.stop, redis.kill]) {
      await end()
      await failsInTime(t, store, 4000)
      store.audit.append({ actor: 'jane', action: 'lost' as never, target: 'x', outcome: 'ok', address: '' })
      await store.audit.settled()
      t.equal(store.bus.live(), false)
      await redis.start()
      await recovers(t, () => store.sessions.read(token), 10_000)
      await recovers(t, async () => store.bus.live(), 10_000)
      t.match(await store.sessions.read(token), { id, uid: 'jane' })
      t.match(await store.resources.findClient('kept'), { client_id: 'kept' })
      t.ok(await store.sessions.create({ uid: 'jane', ...from }), 'scripts are loaded anew')
    }
    t.ok(gaps >= 4)
    t.equal(
      lines.filter((line) => line.includes('"action":"lost"')).length,
      2,
      'lost audit events stand in the log',
    )
  },
)

t.test('Redis hangs: bounded errors, recovery', async (t) => {
  await using redis = await testRedis({ timeout: 1000 })
  await using store = await testStore(redis.settings)
  const { token } = await store.sessions.create({ uid: 'jane', ...from })
  redis.signal('SIGSTOP')
  await failsInTime(t, store, 4000)
  await setTimeout(300)
  await failsInTime(t, store, 4000)
  redis.signal('SIGCONT')
  await recovers(t, () => store.sessions.read(token), 10_000)
  await recovers(t, async () => store.bus.live(), 15_000)
})

t.test(
  'a first job that finds Redis away or silent is refused in time, and the next one is taken when it is back',
  async (t) => {
    const job = { id: 'first', kind: 'letter', data: {} }
    for (const silent of [false, true]) {
      await using redis = await testRedis({ timeout: 1000 })
      await using store = await testStore(redis.settings)
      if (silent) redis.signal('SIGSTOP')
      else await redis.stop()
      for (const _ of ['the look that opens the queue', 'and another'])
        await t.rejects(store.jobs.add(job), { name: 'UpstreamFailure', status: 502 })
      if (silent) redis.signal('SIGCONT')
      else await redis.start()
      await recovers(t, () => store.jobs.add(job).then(() => true), 15_000)
      t.match(await store.jobs.counts(), { waiting: 1 }, 'once')
    }
  },
)

t.test('a command that a lost connection left without answer is not repeated', async (t) => {
  await using redis = await testRedis()
  await using store = await testStore({ ...redis.settings, timeout: 10_000 })
  const slow = store.redis.eval(
    `local n = redis.call('INCR', KEYS[1])
    local t = redis.call('TIME') local till = t[1] * 1000 + t[2] / 1000 + 1500
    repeat t = redis.call('TIME') until t[1] * 1000 + t[2] / 1000 > till
    return n`,
    1,
    'latchkey:n',
  )
  await setTimeout(50)
  const [raw] = store.connection.runners as [Redis]
  for (const server of primaries(raw)) (server as unknown as { stream: { destroy(): void } }).stream.destroy()
  await t.rejects(slow, { name: 'UpstreamFailure' })
  t.equal(await store.redis.get('latchkey:n'), '1', 'as Redis says after the script')
})

t.test('a start without Redis fails in bounded time and says so', async (t) => {
  const away = { ...config.redis, url: `redis://127.0.0.1:${await freePort()}`, timeout: 300 }
  await t.rejects(bounded(2000, testStore(away)), { name: 'UpstreamFailure', message: /redis/i })
})

t.test('a wrong password fails the start at once', async (t) => {
  await using redis = await testRedis()
  const url = redis.settings.url.replace(/:[^:@]+@/, ':wrong@')
  await t.rejects(bounded(1500, testStore({ ...redis.settings, url, timeout: 3000 })), {
    name: 'UpstreamFailure',
  })
})
