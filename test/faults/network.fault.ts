import tap, { test } from 'tap'
import { rigFolder, startOneRedis, startOneSlapd, startRig } from './rig.ts'
import { startTcpProxy } from './tcp-proxy.ts'
import { trial } from './trial.ts'

const { dir, ...folder } = await rigFolder()
const redis = await startOneRedis(dir)
const ldap = await startOneSlapd(`${dir}/ldap`)
const toRedis = await startTcpProxy(redis.port)
const toLdap = await startTcpProxy(Number(new URL(ldap.url).port))
const rig = await startRig({
  redis: { app_redis__url: `redis://127.0.0.1:${toRedis.port}` },
  ldap: [ldap],
  ldapUrls: [`ldap://127.0.0.1:${toLdap.port}`],
  // So that a slow network on a busy machine stays within them, and a stalled one does not.
  settings: { app_ldap__timeout: '4000', app_redis__timeout: '4000' },
})
tap.teardown(async () => {
  for (const each of [rig, toRedis, toLdap, redis, ldap, folder]) await each[Symbol.asyncDispose]()
})

for (const [system, proxy] of [
  ['Redis', toRedis],
  ['LDAP', toLdap],
] as const)
  for (const network of ['slow', 'stalled', 'half-closed', 'refused'] as const)
    test(`a network to ${system} that is ${network}: bounded answers in our form, nothing lost, recovery without a restart`, async (t) => {
      const load = await trial(t, rig, {
        begin: () => proxy.become(network),
        end: () => proxy.become('pass'),
        seconds: network === 'stalled' ? 5 : 2,
      })
      if (network === 'slow') t.same(load.failures(), [], 'slow is no failure')
      else t.ok(load.failures().length > 0, 'the fault was felt')
    })
