import { cp, mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Test } from 'tap'
import t from 'tap'
import { findBinaries } from '#quickstart/binaries.ts'
import type { Slapd } from '#quickstart/slapd.ts'
import { startSlapd } from '#quickstart/slapd.ts'
import { testRedis, testStore } from '#test/redis/support.ts'
import { testDataDir } from '#test/support/data-dir.ts'
import { until } from '#test/support/until.ts'
import { standStill } from './graph-support.ts'
import { bareClient, openOn, person, silent } from './support.ts'

const opened = new AsyncDisposableStack()
t.teardown(() => opened.disposeAsync())
const redis = opened.use(await testRedis())

/** Not mirrored, so that each shows what was written to it and to it alone. */
const one = await server('one')
const two = await server('two')

async function server(name: string): Promise<Slapd> {
  const dir = join(redis.dir, name)
  await mkdir(dir)
  // The service has one password at all of them.
  if (name !== 'one') await cp(join(redis.dir, 'one/latchkey.password'), join(dir, 'latchkey.password'))
  const binaries = await findBinaries(testDataDir)
  return opened.use(await startSlapd({ dir, binaries, nosync: true, argon2: { memory: 1024, passes: 1 } }))
}

type Pod = Awaited<ReturnType<typeof pod>>
/** On both servers, with a connection to Redis of its own. */
async function pod() {
  const store = opened.use(await testStore(redis.settings))
  const agreement = opened.use(await store.agree('ldap'))
  const url = `${one.url},${two.url}`
  const directory = opened.use(await openOn(one, { url, timeout: '4000' }, { ...silent, agreement }))
  await directory.prepare()
  return { directory, agreement }
}

async function writesTo(t: Test, { directory }: Pod, there: Slapd) {
  const { uid } = await directory.users.create(person())
  const found = await Promise.all(
    [one, two].map(async (each) => {
      const client = await bareClient(each)
      const { searchEntries } = await client.search(each.base, { filter: `(uid=${uid})` })
      await client.unbind()
      return searchEntries.length > 0 && each
    }),
  )
  t.same(found.filter(Boolean), [there])
}

t.test(
  'one server takes the writes of all pods, whichever of them finds that another is needed',
  async (t) => {
    const [first, second] = [await pod(), await pod()]
    for (const each of [first, second]) await writesTo(t, each, one)

    await standStill(one.pid)
    await until('the other server is used', () =>
      first.directory.ping().then(
        () => true,
        () => false,
      ),
    )
    process.kill(one.pid, 'SIGCONT')
    // The second asked nothing meanwhile, and the server that it knows answers again.
    await until(
      'it has moved, idle as it is',
      async () => second.agreement.word === two.url && second.directory.figures().connections === 2,
    )
    await writesTo(t, second, two)
    await writesTo(t, first, two)
  },
)

t.test('a pod that starts goes where the others are', async (t) => {
  await writesTo(t, await pod(), two)
})
