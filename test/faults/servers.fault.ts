import tap, { test } from 'tap'
import { rigFolder, startOneRedis, startOneSlapd, startRig } from './rig.ts'
import { trial } from './trial.ts'

const { dir, ...folder } = await rigFolder()
const redis = await startOneRedis(dir)
const ldap = await startOneSlapd(`${dir}/ldap`)
const rig = await startRig({ redis: redis.settings, ldap: [ldap] })
tap.teardown(async () => {
  for (const each of [rig, ldap, redis, folder]) await each[Symbol.asyncDispose]()
})

for (const [what, begin, end] of [
  ['SIGSTOP of slapd', () => process.kill(ldap.pid, 'SIGSTOP'), () => process.kill(ldap.pid, 'SIGCONT')],
  ['SIGSTOP of Redis', () => process.kill(redis.pid, 'SIGSTOP'), () => process.kill(redis.pid, 'SIGCONT')],
  ['SIGKILL of slapd', ldap.kill, ldap.start],
  ['SIGKILL of Redis', redis.kill, redis.start],
] as const)
  test(`${what} under load: errors in our form meanwhile, nothing half made or lost, recovery without a restart`, async (t) => {
    const load = await trial(t, rig, { begin, end })
    t.ok(load.failures().length > 0, 'the fault was felt')
  })
