import t from 'tap'
import { providerScripts } from '#adapters/redis/provider-scripts.ts'
import { openUses } from '#adapters/redis/uses.ts'
import { until } from '#test/support/until.ts'
import { testRedis, testStore } from './support.ts'

const opened = new AsyncDisposableStack()
t.teardown(() => opened.disposeAsync())
const redis = opened.use(await testRedis())
const { connection } = opened.use(await testStore(redis.settings))
const run = providerScripts(connection)
const uses = openUses(connection, { info() {}, warn() {}, error() {} })
const tombstone = 60_000

t.test(
  'a use is given back by its own name alone, and one that arrives after that comes too late',
  async (t) => {
    await run.put('code', 'payload', 60_000)
    t.equal(await run.consume('code', tombstone, 'mine'), 1)
    t.equal(await run.giveBack('code', 'another'), 0)
    t.equal(await run.consume('code', tombstone, 'again'), 0, 'it stays used')
    t.equal(await run.giveBack('code', 'mine'), 1)
    t.equal(
      await run.consume('code', tombstone, 'mine'),
      0,
      'what was given back is not used by whoever gave it',
    )
    t.equal(await uses.unused('code'), 'payload')
    t.equal(await uses.consume('code'), true)
    t.equal(await uses.consume('code'), false)
  },
)

t.test('a use is given back as soon as Redis hears it, however often it does not', async (t) => {
  await run.put('token', 'payload', 60_000)
  const { client } = connection
  const sent = { eval: client.eval.bind(client), evalsha: client.evalsha.bind(client) }
  let calls = 0
  // The answer to the use is lost, and so are the first two tries to give it back.
  for (const name of ['eval', 'evalsha'] as const)
    client[name] = (async (...args: never[]) => {
      const call = ++calls
      if (call === 2 || call === 3) throw new Error('not heard')
      const answer = await (sent[name] as (...args: never[]) => Promise<unknown>)(...args)
      if (call === 1) throw new Error('the answer is lost')
      return answer
    }) as never
  await t.rejects(uses.consume('token'), { name: 'UpstreamFailure' })
  await until('it is given back', async () => calls > 3 && (await uses.unused('token')), 20)
  t.equal(await uses.consume('token'), true)
})
