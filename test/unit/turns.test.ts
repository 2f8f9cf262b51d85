import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { createTurns } from '#adapters/ldap/turns.ts'

t.test('so many at one time, the others in their order', async (t) => {
  const turns = createTurns({ size: 2, waiting: 10, wait: 60_000 })
  let now = 0
  let most = 0
  const order: number[] = []
  await Promise.all(
    Array.from({ length: 8 }, async (_, n) => {
      using _turn = await turns.take()
      order.push(n)
      most = Math.max(most, ++now)
      await pause(5)
      now--
    }),
  )
  t.equal(most, 2)
  t.same(order, [0, 1, 2, 3, 4, 5, 6, 7])
})

t.test('a full queue is TooManyRequests, a queue that does not move UpstreamFailure', async (t) => {
  const turns = createTurns({ size: 1, waiting: 1, wait: 20 })
  const held = await turns.take()
  const waiting = turns.take()
  waiting.catch(() => {})
  await t.rejects(turns.take(), { name: 'TooManyRequests' })
  await t.rejects(waiting, { name: 'UpstreamFailure' })
  held[Symbol.dispose]()
  held[Symbol.dispose]()
  const next = await turns.take()
  const after = turns.take()
  next[Symbol.dispose]()
  ;(await after)[Symbol.dispose]()
})

t.test('who waits longer than that in a queue that moves gets a turn', async (t) => {
  const turns = createTurns({ size: 1, waiting: 10, wait: 400 })
  const began = performance.now()
  const each = Array.from({ length: 8 }, async () => {
    using _turn = await turns.take()
    await pause(100)
    return performance.now() - began
  })
  t.ok(((await Promise.all(each)).at(-1) as number) > 400, 'the last one waited so long')
})
