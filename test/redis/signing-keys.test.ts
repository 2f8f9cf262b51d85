import t from 'tap'
import { testRedis, testStore } from './support.ts'

const redis = await testRedis()
let roundTrips = 0
const store = await testStore(redis.settings, { onRoundTrip: () => roundTrips++ })
t.teardown(async () => {
  await store[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
})
const { signingKeys } = store
const always = Number.MAX_SAFE_INTEGER

t.test(
  'of ten that make one key at once the first one’s is kept, and all read it in one round trip',
  async (t) => {
    const made = await Promise.all(
      Array.from({ length: 10 }, () => signingKeys.make({ algorithm: 'RS256', startsAt: 4000 }, always)),
    )
    t.equal(made.filter((ours) => ours).length, 1)
    const before = roundTrips
    const { keys, now } = await signingKeys.read()
    t.equal(roundTrips - before, 1)
    t.match(keys, [{ algorithm: 'RS256', startsAt: 4000, jwk: { kty: 'RSA', alg: 'RS256', use: 'sig' } }])
    t.equal(keys.length, 1)
    const [seconds] = await store.redis.time()
    t.ok(Math.abs(now / 1000 - Number(seconds)) < 60, 'with the time in milliseconds')
  },
)

t.test('no key is added later than it had to be there', async (t) => {
  const { now } = await signingKeys.read()
  t.equal(await signingKeys.make({ algorithm: 'ES256', startsAt: 8000 }, now - 1), false)
  t.equal(await signingKeys.make({ algorithm: 'ES256', startsAt: 8000 }, now + 60_000), true)
  t.equal((await signingKeys.read()).keys.length, 2)
})

t.test('deleting a key leaves another that took its place', async (t) => {
  const of = async () => (await signingKeys.read()).keys.find(({ algorithm }) => algorithm === 'ES256')
  const first = await of()
  if (!first) return t.fail('no key')
  await signingKeys.drop(first)
  t.equal(await of(), undefined)
  await signingKeys.make(first, always)
  await signingKeys.drop(first)
  t.notSame((await of())?.jwk, first.jwk)
  t.ok(await of())
})
