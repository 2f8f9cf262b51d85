import { randomUUID } from 'node:crypto'
import t from 'tap'
import { Refusal } from '#src/errors.ts'
import { putClient, testClient, testRedis, testStore } from './support.ts'

const redis = await testRedis()
let trips = 0
const store = await testStore(redis.settings, {
  onRoundTrip: () => {
    trips++
  },
})
const other = await testStore(redis.settings)
t.teardown(async () => {
  await other[Symbol.asyncDispose]()
  await store[Symbol.asyncDispose]()
  await redis[Symbol.asyncDispose]()
})
const pods = [store, other] as const
const log = store.keys.durable('directory', 'log')

t.test('a record is stored as given, and read by another pod at once', async (t) => {
  await putClient(store, testClient('one'))
  t.same(await store.resources.findClient('one'), testClient('one'))
  t.same((await other.resources.current()).resources.get('one'), testClient('one'))
  t.equal(await store.resources.findClient('nobody'), undefined)
  const host = { ...testClient('host'), kind: 'host' as const }
  await store.resources.change(() => ({ ops: [['resources', 'host', host as never]], value: 0 }))
  t.equal(await store.resources.findClient('host'), undefined, 'no client')
})

t.test(
  'of 50 changes that two pods decide on one state at once, one stands, and the others decide anew',
  async (t) => {
    const answers = await Promise.allSettled(
      Array.from({ length: 50 }, (_, n) =>
        (pods[n % 2] as typeof store).resources.change((now) => {
          if (now.resources.has('race')) throw new Refusal('AlreadyExists')
          return { ops: [['resources', 'race', testClient('race', n)]], value: n }
        }),
      ),
    )
    const won = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
    t.equal(won.length, 1)
    t.equal((await store.resources.findClient('race'))?.created_on, won[0])
    for (const answer of answers)
      if (answer.status === 'rejected') t.equal(answer.reason.name, 'AlreadyExists')
  },
)

t.test('twenty parallel updates of one record lose nothing', async (t) => {
  await putClient(store, testClient('busy'))
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (pods[n % 2] as typeof store).resources.change(async (now) => {
        const busy = now.resources.get('busy')
        const metadata = { ...busy?.metadata, [`field${n}`]: n }
        await new Promise(setImmediate)
        return { ops: [['resources', 'busy', { ...testClient('busy'), metadata }]], value: undefined }
      }),
    ),
  )
  t.equal(Object.keys((await store.resources.findClient('busy'))?.metadata ?? {}).length, 20)
})

t.test('what was made in one instant has one order, on every pod', async (t) => {
  const made = { created_by: 'test', created_on: 1 }
  const parents = Array.from({ length: 50 }, (_, n) => `parent-${n}`)
  await store.resources.change(() => ({
    ops: parents.map((parentId) => {
      const id = randomUUID()
      return ['edges', id, { ...made, id, parentId, childId: 'child', relation: 'contains' }]
    }),
    value: undefined,
  }))
  const later = await testStore(redis.settings)
  t.teardown(() => later[Symbol.asyncDispose]())
  const [first, ...others] = await Promise.all(
    [store, other, later].map(async ({ resources }) => {
      return (await resources.current()).above('child').map(({ parentId }) => parentId)
    }),
  )
  t.same(new Set(first), new Set(parents))
  for (const each of others) t.same(each, first)
})

t.test('every pod hears of a changed and of a removed client with the write itself', async (t) => {
  const heard: string[] = []
  let both = Promise.withResolvers<void>()
  other.bus.subscribe('client', (id) => {
    heard.push(id)
    both.resolve()
  })
  await putClient(store, testClient('told'))
  await both.promise
  both = Promise.withResolvers()
  await store.resources.change(() => ({ ops: [['resources', 'told', undefined]], value: undefined }))
  await both.promise
  t.same(heard, ['told', 'told'])
  t.equal(await store.resources.findClient('told'), undefined)
})

t.test('what a plan throws is thrown, and nothing is changed', async (t) => {
  const before = await store.redis.xlen(log)
  const refused = store.resources.change(() => {
    throw new Refusal('Conflict', 'no')
  })
  await t.rejects(refused, { name: 'Conflict', message: 'no' })
  t.equal(await store.redis.xlen(log), before)
})

t.test(
  'one round trip tells that nothing has changed, and brings what another pod has changed',
  async (t) => {
    await store.resources.current()
    const count = async () => {
      trips = 0
      await store.resources.current()
      return trips
    }
    t.equal(await count(), 1)
    for (let n = 0; n < 30; n++) await putClient(other, testClient(`new${n}`))
    t.equal(await count(), 1)
    t.equal((await store.resources.current()).resources.get('new29')?.id, 'new29')
  },
)

t.test(
  'a pod that missed more than the log holds, or knows an entry that was lost, reads everything anew',
  async (t) => {
    await store.resources.current()
    await putClient(other, testClient('far'))
    await putClient(other, testClient('farther'))
    await store.redis.xtrim(log, 'MAXLEN', 1)
    t.ok((await store.resources.current()).resources.has('far'))

    // A primary is lost with the last write: its entry is gone, and with it the record that every pod has in memory.
    await putClient(other, testClient('lost'))
    t.ok((await store.resources.current()).resources.has('lost'))
    await other.resources.current()
    const [[last] = []] = await store.redis.xrevrange(log, '+', '-', 'COUNT', 1)
    await store.redis.xdel(log, last as string)
    await store.redis.hdel(store.keys.durable('directory', 'resources'), 'lost')
    t.notOk((await store.resources.current()).resources.has('lost'))
    await putClient(store, testClient('after'))
    t.notOk((await other.resources.current()).resources.has('lost'))
    t.ok((await other.resources.current()).resources.has('after'))
  },
)

t.test(
  'a pod that starts has what there is, and each question of many at once is answered as of then',
  async (t) => {
    await using fresh = await testStore(redis.settings)
    const answers = Array.from({ length: 20 }, async (_, n) => {
      await putClient(store, testClient(`at-once-${n}`))
      return (await fresh.resources.current()).resources.has(`at-once-${n}`)
    })
    t.same(new Set(await Promise.all(answers)), new Set([true]))
  },
)
