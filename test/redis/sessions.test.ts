import { setTimeout } from 'node:timers/promises'
import t from 'tap'
import { hashed } from '#adapters/redis/keys.ts'
import type { SessionRecord } from '#adapters/redis/session-record.ts'
import { isRefusal } from '#src/errors.ts'
import { keysIn } from '#test/support/redis.ts'
import { until } from '#test/support/until.ts'
import { testRedis, testStore } from './support.ts'

const redis = await testRedis()
const trips: number[] = []
const store = await testStore(redis.settings, { onRoundTrip: (commands) => trips.push(commands) })
t.teardown(async () => {
  await store[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
})
const { sessions } = store
const from = { address: '192.0.2.1', agent: 'Tester' }

t.test('a session is read by its token in one round trip', async (t) => {
  const { token, id } = await sessions.create({ uid: 'jane', ...from, impersonator: 'root' })
  t.match(token, /^[\w-]{43}$/)
  trips.length = 0
  const session = await sessions.read(token)
  t.same(trips, [1])
  t.match(session, { id, uid: 'jane', ...from, impersonator: 'root' })
  t.ok(Math.abs((session as SessionRecord).created_on - Date.now()) < 5000)
  t.equal(await sessions.read(`${token}x`), undefined)
  t.match(await sessions.byId(id), { id })
})

t.test('an account lists and ends its own sessions and no others', async (t) => {
  const [one, two, three] = await Promise.all(
    ['anna', 'anna', 'bert'].map((uid) => sessions.create({ uid, ...from })),
  )
  t.same((await sessions.list('anna')).map(({ id }) => id).sort(), [one?.id, two?.id].sort())
  t.equal(await sessions.end('anna', three?.id as string), false)
  t.equal(await sessions.end('anna', one?.id as string), true)
  t.equal(await sessions.end('anna', one?.id as string), false)
  t.equal(await sessions.read(one?.token as string), undefined)
  t.equal((await sessions.list('anna')).length, 1)
  t.ok(await sessions.read(three?.token as string))
})

t.test('all sessions of an account end, but the one kept', async (t) => {
  const made = await Promise.all(Array.from({ length: 5 }, () => sessions.create({ uid: 'carl', ...from })))
  t.equal(await sessions.endAll('CARL', made[2]?.id), 4)
  const alive = await Promise.all(made.map(({ token }) => sessions.read(token)))
  t.same(alive.map(Boolean), [false, false, true, false, false])
  t.equal(await sessions.endAll('carl'), 1)
})

t.test('a sign-in that began before all sessions ended makes none', async (t) => {
  const generation = await sessions.generation('dora')
  await sessions.create({ uid: 'dora', ...from, generation })
  await sessions.endAll('dora')
  await t.rejects(sessions.create({ uid: 'dora', ...from, generation }), { name: 'LoginFailed' })
  t.same(await sessions.list('dora'), [])
  t.ok(await sessions.create({ uid: 'dora', ...from, generation: await sessions.generation('dora') }))
})

t.test('sessions made while all are ended are ended or listed, never lost from sight', async (t) => {
  const tokens: string[] = []
  const making = Array.from({ length: 100 }, async (_, n) => {
    await setTimeout(n / 5)
    const made = await sessions.create({ uid: 'emil', ...from }).catch((error) => {
      if (!isRefusal(error, 'LoginFailed')) throw error
    })
    if (made) tokens.push(made.token)
  })
  const ending = Array.from({ length: 8 }, async (_, n) => {
    await setTimeout(3 * n)
    await sessions.endAll('emil')
  })
  await Promise.all([...making, ...ending])
  const alive = (await Promise.all(tokens.map((token) => sessions.read(token)))).filter(Boolean).length
  t.equal((await sessions.list('emil')).length, alive)
  t.equal(await sessions.endAll('emil'), alive)
  t.equal((await Promise.all(tokens.map((token) => sessions.read(token)))).filter(Boolean).length, 0)
})

t.test('a session ends when idle and at its absolute end, whatever is done with it', async (t) => {
  const short = await testStore(redis.settings, { idle: 200, absolute: 400 })
  t.teardown(() => short[Symbol.asyncDispose]())
  const [idle, used] = await Promise.all([0, 1].map(() => short.sessions.create({ uid: 'fred', ...from })))
  const tokens = [idle?.token, used?.token] as [string, string]
  const pass = (seconds: number) => Promise.all(tokens.map((token) => age(token, seconds)))
  for (let at = 0; at < 320; at += 40) {
    t.ok(await short.sessions.read(tokens[1]), 'alive while used')
    await pass(40)
  }
  t.equal(await short.sessions.read(tokens[0]), undefined, 'idle')
  t.equal((await short.sessions.list('fred')).length, 1)
  await pass(85)
  t.equal(await short.sessions.read(tokens[1]), undefined, 'absolute')
  t.same(await short.sessions.list('fred'), [])
})

/** As if that time had passed for the record of a session. */
async function age(token: string, seconds: number) {
  const key = store.keys.voidable('session', hashed(token))
  const left = await store.redis.pttl(key)
  if (left < 0) return
  for (const field of ['created_on', 'last_used_on']) await store.redis.hincrby(key, field, -1000 * seconds)
  await store.redis.pexpire(key, left - 1000 * seconds)
}

t.test('the time of last use is noted at most once a minute', async (t) => {
  const { token, id } = await sessions.create({ uid: 'gerd', ...from })
  const key = (await keysIn(store.redis, '*:session:*')).find(Boolean) as string
  t.ok(key.startsWith('latchkey:'))
  const before = await sessions.read(token)
  await setTimeout(20)
  t.equal((await sessions.read(token))?.last_used_on, before?.last_used_on)
  const all = await keysIn(store.redis, '*:session:*')
  for (const each of all)
    if ((await store.redis.hget(each, 'id')) === id) await store.redis.hincrby(each, 'last_used_on', -61_000)
  await sessions.read(token)
  t.ok(((await sessions.read(token))?.last_used_on ?? 0) > Date.now() - 5000)
})

t.test('the provider finds, saves and moves the same session', async (t) => {
  const { token, id } = await sessions.create({ uid: 'hans', ...from, amr: ['pwd'] })
  const payload = await sessions.payload(token)
  t.match(payload, { kind: 'Session', uid: id, jti: token, accountId: 'hans', amr: ['pwd'] })
  t.match(await sessions.findByUid(id), { uid: id, jti: undefined })

  trips.length = 0
  await sessions.savePayload(token, { ...payload, uid: id, authorizations: { app: { sid: 's1' } } })
  t.same(trips, [1], 'one round trip')
  t.match((await sessions.payload(token))?.authorizations, { app: { sid: 's1' } })

  const created = (await sessions.read(token))?.created_on
  await sessions.savePayload('the-next-token', { ...payload, jti: 'the-next-token', uid: id })
  t.equal(await sessions.read(token), undefined, 'the old token is dead')
  t.match(await sessions.read('the-next-token'), { id, uid: 'hans', ...from, created_on: created })
  t.equal((await sessions.list('hans')).length, 1)
  t.equal(await sessions.endAll('hans'), 1)
  t.equal(await sessions.payload('the-next-token'), undefined)
})

t.test('twenty parallel changes of the token leave exactly one alive', async (t) => {
  const { token, id } = await sessions.create({ uid: 'ida', ...from })
  const payload = { ...(await sessions.payload(token)), uid: id }
  const tokens = Array.from({ length: 20 }, (_, n) => `ida-${n}`)
  await Promise.all(tokens.map((next) => sessions.savePayload(next, { ...payload, jti: next })))
  const alive = await Promise.all([token, ...tokens].map((each) => sessions.read(each)))
  t.equal(alive.filter(Boolean).length, 1)
  t.equal((await sessions.list('ida')).length, 1)
})

t.test('a save waits for another that has taken the session and not yet written it', async (t) => {
  await using beside = await redis.open()
  const { token, id } = await sessions.create({ uid: 'jo', ...from })
  const payload = { ...(await sessions.payload(token)), uid: id }
  const key = store.keys.voidable('session', hashed(token))
  const taken = await beside.hgetall(key)
  await beside.del(key)
  trips.length = 0
  const saving = sessions.savePayload('jo-next', { ...payload, jti: 'jo-next' })
  await until('it has looked often', async () => trips.length > 22, 15, 5)
  await beside.hset(key, taken)
  await saving
  t.match(await sessions.read('jo-next'), { id, uid: 'jo', ...from })
  t.equal(await sessions.read(token), undefined)
})

t.test('a request under way cannot bring an ended session back', async (t) => {
  const { token, id } = await sessions.create({ uid: 'jan', ...from })
  const payload = { ...(await sessions.payload(token)), uid: id }
  await sessions.endAll('jan')
  await sessions.savePayload(token, payload)
  await sessions.savePayload('jan-next', { ...payload, jti: 'jan-next' })
  t.equal(await sessions.payload(token), undefined)
  t.equal(await sessions.payload('jan-next'), undefined)
  t.same(await sessions.list('jan'), [])
})

t.test('a session that the provider made is a session of its account once it has one', async (t) => {
  await sessions.savePayload('karl-0', { uid: 'karl-session', jti: 'karl-0' })
  t.ok(await sessions.payload('karl-0'))
  t.equal(await sessions.read('karl-0'), undefined, 'nobody signed in')
  await sessions.savePayload('karl-1', { uid: 'karl-session', jti: 'karl-1', accountId: 'karl' })
  t.equal(await sessions.payload('karl-0'), undefined)
  t.match(await sessions.read('karl-1'), { uid: 'karl', id: 'karl-session' })
  t.equal((await sessions.list('karl')).length, 1)
})

t.test('whoever listens is told of every ended session, once', async (t) => {
  const told: string[] = []
  sessions.onEnd(async ({ id, payload }) => void told.push(`${id} ${payload.accountId}`))
  const made = await Promise.all([0, 1, 2].map(() => sessions.create({ uid: 'lars', ...from })))
  const [one, two, three] = made.map(({ id }) => `${id} lars`)
  await Promise.all([0, 1, 2].map(() => sessions.endByToken(made[0]?.token as string)))
  t.same(told, [one])
  await sessions.end('lars', made[1]?.id as string)
  await Promise.all([sessions.endAll('lars'), sessions.endAll('lars')])
  t.same(told, [one, two, three])
})
