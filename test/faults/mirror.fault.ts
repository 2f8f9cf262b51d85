import { setTimeout as pause } from 'node:timers/promises'
import tap, { test } from 'tap'
import { standStill } from '#test/ldap/graph-support.ts'
import { until } from '#test/support/until.ts'
import type { Window } from './judge.ts'
import { onTheWay } from './judge.ts'
import { contextOf, startMirror } from './mirror.ts'
import { rigFolder, startRig } from './rig.ts'
import { trial } from './trial.ts'

const { dir, ...folder } = await rigFolder()
const mirror = await startMirror(dir)
const [one, two] = mirror.servers
const rig = await startRig({ ldap: mirror.servers })
tap.teardown(async () => {
  for (const each of [rig, mirror, folder]) await each[Symbol.asyncDispose]()
})
const alike = () => until('both hold the same', async () => (await contextOf(one)) === (await contextOf(two)))

test('loss of one slapd of two in mirror mode under load: the other takes over, and both hold the same when it is back', async (t) => {
  const window: Window = { from: 0, to: 0 }
  const load = await trial(t, rig, {
    async begin() {
      // What was on its way to the other: milliseconds, a second on a busy machine.
      window.from = performance.now() - onTheWay
      await one.kill()
      window.to = performance.now() + onTheWay
    },
    window: () => window,
  })
  await one.start()
  await alike()
  await load.isWhole(t)
})

test('SIGSTOP of the slapd that takes the writes: the other takes over', async (t) => {
  const window: Window = { from: 0, to: 0 }
  const load = await trial(t, rig, {
    async begin() {
      window.from = performance.now() - onTheWay
      await standStill(two.pid)
      window.to = performance.now() + onTheWay
    },
    window: () => window,
    seconds: 6,
  })
  process.kill(two.pid, 'SIGCONT')
  await alike()
  await load.isWhole(t)
})

test('a slapd that is lost with writes that the other has not got: those alone are missing, and come back with its disk', async (t) => {
  const window: Window = { from: 0, to: 0 }
  let mend = () => {}
  const load = await trial(t, rig, {
    async begin() {
      window.from = performance.now() - onTheWay
      mend = mirror.part()
      await pause(1500)
      await one.kill()
      window.to = performance.now() + onTheWay
    },
    window: () => window,
  })
  mend()
  await one.start()
  await alike()
  await load.isWhole(t)
})
