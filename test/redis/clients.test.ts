import t from 'tap'
import { testClient, testRedis, testStore } from './support.ts'

const redis = await testRedis()
const store = await testStore(redis.settings)
const other = await testStore(redis.settings)
t.teardown(async () => {
  await other[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
})
const { clients } = store
const client = testClient

t.test('a client is stored as given, under an id nobody else has', async (t) => {
  await clients.create(client('one'))
  t.same(await clients.find('one'), client('one'))
  await t.rejects(clients.create(client('one', 5)), { name: 'AlreadyExists' })
  t.equal(await clients.find('nobody'), undefined)
  const many = await Promise.allSettled(Array.from({ length: 20 }, () => clients.create(client('race'))))
  t.equal(many.filter(({ status }) => status === 'fulfilled').length, 1)
  t.equal((await clients.list()).entries.length, 2)
})

t.test('twenty parallel updates of one client lose nothing', async (t) => {
  await clients.create(client('busy'))
  const pods = [clients, other.clients]
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      n % 4 === 0
        ? pods[n % 2]?.update('busy', { [`field${n}`]: n })
        : pods[n % 2]?.update('busy', (current) => ({
            [`field${n}`]: n,
            redirect_uris: [...current.redirect_uris, `https://${n}.example/cb`],
          })),
    ),
  )
  const busy = await clients.find('busy')
  t.equal(Object.keys(busy ?? {}).filter((name) => name.startsWith('field')).length, 20)
  t.equal(busy?.redirect_uris.length, 15)
  t.equal(busy?.secret_hash, 'sha256:x')
})

t.test('an update answers the whole record and changes neither id nor time', async (t) => {
  t.match(
    await clients.update('one', { name: 'One', client_id: 'x', created_on: 1, secret_hash: undefined }),
    {
      ...client('one'),
      name: 'One',
    },
  )
  t.equal(await clients.update('nobody', { name: 'x' }), undefined)
})

t.test('every pod hears of a change with the write itself', async (t) => {
  const heard = Promise.withResolvers<string>()
  other.bus.subscribe('client', (id) => id === 'told' && heard.resolve(id))
  await clients.create(client('told'))
  t.equal(await heard.promise, 'told')
})

t.test('removal takes the record and its place', async (t) => {
  const answers = await Promise.all([0, 1, 2].map(() => clients.remove('told')))
  t.same(answers.filter(Boolean), [true])
  t.equal(await clients.find('told'), undefined)
  t.notOk((await clients.list()).entries.some(({ client_id }) => client_id === 'told'))
})

t.test('lists are paged by time of creation and searched by name', async (t) => {
  for (const { client_id } of (await clients.list()).entries) await clients.remove(client_id)
  await Promise.all(
    Array.from({ length: 450 }, (_, n) =>
      clients.create(client(`c${n}`, 1000 + Math.floor(n / 2), `Name ${n}`)),
    ),
  )
  const seen: string[] = []
  let after: string | undefined
  do {
    const page = await clients.list({ limit: 40, after })
    seen.push(...page.entries.map(({ client_id }) => client_id))
    after = page.next
  } while (after)
  t.equal(new Set(seen).size, 450)
  t.equal(seen.length, 450)
  t.same(
    seen,
    (await clients.list()).entries.map(({ client_id }) => client_id),
  )
  t.equal((await clients.list({ limit: 450 })).next, undefined, 'absent on the last page')
  const found = await clients.list({ q: 'NAME 44', limit: 5 })
  t.same(
    found.entries.map(({ name }) => name),
    ['Name 44', 'Name 440', 'Name 441', 'Name 442', 'Name 443'],
  )
  const rest = await clients.list({ q: 'NAME 44', limit: 6, after: found.next })
  t.equal(rest.entries.length, 6)
  t.equal(rest.next, undefined)
})
