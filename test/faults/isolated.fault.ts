import { readFile } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import tap, { test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { until } from '#test/support/until.ts'
import type { Window } from './judge.ts'
import { onTheWay } from './judge.ts'
import { startPartition } from './partition.ts'
import { rigFolder, startRig } from './rig.ts'
import { short, trial } from './trial.ts'

/** As in deploy/redis: without a replica for so long, a primary takes no more writes. */
const script = await readFile(new URL('../../deploy/redis/start.sh', import.meta.url), 'utf8')
const deployed = Number(/^min-replicas-max-lag (\d+)$/m.exec(script)?.[1])
const lagSeconds = short ? 3 : deployed
/** Redis counts in whole seconds, once a second. */
const granularitySeconds = 2

const { dir, ...folder } = await rigFolder()
const redis = await startPartition(dir, [
  'appendonly yes',
  'maxmemory-policy noeviction',
  'min-replicas-to-write 1',
  `min-replicas-max-lag ${lagSeconds}`,
])
const rig = await startRig({ redis: redis.settings, pods: redis.pods })
tap.teardown(async () => {
  for (const each of [rig, redis, folder]) await each[Symbol.asyncDispose]()
})
/**
 * What waits for a replica is not acknowledged by one that has none; what it acknowledged just before may be with the one
 * replica and not with the other, which may be the next primary.
 */
const stated = (from: number, to = from + (lagSeconds + granularitySeconds) * 1000 + onTheWay): Window => ({
  from: from - onTheWay,
  to,
  kinds: { session: to, 'refresh token': to, client: from + onTheWay },
})

test('an isolated primary whose pods are isolated with it: it takes writes for the stated window and no longer, and all is well when the network is', async (t) => {
  const old = await redis.primary()
  let from = 0
  let mend = () => {}
  const load = await trial(t, rig, {
    begin() {
      from = performance.now()
      const mends = [redis.cut(old), redis.deafen()]
      mend = () => {
        for (const each of mends) each()
      }
    },
    seconds: lagSeconds + granularitySeconds + 1,
    async end() {
      mend()
      await redis.whole()
    },
    window: () => stated(from),
  })
  t.not((await redis.primary()).port, old.port, 'the Sentinels made another one primary')
  t.ok(load.failures().length > 0, 'writes are refused after the window')
})

test('an isolated primary whose pods hear the Sentinels: they go to the new one while it is still cut off', async (t) => {
  const old = await redis.primary()
  let from = 0
  let mend = () => {}
  await trial(t, rig, {
    async begin() {
      from = performance.now()
      mend = redis.cut(old)
      await redis.replaced(old)
    },
    window: () => stated(from),
  })
  mend()
  await redis.whole()
})

test('a pod that is left with the old primary says "try again" of what it does not know, not that it is void', async (t) => {
  const old = await redis.primary()
  const [left, hearing] = rig.pods
  const mends = [redis.cut(old), redis.deafen(0)]
  await redis.replaced(old)
  const party = relyingParty(hearing, rig.admin)
  const application = await until('the other pod is with the new one', () =>
    party.register().catch(() => undefined),
  )
  const { refresh_token } = await party.tokensFor(application, rig.admin)
  const there = relyingParty(left, rig.admin)
  const { status, body } = await there.refresh(application, refresh_token)
  t.match(
    { status, body },
    { status: 502, body: { name: 'UpstreamFailure', error: 'temporarily_unavailable' } },
  )
  for (const each of mends) each()
  await redis.whole()
  await rig.ready()
  const refreshed = await until('it is with the new one', async () => {
    const answer = await there.refresh(application, refresh_token)
    return answer.status !== 502 && answer
  })
  t.equal(refreshed.status, 200, 'and it is good')
})

test('a primary that dies with writes that no replica has: those alone are lost', async (t) => {
  const old = await redis.primary()
  let [from, died] = [0, 0]
  let mend = () => {}
  await trial(t, rig, {
    async begin() {
      from = performance.now()
      mend = redis.cut(old)
      await pause(400)
      await old.node.kill()
      died = performance.now()
    },
    end: () => redis.replaced(old),
    window: () => stated(from, died + onTheWay),
  })
  mend()
  await old.node.start()
  await redis.whole()
})
