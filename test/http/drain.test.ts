import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import tap, { test } from 'tap'
import { clientOf } from '#test/support/client.ts'
import { startPod } from '#test/support/pod.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const { PATH, NODE_COMPILE_CACHE } = process.env
const own = { PATH, NODE_COMPILE_CACHE }
const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())

test('SIGTERM drains: what is under way is answered, then the process ends by itself with code 0', async (t) => {
  const { uid, password } = service.admin
  const environment = await service.environmentOfPod({ app_log__level: 'info', app_listen__drain: '0' })
  const pod = spawn(process.execPath, [main], { env: { ...own, ...environment } })
  for await (const line of createInterface({ input: pod.stdout })) if (line.includes('listening')) break
  pod.stdout.resume()
  pod.stderr.resume()
  const { request } = clientOf(`http://127.0.0.1:${environment.app_listen__port}`)
  const logins = Array.from({ length: 20 }, () =>
    request('POST', '/api/auth/login', { body: { uid, password } }),
  )
  await Promise.race(logins) // the others wait for their turn to be checked
  pod.kill('SIGTERM')
  const answers = await Promise.all(logins)
  t.ok(answers.every(({ status }) => status === 200))
  const [code] = await once(pod, 'exit')
  t.equal(code, 0)
})

test('what programs ask all day leaves no line in the log when it is answered well, but at debug level', async (t) => {
  await using stack = new AsyncDisposableStack()
  const asked = [
    '/healthz',
    '/readyz',
    '/metrics',
    '/.well-known/openid-configuration',
    '/oauth/jwks',
    '/login',
  ]
  for (const level of ['info', 'debug']) {
    const environment = await service.environmentOfPod({ app_log__level: level })
    const pod = await startPod(environment, stack, { joins: true })
    const { request } = clientOf(`http://127.0.0.1:${environment.app_listen__port}`)
    for (const path of asked) t.equal((await request('GET', path)).status, 200)
    await service.servers.redis.stop()
    t.equal((await request('GET', '/readyz')).status, 503)
    await service.servers.redis.start()
    const lines = await until('the log is written', async () => {
      const told = pod.said().matchAll(/"url":"([^"]+)","status":(\d+)/g)
      const seen = [...told].map(([, url, status]) => `${url} ${status}`)
      return seen.includes('/readyz 503') && seen
    })
    const quiet = level === 'info' ? asked.slice(-1) : asked
    t.same(lines, [...quiet.map((path) => `${path} 200`), '/readyz 503'])
  }
})

test('a wrong or missing setting stops the start with one message that lists every fault', async (t) => {
  const wrong = { app_listen__port: 'x', app_oauth__jwtSecret: 'short', app_ldap__basis: 'dc=x' }
  const pod = spawn(process.execPath, [main], { env: { ...own, ...wrong } })
  let said = ''
  pod.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [code] = await once(pod, 'exit')
  t.equal(code, 1)
  for (const name of ['app_listen__port', 'app_ldap__basis', 'app_ldap__base', 'app_oauth__issuer'])
    t.match(said, name)
  t.notMatch(said, /short/)
})
