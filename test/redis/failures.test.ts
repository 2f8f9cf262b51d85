import t from 'tap'
import { hashed } from '#adapters/redis/keys.ts'
import { testRedis, testStore } from './support.ts'

const redis = await testRedis()
const store = await testStore(redis.settings)
t.teardown(async () => {
  await store[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
})
const { failures } = store
const limits = { most: 30, windowSeconds: 900 }

t.test('of fifty parallel guesses exactly thirty reach the verifier', async (t) => {
  const answers = await Promise.all(Array.from({ length: 50 }, () => failures.count('jane', limits)))
  t.equal(answers.filter(({ allowed }) => allowed).length, 30)
  const later = await failures.count('JANE', limits)
  t.equal(later.allowed, false)
  t.ok(later.retryAfterSeconds > 890 && later.retryAfterSeconds <= 900)
  t.match(await failures.list(), [{ uid: 'jane' }])
  t.equal((await failures.count('john', limits)).allowed, true, 'another account is open')
})

t.test('an administrator opens the doors', async (t) => {
  await failures.clear('Jane')
  t.same(await failures.list(), [])
  t.equal((await failures.count('jane', limits)).allowed, true)
})

t.test('a right try gives itself back', async (t) => {
  const small = { most: 3, windowSeconds: 900 }
  for (let n = 0; n < 10; n++) {
    const { allowed, attempt } = await failures.count('anna', small)
    t.equal(allowed, true)
    await failures.refund('anna', attempt)
  }
  const tries = await Promise.all([0, 1, 2].map(() => failures.count('anna', small)))
  t.equal((await failures.count('anna', small)).allowed, false)
  t.equal((await failures.list()).length, 1)
  await failures.refund('anna', tries[1]?.attempt as string)
  t.same(await failures.list(), [])
  t.equal((await failures.count('anna', small)).allowed, true)
})

/** As if that time had passed for the failures of an account. */
async function age(uid: string, seconds: number) {
  const { redis, keys } = store
  const counter = keys.durable('failures', 'of', hashed(uid))
  const closed = keys.durable('failures', 'closed')
  const left = await redis.pttl(counter)
  for (const attempt of await redis.zrange(counter, 0, '-1'))
    await redis.zincrby(counter, -1000 * seconds, attempt)
  if (left >= 0) await redis.pexpire(counter, left - 1000 * seconds)
  if ((await redis.zscore(closed, uid)) !== null) await redis.zincrby(closed, -1000 * seconds, uid)
}

t.test('closed doors open after the window, however often they are knocked at', async (t) => {
  const quick = { most: 2, windowSeconds: 400 }
  await failures.count('bert', quick)
  await age('bert', 240)
  await failures.count('bert', quick)
  await age('bert', 240)
  t.equal(
    (await failures.count('bert', quick)).allowed,
    false,
    'closed for one window after the last failure',
  )
  await age('bert', 200)
  t.notOk((await failures.list()).some(({ uid }) => uid === 'bert'))
  t.equal((await failures.count('bert', quick)).allowed, true)
})

t.test('failures older than the window do not count', async (t) => {
  const quick = { most: 2, windowSeconds: 100 }
  for (let n = 0; n < 4; n++) {
    t.equal((await failures.count('carl', quick)).allowed, true)
    await age('carl', 60 + 45 * (n % 2))
  }
})
