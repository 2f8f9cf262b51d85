import tap, { test } from 'tap'
import { startSentinels } from '#test/support/redis-nodes.ts'
import { until } from '#test/support/until.ts'
import { onTheWay } from './judge.ts'
import { rigFolder, startRig } from './rig.ts'
import { trial } from './trial.ts'

const { dir, ...folder } = await rigFolder()
const redis = await startSentinels(dir, {
  replicas: 2,
  silentMilliseconds: 2000, // not by a busy machine
  settings: ['appendonly yes', 'maxmemory-policy noeviction'],
})
const rig = await startRig({ redis: redis.settings, settings: { app_redis__replicas: '1' } })
tap.teardown(async () => {
  for (const each of [rig, redis, folder]) await each[Symbol.asyncDispose]()
})
const [sentinel] = redis.sentinels as [(typeof redis.sentinels)[0]]
const servers = [redis.primary, ...redis.replicas]
const primary = async () => {
  const [, port] = (await sentinel.send('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'main')) as [string, string]
  const found = servers.find((each) => String(each.port) === port)
  if (!found) throw new Error(`no server at ${port}`)
  return found
}
/** Until another one is primary and the other replica follows it: without one, no durable write is acknowledged. */
const replaced = (old: { port: number }) =>
  until('another one is primary and is followed', async () => {
    const found = await primary()
    return found.port !== old.port && String(await found.send('INFO', 'replication')).includes('state=online')
  })

test('Redis failover by Sentinel under load: the primary dies, a replica takes over, and nothing acknowledged is lost but what was on its way to it', async (t) => {
  const old = await primary()
  let died = 0
  await trial(t, rig, {
    async begin() {
      await old.kill()
      died = performance.now()
    },
    end: () => replaced(old),
    // What was on its way to the replica that takes over: milliseconds, a second on a busy machine.
    window: () => ({ from: died - 2 * onTheWay, to: died + onTheWay }),
  })
  await old.start()
  await until('it comes back as a replica', async () => String(await old.send('ROLE')).startsWith('slave'))
})
