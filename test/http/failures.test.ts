import { connect } from 'node:net'
import { Writable } from 'node:stream'
import pino from 'pino'
import tap, { test } from 'tap'
import { buildApp } from '#src/app.ts'
import { clientOf } from '#test/support/client.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login } = service
const admin = await login(service.admin.uid, service.admin.password)
tap.teardown(() => service[Symbol.asyncDispose]())

test('every failure has the body {name, message}', async (t) => {
  for (const [method, path, status, name] of [
    ['GET', '/api/nothing', 404, 'NotFound'],
    ['GET', '/nothing', 404, 'NotFound'],
    ['PATCH', '/api/auth/login', 405, 'MethodNotAllowed'],
    ['GET', '/api/auth/login', 405, 'MethodNotAllowed'],
    ['GET', '/api/user/me', 401, 'Unauthorized'],
  ] as const) {
    const answer = await request(method, path)
    t.equal(answer.status, status, `${method} ${path}`)
    t.strictSame(Object.keys(answer.body), ['name', 'message'])
    t.equal(answer.body.name, name)
  }
})

test('405 names the methods that are allowed', async (t) => {
  const { headers } = await request('PATCH', '/api/group/some')
  t.match(headers.get('allow'), /GET/)
  t.match(headers.get('allow'), /DELETE/)
})

test('bad JSON, an empty body, another content type and a body over 128 KiB are refused by their names', async (t) => {
  const post = (body: string, type = 'application/json') =>
    request('POST', '/api/auth/login', { body, headers: { 'content-type': type } })
  t.match(await post('{"uid":'), { status: 400, body: { name: 'InvalidInput' } })
  t.match(await post(''), { status: 400, body: { name: 'InvalidInput' } })
  t.match(await post('[]'), { status: 400, body: { name: 'InvalidInput' } })
  t.match(await post('null'), { status: 400, body: { name: 'InvalidInput' } })
  t.match(await post('{"uid":"a","password":"b","__proto__":{"x":1}}'), {
    status: 400,
    body: { name: 'InvalidInput' },
  })
  t.match(await post('<a/>', 'application/xml'), { status: 415, body: { name: 'UnsupportedMediaType' } })
  t.match(await post(JSON.stringify({ uid: 'a'.repeat(140_000) })), {
    status: 413,
    body: { name: 'PayloadTooLarge' },
  })
})

test('a validation error’s message names the field', async (t) => {
  const { body } = await request('POST', '/api/auth/login', { body: { uid: 'a' } })
  t.strictSame(body, { name: 'InvalidInput', message: 'password is required.' })
})

test('a 500 says nothing of the inside and carries an id that also stands in the log', async (t) => {
  let logged = ''
  const lines = new Writable({
    write(chunk, _encoding, done) {
      logged += chunk
      done()
    },
  })
  const app = await buildApp({ ...service.deps, log: pino(lines) }, async (server) => {
    for (const path of ['/api/broken', '/broken'])
      server.get(path, async () => {
        throw new Error('the inside')
      })
  })
  t.teardown(() => app.close())
  const broken = clientOf(await app.listen({ port: 0, host: '127.0.0.1' }))
  const { status, body } = await broken.request('GET', '/api/broken')
  t.equal(status, 500)
  t.strictSame(body, { name: 'InternalError', message: 'Something went wrong on our side.', id: body.id })
  t.match(body.id, /^[0-9a-f-]{36}$/)
  const line = logged.split('\n').find((each) => each.includes('the inside')) ?? ''
  t.equal(JSON.parse(line).reqId, body.id)

  const page = await broken.request('GET', '/broken', { headers: { accept: 'text/html' } })
  t.equal(page.status, 500)
  t.match(page.text, 'InternalError')
  t.notMatch(page.text, 'the inside')
})

test('random bodies of every type, depth and size never give a 5xx and never end the process', async (t) => {
  const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`
  const bodies = [
    '0',
    '""',
    'true',
    '[[[]]]',
    deep,
    '{"uid":{"$ne":1},"password":[]}',
    `{"uid":"${'\\u0000'.repeat(50)}","password":"x"}`,
    '{"uid":"\\ud800","password":"\\udfff"}',
  ]
  const targets = [
    ['POST', '/api/auth/login'],
    ['POST', '/api/user/'],
    ['PUT', '/api/user/admin'],
    ['POST', '/api/group/'],
    ['POST', '/api/oauth/client/'],
    ['POST', '/api/oauth/authorize'],
    ['POST', '/oauth/token'],
  ]
  for (const [method, path] of targets)
    for (const body of bodies) {
      const { status } = await request(method as string, path as string, { token: admin, body })
      t.ok(status >= 400 && status < 500, `${method} ${path} ${body.slice(0, 30)}: ${status}`)
    }
  t.equal((await request('GET', '/healthz')).status, 200)
})

test('bytes that are no HTTP are answered and the process lives', async (t) => {
  const { port } = new URL(service.url)
  const answer = await new Promise<string>((resolve) => {
    let said = ''
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('\x16\x03\x01 garbage\r\n\r\n'))
    socket
      .on('data', (chunk) => {
        said += chunk
      })
      .on('close', () => resolve(said))
      .on('error', () => resolve(said))
  })
  t.match(answer, /^HTTP\/1\.1 400 .*\{"name":"InvalidInput","message":"[^"]+"\}$/s)
  t.equal((await request('GET', '/healthz')).status, 200)
})

test('a path that cannot be read or is too long is refused in our form, and not repeated', async (t) => {
  for (const [path, status] of [
    ['/api/user/%E0%A4%A', 400],
    [`/api/user/${'canary'.repeat(300)}`, 400],
    [`/${'canary'.repeat(4000)}`, 431],
  ] as const) {
    const answer = await request('GET', path, { token: admin })
    t.equal(answer.status, status)
    t.strictSame(Object.keys(answer.body), ['name', 'message'])
    t.equal(answer.body.name, 'InvalidInput')
    t.notMatch(answer.text, /canary|%E0/)
  }
})

test('answers carry security headers: a strict CSP without unsafe-inline, and no framing', async (t) => {
  for (const path of ['/api/user/me', '/healthz', '/login', '/nothing']) {
    const { headers } = await request('GET', path)
    const policy = headers.get('content-security-policy') ?? ''
    t.match(policy, /default-src 'none'/, path)
    t.match(policy, /frame-ancestors 'none'/)
    t.notMatch(policy, /unsafe/)
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.equal(headers.get('x-frame-options'), 'DENY')
  }
})
