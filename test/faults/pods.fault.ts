import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import tap, { test } from 'tap'
import { startLoad, wasLost } from './load.ts'
import { startRig } from './rig.ts'

const rig = await startRig()
tap.teardown(() => rig[Symbol.asyncDispose]())
const [one, two] = rig.pods

test('SIGTERM of each pod in turn under load, as an upgrade does it: no request fails', async (t) => {
  const load = startLoad(rig, rig.admin)
  await pause(1000)
  for (const pod of [one, two, one, two]) {
    const ended = once(pod.process, 'exit')
    pod.process.kill('SIGTERM')
    t.same(await ended, [0, null], 'it ends by itself')
    await pod.start()
    await rig.ready()
    await pause(1200) // nginx asks it again
  }
  await load.stop()
  t.same(load.failures(), [])
  t.equal(load.refreshes.lostSessions, 0)
  await load.judge(t)
})

test('a pod that was told to end says so at /readyz, goes on answering, and ends connections with its answers', async (t) => {
  const ended = once(two.process, 'exit')
  two.process.kill('SIGTERM')
  await pause(300)
  const ready = await two.request('GET', '/readyz')
  t.match(ready, { status: 503, body: { status: 'leaving', ldap: 'ok', redis: 'ok' } })
  for (const path of ['/api/user/me', '/oauth/userinfo', '/healthz']) {
    const { status, headers } = await two.request('GET', path, { token: rig.admin })
    t.ok(status === 200 || path === '/oauth/userinfo', `${path} is answered`)
    t.equal(headers.get('connection'), 'close')
  }
  t.same(await ended, [0, null])
  await two.start()
  await rig.ready()
})

test('SIGKILL of a pod under load: only what it had under way is lost, and nothing that was acknowledged', async (t) => {
  const load = startLoad(rig, rig.admin)
  await pause(1000)
  const before = load.seen.length
  one.process.kill('SIGKILL')
  await pause(1500)
  t.ok(load.seen.length > before + 20, 'the other pod answers')
  await one.start()
  await rig.ready()
  await pause(1500)
  await load.stop()
  t.same(
    load.failures().filter((each) => !wasLost(each)),
    [],
  )
  // Each of the seven kinds of requests is under way once at a time.
  await load.judge(t, { lost: 7 })
})
