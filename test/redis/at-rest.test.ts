import t from 'tap'
import type { Store } from '#adapters/redis/store.ts'
import { keysIn } from '#test/support/redis.ts'
import { putClient, secret, testClient, testRedis, testStore } from './support.ts'

const redis = await testRedis()
const store = await testStore(redis.settings)
t.teardown(async () => {
  await store[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
})

/** Every key with every value in it. */
async function dump({ redis: client }: Store): Promise<Map<string, string>> {
  const all = new Map<string, string>()
  for (const key of await keysIn(client)) {
    const type = await client.type(key)
    const value =
      type === 'hash'
        ? await client.hgetall(key)
        : type === 'zset'
          ? await client.zrange(key, 0, '-1')
          : type === 'stream'
            ? await client.xrange(key, '-', '+')
            : await client.get(key)
    all.set(key, JSON.stringify(value))
  }
  return all
}

t.test('a dump of Redis holds no token and no secret, and every key has the one prefix', async (t) => {
  const tokens: string[] = []
  for (const uid of ['jane', 'john']) {
    const { token, id } = await store.sessions.create({ uid, address: '::1', agent: 'x' })
    const payload = { ...(await store.sessions.payload(token)), uid: id }
    await store.sessions.savePayload(token, payload)
    await store.sessions.savePayload(`next-token-of-${uid}`, { ...payload, jti: `next-token-of-${uid}` })
    tokens.push(token, `next-token-of-${uid}`)
    await store.failures.count(uid, { most: 1, windowSeconds: 900 })
    store.audit.append({ actor: uid, action: 'login', target: uid, outcome: 'ok', address: '::1' })
  }
  await store.verification.acceptTerms('jane', 0)
  await putClient(store, testClient('app'))
  await store.audit.settled()
  const all = await dump(store)
  t.ok(all.size > 10)
  for (const key of all.keys()) t.ok(key.startsWith('latchkey:'), key)
  const text = [...all].flat().join('\n')
  for (const each of [...tokens, secret, store.keys.derive('cookies').toString('base64url')])
    t.notOk(text.includes(each))
})

t.test('everything of sessions expires by itself', async (t) => {
  for (const key of await keysIn(store.redis))
    if (!key.startsWith('latchkey:{')) t.ok((await store.redis.pttl(key)) > 0, key)
})

t.test('another secret voids sessions, and keeps clients, failures and what people accepted', async (t) => {
  const { token } = await store.sessions.create({ uid: 'jane', address: '::1', agent: 'x' })
  await using changed = await testStore(redis.settings, { secret: `another ${secret}` })
  t.equal(await changed.sessions.read(token), undefined)
  t.same(await changed.sessions.list('jane'), [])
  t.match(await changed.resources.findClient('app'), { client_id: 'app' })
  t.match(await changed.verification.of({ uid: 'jane', mail: 'x' }), { tosAccepted: true })
  t.equal((await changed.failures.count('jane', { most: 1, windowSeconds: 900 })).allowed, false)
  t.notSame(changed.keys.derive('cookies'), store.keys.derive('cookies'))
  await using same = await testStore(redis.settings)
  t.match(await same.sessions.read(token), { uid: 'jane' })
  t.same(same.keys.derive('cookies'), store.keys.derive('cookies'))
  t.notSame(same.keys.derive('cookies'), same.keys.derive('cursors'))
})

t.test('services with different prefixes share a Redis and not a record', async (t) => {
  await using neighbour = await testStore({ ...redis.settings, prefix: 'neighbour' })
  t.equal((await neighbour.resources.current()).resources.size, 0)
  await putClient(neighbour, testClient('app'))
  t.equal((await store.resources.current()).resources.size, 1)
})

t.test('no part of a name leaves its place in a key', (t) => {
  t.equal(store.keys.durable('verification', 'a:b{c}'), 'latchkey:{verification}:a%3Ab%7Bc%7D')
  t.match(store.keys.voidable('session', 'x'), /^latchkey:[\w-]{12}:session:x$/)
  t.equal(store.keys.durable('rate'), 'latchkey:{rate}')
  t.end()
})
