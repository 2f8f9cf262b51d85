import t from 'tap'
import { everywhere } from '#test/support/redis.ts'
import { until } from '#test/support/until.ts'
import { testRedis, testStore } from './support.ts'

const redis = await testRedis()
const lines: string[] = []
const store = await testStore(redis.settings, { onLog: (line) => lines.push(line) })
const other = await testStore(redis.settings)
t.teardown(async () => {
  await other[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
})

t.test('a verification record keeps what is not changed and goes with its user', async (t) => {
  const { verification } = store
  const jane = { uid: 'jane', mail: 'jane@example.org', mobile: '+1555' }
  const nothing = { emailVerified: false, emailVerifiedAt: null, phoneVerified: false, phoneVerifiedAt: null }
  t.same(await verification.of(jane), { uid: 'jane', ...nothing, tosAccepted: false, tosAcceptedAt: null })
  await verification.confirm('Jane', 'mail', 'Jane@example.org')
  await verification.acceptTerms('jane', 0)
  const [john, known] = await verification.ofMany([{ uid: 'john', mail: jane.mail }, jane])
  t.match(known, { emailVerified: true, phoneVerified: false, tosAccepted: true })
  t.match(john, { emailVerified: false, tosAccepted: false })
  t.match(await verification.of({ ...jane, mail: 'new@example.org' }), {
    emailVerified: false,
    tosAccepted: true,
  })
  await verification.remove('jane')
  t.match(await verification.of(jane), { ...nothing, tosAccepted: false })
})

t.test('audit events are kept in order with id and time', async (t) => {
  for (let n = 0; n < 50; n++)
    store.audit.append({
      actor: 'a',
      action: 'test' as never,
      target: `${n}`,
      outcome: 'ok',
      address: '::1',
      detail: { n },
    })
  await store.audit.settled()
  const events = await store.audit.read()
  t.same(
    events.map(({ target }) => Number(target)),
    Array.from({ length: 50 }, (_, n) => n),
  )
  t.ok(Math.abs((events[0]?.at ?? 0) - Date.now()) < 5000)
  const rest = await store.audit.read({ after: events[9]?.id, limit: 5 })
  t.same(
    rest.map(({ target }) => target),
    ['10', '11', '12', '13', '14'],
  )
})

t.test('messages reach every pod, channel by channel', async (t) => {
  const heard: string[] = []
  for (const each of [store, other]) each.bus.subscribe('things', (message) => heard.push(message))
  other.bus.subscribe('others', (message) => heard.push(`wrong: ${message}`))
  await store.bus.publish('things', '{"a": "with spaces"}')
  await until('both hear it', async () => heard.length >= 2, 40, 10)
  t.same(heard, ['{"a": "with spaces"}', '{"a": "with spaces"}'])
})

t.test('a lost listener tells of the gap when it opens and when it closes', async (t) => {
  let gaps = 0
  other.bus.onGap(() => gaps++)
  t.equal(other.bus.live(), true)
  await everywhere(store.redis, 'CLIENT', 'KILL', 'TYPE', 'pubsub')
  await until('it opens', async () => gaps >= 1, 40, 10)
  await until('it closes', async () => other.bus.live() && gaps >= 2, 40, 10)
  const heard = Promise.withResolvers<string>()
  other.bus.subscribe('again', heard.resolve)
  await store.bus.publish('again', 'yes')
  t.equal(await heard.promise, 'yes')
})

t.test('health says when records could be lost, and warns once', async (t) => {
  t.match(await store.health(), { persistence: 'append-only file', eviction: 'noeviction', warnings: [] })
  await using careless = await testRedis({ appendOnly: false })
  const warned: string[] = []
  const own = await testStore(careless.settings, {
    onLog: (line) => line.includes('"level":40') && warned.push(line),
  })
  t.match(await own.health(), { persistence: 'off', eviction: 'noeviction' })
  t.equal((await own.health()).warnings.length, 1)
  t.equal(warned.length, 1)
  await everywhere(own.redis, 'CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru', 'save', '60 1')
  await own[Symbol.asyncDispose]()
  await using again = await testStore(careless.settings)
  t.match(await again.health(), { persistence: 'snapshots', eviction: 'allkeys-lru' })
  t.equal((await again.health()).warnings.length, 2)
})

t.test('where CONFIG is forbidden health does not guess', async (t) => {
  await using managed = await testRedis({ appendOnly: false })
  await using first = await testStore(managed.settings)
  const rights = ['on', '>pw', '~*', '&*', '+@all', '-config']
  await everywhere(first.redis, 'ACL', 'SETUSER', 'limited', ...rights)
  const { host } = new URL(managed.settings.url)
  await using limited = await testStore({ ...managed.settings, url: `redis://limited:pw@${host}` })
  t.match(await limited.health(), { persistence: 'unknown', eviction: 'noeviction', warnings: [] })
})
