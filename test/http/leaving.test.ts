import { once } from 'node:events'
import { test } from 'tap'
import { startPod } from '#test/support/pod.ts'
import { clientOf, startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

test('a pod that was told to end says so and goes on answering, connection by connection; told again it ends at once', async (t) => {
  await using service = await startTestService()
  await using stack = new AsyncDisposableStack()
  const environment = await service.environmentOfPod({ app_log__level: 'info', app_listen__drain: '300' })
  const pod = await startPod(environment, stack, { joins: true })
  const ended = once(pod.process, 'exit')
  const { request } = clientOf(`http://127.0.0.1:${environment.app_listen__port}`)
  t.equal((await request('GET', '/healthz')).headers.get('connection'), 'keep-alive')
  pod.process.kill('SIGTERM')
  const ready = await until('it says so', async () => {
    const answer = await request('GET', '/readyz')
    return answer.status === 503 && answer
  })
  t.match(ready.body, { status: 'leaving', ldap: 'ok', redis: 'ok' })
  for (const path of ['/healthz', '/oauth/jwks']) {
    const { status, headers } = await request('GET', path)
    t.same([status, headers.get('connection')], [200, 'close'], path)
  }
  pod.process.kill('SIGTERM')
  t.same(await ended, [0, null])
})
