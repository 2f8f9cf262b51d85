import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { request as requestSecure } from 'node:https'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import tap, { test } from 'tap'
import { freePort } from '#quickstart/child.ts'
import { proofAt, proofHeader } from '#src/operations/proof.ts'
import { selfSigned } from '#test/support/certificate.ts'
import { findNginx } from '#test/support/programs.ts'
import { accepts } from '#test/support/quickstart.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

const service = await startTestService()
const dir = await mkdtemp(join(tmpdir(), 'latchkey-deploy-'))
const [plain, secure, dead] = [await freePort(), await freePort(), await freePort()]
const { path, env } = await findNginx()
const { certificate, key } = selfSigned({ name: 'localhost' })
const file = join(dir, 'nginx.conf')
await chmod(dir, 0o755)
await writeFile(join(dir, 'fullchain.pem'), certificate)
await writeFile(join(dir, 'privkey.pem'), key)
const shipped = await readFile(new URL('../../deploy/nginx/nginx.conf', import.meta.url), 'utf8')
// What the container has of its own: ports, places, pods. One pod is away.
const here = shipped
  .replaceAll('/tmp/', `${dir}/`)
  .replaceAll(/\/dev\/std(out|err)/g, `${dir}/log`) // pipes of a test cannot be opened by that name
  .replaceAll('/etc/nginx/tls/', `${dir}/`)
  .replace('listen 8080', `listen 127.0.0.1:${plain}`)
  .replace('listen 8443', `listen 127.0.0.1:${secure}`)
  .replace('172.30.64.11:3000', new URL(service.url).host)
  .replace('172.30.64.12:3000', `127.0.0.1:${dead}`)
await writeFile(file, here)
const global = ['daemon off;', ...(process.getuid?.() === 0 ? ['user nobody nogroup;'] : [])].join(' ')
const started = (...args: string[]) =>
  spawn(path, ['-p', dir, '-c', file, '-g', global, ...args], {
    env: { ...process.env, ...env },
    stdio: 'pipe',
  })
const nginx = started()
tap.teardown(async () => {
  nginx.kill('SIGTERM')
  if (nginx.exitCode === null) await once(nginx, 'close')
  await service[Symbol.asyncDispose]()
  await rm(dir, { recursive: true, force: true })
})
await until('nginx listens', () => accepts('127.0.0.1', secure))

/** Asks nginx as a browser would that trusts its certificate. */
async function ask(method: string, path: string, headers: Record<string, string> = {}, body?: object) {
  const asked = requestSecure({
    ...{ host: '127.0.0.1', port: secure, servername: 'localhost', ca: certificate, method, path },
    headers: { host: `localhost:${secure}`, ...(body && { 'content-type': 'application/json' }), ...headers },
  })
  asked.end(body && JSON.stringify(body))
  const [answer] = await once(asked, 'response')
  return { status: answer.statusCode as number, headers: answer.headers, text: await text(answer) }
}

test('nginx itself finds nothing wrong with its configuration', async (t) => {
  const check = started('-t')
  const said = text(check.stderr)
  const [code] = await once(check, 'close')
  t.equal(code, 0, await said)
})

test('https leads to the pod that lives, and http to https', async (t) => {
  const statuses = []
  for (let at = 0; at < 8; at++) statuses.push((await ask('GET', '/readyz')).status)
  t.same(statuses, Array(8).fill(200))
  const { uid, password } = service.admin
  const signedIn = await ask('POST', '/api/auth/login', {}, { uid, password })
  t.equal(signedIn.status, 200)
  t.match((await ask('GET', '/')).headers, { 'strict-transport-security': 'max-age=31536000' })
  const answer = await fetch(`http://localhost:${plain}/login?x=1`, { redirect: 'manual' })
  t.equal(answer.status, 308)
  t.equal(answer.headers.get('location'), 'https://localhost/login?x=1')
  t.equal((await ask('GET', '/metrics')).status, 404, 'metrics are not for the world')
})

test('a forged X-Forwarded-For is gone before the pod sees it', async (t) => {
  const proof = { [proofHeader]: proofAt(service.deps.store.keys.derive('doctor'), Date.now()) }
  const answer = await ask('GET', '/readyz', { ...proof, 'x-forwarded-for': '203.0.113.9' })
  t.equal(JSON.parse(answer.text).address, '127.0.0.1')
})

test('a POST that a pod took and did not answer is sent to no other; a GET is', async (t) => {
  const taken: string[] = []
  const breaks = createServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', (chunk) => {
      taken.push(String(chunk).slice(0, 4).trim())
      socket.destroy()
    })
  }).listen(dead, '127.0.0.1')
  t.teardown(() => breaks.close())
  const took = (method: string) => taken.filter((each) => each === method).length
  const answers: number[] = []
  const asked = async (method: string, path: string, times: number) => {
    for (let at = 0; took(method) < times; at++) {
      answers.push((await ask(method, path)).status)
      if (at > 100) throw new Error(`nginx asks the other pod no more: ${taken}`)
      await pause(100)
    }
  }
  await asked('GET', '/healthz', 1)
  t.ok(answers.splice(0).every((status) => status === 200))
  await asked('POST', '/api/group/', 2)
  t.equal(answers.filter((status) => status === 502).length, 2)
  t.ok(answers.every((status) => status === 502 || status === 401))
})

test('nginx keeps queries out of its log, its version to itself, and lets large bodies pass', async (t) => {
  const { headers } = await ask('GET', '/login?code=canary-of-a-code')
  t.equal(headers.server, 'nginx')
  const log = await until('it is logged', async () => {
    const lines = await readFile(join(dir, 'log'), 'utf8')
    return lines.includes('"GET /login"') && lines
  })
  t.notMatch(log, 'canary')
  const large = await ask('POST', '/api/auth/login', {}, { uid: 'x'.repeat(120_000), password: 'x' })
  t.match(JSON.parse(large.text), { name: /^[A-Z]\w+$/, message: String }, 'the service answers, not nginx')
})

test('where no pod answers, nginx speaks in our error form', async (t) => {
  const { headers, text, status } = await (async () => {
    await service[Symbol.asyncDispose]()
    return ask('GET', '/readyz')
  })()
  t.equal(status, 502)
  t.match(headers, { 'content-type': 'application/json' })
  t.match(JSON.parse(text), { name: 'UpstreamFailure', message: /try again/ })
})
