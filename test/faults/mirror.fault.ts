import tap, { test } from 'tap'
import { until } from '#test/support/until.ts'
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
  const load = await trial(t, rig, { begin: () => one.kill() })
  await one.start()
  await alike()
  t.ok(load.acknowledged.users.length > 0)
})

test('SIGSTOP of the slapd that takes the writes: the other takes over', async (t) => {
  await trial(t, rig, { begin: () => process.kill(two.pid, 'SIGSTOP'), seconds: 6 })
  process.kill(two.pid, 'SIGCONT')
  await alike()
})
