import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { test } from 'tap'
import { clientOf, startTestService } from '#test/support/service.ts'

const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
const { PATH, NODE_COMPILE_CACHE } = process.env
const own = { PATH, NODE_COMPILE_CACHE }

test('SIGTERM drains: what is under way is answered, then the process ends by itself with code 0', async (t) => {
  await using service = await startTestService()
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
