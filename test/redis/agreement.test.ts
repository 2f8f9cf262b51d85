import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import type { Store } from '#adapters/redis/store.ts'
import { everywhere } from '#test/support/redis.ts'
import { until } from '#test/support/until.ts'
import { testRedis, testStore } from './support.ts'

const opened = new AsyncDisposableStack()
t.teardown(() => opened.disposeAsync())
const redis = opened.use(await testRedis())
const stores = [opened.use(await testStore(redis.settings)), opened.use(await testStore(redis.settings))]

/** What one pod agrees to by a name, and every word that it heard of. */
async function podOn(store: Store, name: string) {
  const agreement = opened.use(await store.agree(name))
  const heard: string[] = []
  agreement.onChange((word) => heard.push(word))
  return { agreement, heard }
}
async function pods(name: string) {
  const [one, other] = stores as [Store, Store]
  return [await podOn(one, name), await podOn(other, name)] as const
}
const agreed = (all: Awaited<ReturnType<typeof pods>>, ...words: string[]) =>
  until('all know it', async () =>
    all.every(({ agreement: { word } }) => word === all[0].agreement.word && words.includes(word ?? '')),
  )

t.test('of two proposals at once one counts, and no pod goes anywhere in between', async (t) => {
  const all = await pods('at-once')
  const [one, other] = all
  for (const words of [
    ['a', 'b'],
    ['c', 'd'],
  ] as const) {
    one.agreement.want(words[0])
    other.agreement.want(words[1])
    await agreed(all, ...words)
  }
  await pause(100)
  t.equal(one.heard.length, 2)
  t.same(one.heard, other.heard)
})

t.test('two pods that find otherwise do not chase each other', async (t) => {
  const all = await pods('apart')
  for (const [at, word] of ['here', 'there'].entries()) {
    const { agreement } = all[at] as (typeof all)[0]
    agreement.onChange(() => agreement.want(word))
    agreement.want(word)
  }
  await agreed(all, 'here', 'there')
  await pause(500)
  for (const { heard } of all) t.ok(heard.length <= 3, `${heard.length} changes: each proposed one at once`)
})

t.test('pods that may have missed a change ask for it when they hear again', async (t) => {
  const all = await pods('unheard')
  const [{ redis, keys }] = stores as [Store]
  all[0].agreement.want('before')
  await agreed(all, 'before')
  await redis.set(keys.durable('agreement', 'unheard'), 'after') // by a pod whose message was lost
  t.equal(all[1].agreement.word, 'before')
  await everywhere(redis, 'CLIENT', 'KILL', 'TYPE', 'pubsub')
  await agreed(all, 'after')
})

t.test('what was agreed while nobody could be told is told when that can be done again', async (t) => {
  const all = await pods('untold')
  const [{ redis: commands }] = stores as [Store]
  await everywhere(commands, 'ACL', 'SETUSER', 'default', '-publish')
  all[0].agreement.want('whispered')
  await until('one knows it', async () => all[0].agreement.word === 'whispered')
  t.equal(all[1].agreement.word, undefined)
  await everywhere(commands, 'ACL', 'SETUSER', 'default', '+publish')
  await agreed(all, 'whispered')
})

t.test('what was proposed while Redis was away is proposed again', async () => {
  const all = await pods('away')
  await redis.kill()
  all[0].agreement.want('found meanwhile')
  await pause(300)
  await redis.start()
  await agreed(all, 'found meanwhile')
})
