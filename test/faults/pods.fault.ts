import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import tap, { test } from 'tap'
import { until } from '#test/support/until.ts'
import { patient, startRig } from './rig.ts'
import { wasLost } from './seen.ts'
import { short, trial } from './trial.ts'

const rig = await startRig({ settings: patient })
tap.teardown(() => rig[Symbol.asyncDispose]())
const [one, two] = rig.pods

test('SIGTERM of each pod in turn under load, as an upgrade does it: no request fails', async (t) => {
  const load = await trial(t, rig, {
    async begin() {
      for (const pod of short ? [one, two] : [one, two, one, two]) {
        const ended = once(pod.process, 'exit')
        pod.process.kill('SIGTERM')
        t.same(await ended, [0, null], 'it ends by itself')
        await pod.start()
        await rig.ready()
        await pause(1200) // nginx asks it again
      }
    },
    seconds: 0,
  })
  t.same(load.failures(), [])
  t.equal(load.refreshes.sessionsLostByALostAnswer, 0)
})

test('a pod that was told to end says so at /readyz and goes on answering', async (t) => {
  const ended = once(two.process, 'exit')
  two.process.kill('SIGTERM')
  const ready = await until(
    'it says so',
    async () => {
      const answer = await two.request('GET', '/readyz')
      return answer.status === 503 && answer
    },
    10,
    10,
  )
  t.match(ready, { status: 503, body: { status: 'leaving', ldap: 'ok', redis: 'ok' } })
  for (const path of ['/api/user/me', '/oauth/userinfo', '/healthz']) {
    const { status } = await two.request('GET', path, { token: rig.admin })
    t.equal(status, path === '/oauth/userinfo' ? 401 : 200, `${path} is answered`)
  }
  t.same(await ended, [0, null])
  await two.start()
  await rig.ready()
})

test('SIGKILL of a pod under load: only what it had under way is lost, and nothing that was acknowledged', async (t) => {
  const load = await trial(t, rig, {
    async begin({ seen }) {
      const killed = performance.now()
      one.process.kill('SIGKILL')
      await until('the other pod answers', async () => {
        const answered = seen.filter(({ began, status }) => began > killed && status === 200)
        return answered.length > 20
      })
    },
    end: () => one.start(),
    seconds: 0,
    // Each of the seven kinds of requests is under way once at a time.
    lost: 7,
  })
  t.same(
    load.failures().filter((each) => !wasLost(each)),
    [],
  )
})
