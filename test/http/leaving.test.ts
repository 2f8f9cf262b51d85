import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { Agent, get } from 'node:http'
import { connect } from 'node:net'
import { test } from 'tap'
import { clientOf } from '#test/support/client.ts'
import { startPod } from '#test/support/pod.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

test('a pod that was told to end says so and goes on answering; told again it ends at once', async (t) => {
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
  for (const path of ['/healthz', '/oauth/jwks']) t.equal((await request('GET', path)).status, 200, path)
  pod.process.kill('SIGTERM')
  t.same(await ended, [0, null])
})

test('a pod that takes nobody else answers whoever is connected, and each connection ends with its answer', async (t) => {
  await using service = await startTestService()
  await using stack = new AsyncDisposableStack()
  const environment = await service.environmentOfPod({ app_log__level: 'info', app_listen__drain: '6' })
  const pod = await startPod(environment, stack, { joins: true })
  const port = Number(environment.app_listen__port)
  const ended = once(pod.process, 'exit')
  const paths = ['/healthz', '/api/user/me', '/oauth/userinfo', '/oauth/jwks']
  const connections = paths.map((path) => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    stack.defer(() => agent.destroy())
    return async () => {
      const [answer] = (await once(get({ port, path, agent }), 'response')) as [IncomingMessage]
      for await (const _ of answer);
      return [path, answer.statusCode, answer.headers.connection]
    }
  })
  const ask = () => Promise.all(connections.map((each) => each()))
  const statuses = [200, 401, 401, 200]
  const asExpected = (connection: string) => paths.map((path, index) => [path, statuses[index], connection])
  t.same(await ask(), asExpected('keep-alive'))
  pod.process.kill('SIGTERM')
  await until('it takes nobody else', async () => {
    const socket = connect(port)
    const taken = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    socket.destroy()
    return !taken
  })
  t.same(await ask(), asExpected('close'))
  t.same(await ended, [0, null])
})
