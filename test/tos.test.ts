import { test } from 'tap'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const html = { accept: 'text/html' }

type Terms = { version: number; text: string; created_by: string; created_on: number }
type Said = { results: Terms; message: string; name: string }

const read = async (query = '') => (await request<Said>('GET', `/api/tos${query}`)).body.results
const publish = (text: unknown, token = admin) => request<Said>('PUT', '/api/tos', { token, body: { text } })
const needs = async (token: string) =>
  (await request('GET', '/api/user/me', { token })).body.onboardingNeeds as string[]
const accept = (token: string, body?: object) =>
  request('POST', '/api/user/accept-tos', { token, ...(body ? { body } : {}) })
const record = async (uid: string) =>
  (await request('GET', `/api/user/${uid}/verification`, { token: admin })).body

await test('while there is no text there is nothing to accept', async (t) => {
  t.strictSame(await read(), { version: 0, text: '', created_on: null })
  const { token, uid } = await newUser(admin)
  t.strictSame(await needs(token), ['dob', 'password'])
  t.match(await accept(token), { status: 200, body: { success: true } })
  t.match(await record(uid), { tosAccepted: true, tosAcceptedAt: Number })
  const page = await request('GET', '/terms', { headers: html })
  t.equal(page.status, 404)
  t.match(page.text, 'There are no terms of service')
})

await test('POST /api/tos/preview answers a text as people would read it, and puts nothing in force', async (t) => {
  const preview = (text: string) =>
    request<{ results: { html: string } }>('POST', '/api/tos/preview', { token: admin, body: { text } })
  const { body } = await preview('# Rules\r\n\r\n<script>alert(1)</script> [here](javascript:1)')
  t.match(body.results.html, '<h2>Rules</h2>')
  t.notMatch(body.results.html, /<script|href/)
  t.equal((await preview('')).body.results.html, '')
  t.match(await preview('x'.repeat(60_001)), { status: 400 })
  t.equal((await read()).version, 0)
})

await test('PUT /api/tos puts a text in force that anybody may read', async (t) => {
  const before = Date.now()
  const { status, body } = await publish('# Rules\r\n\r\nBe *kind*.\r\n')
  t.equal(status, 200)
  t.match(body.results, { version: 1, text: '# Rules\n\nBe *kind*.', created_by: service.admin.uid })
  t.ok(body.results.created_on >= before - 1000 && body.results.created_on <= Date.now() + 1000)
  const { created_by: _, ...shown } = body.results
  t.strictSame(await read(), shown, 'who wrote it is the admins’ business')
  t.equal(
    (await publish('# Rules\n\nBe *kind*.')).body.results.version,
    1,
    'the same text stays the version it is',
  )
})

await test('PUT /api/tos and the list of versions are for admins', async (t) => {
  const { token } = await newUser(admin)
  for (const [method, path, body] of [
    ['PUT', '/api/tos', { text: 'mine' }],
    ['GET', '/api/tos/versions', undefined],
  ] as const) {
    const refused = await request(method, path, { token, ...(body ? { body } : {}) })
    t.match(refused, { status: 401, body: { name: 'InsufficientPermission' } })
    t.match(await request(method, path, body ? { body } : {}), {
      status: 401,
      body: { name: 'Unauthorized' },
    })
  }
  for (const body of [{}, { text: null }, { text: 'x', version: 9 }, { text: 'x'.repeat(60_001) }])
    t.match(await request('PUT', '/api/tos', { token: admin, body }), {
      status: 400,
      body: { name: 'InvalidInput' },
    })
  t.equal((await read()).version, 1)
})

await test('onboardingNeeds holds tos without an acceptance of the current text', async (t) => {
  const { token, uid } = await newUser(admin)
  t.strictSame(await needs(token), ['tos', 'dob', 'password'])
  t.match(await record(uid), { tosAccepted: false, tosAcceptedAt: null })
  t.match(await accept(token), { status: 200, body: { success: true } })
  t.strictSame(await needs(token), ['dob', 'password'])
  const { tosAccepted, tosAcceptedAt } = await record(uid)
  t.equal(tosAccepted, true)
  await accept(token)
  t.equal((await record(uid)).tosAcceptedAt, tosAcceptedAt, 'the first acceptance counts')

  const { version } = (await publish('Be kinder.')).body.results
  t.equal(version, 2)
  t.match(await record(uid), { tosAccepted: false, tosAcceptedAt: null }, 'a new text is asked of everybody')
  t.strictSame(await needs(token), ['tos', 'dob', 'password'])
  t.match(await accept(token, { version: 1 }), { status: 409, body: { name: 'Conflict' } })
  t.equal((await record(uid)).tosAccepted, false)
  t.match(await accept(token, { version }), { status: 200, body: { success: true } })
  t.equal((await record(uid)).tosAccepted, true)
  t.match(await accept(token, { version: 'x' }), { status: 400, body: { name: 'InvalidInput' } })
})

await test('an empty text withdraws the terms', async (t) => {
  const { token } = await newUser(admin)
  const { version } = (await publish('  \n')).body.results
  t.strictSame(await needs(token), ['dob', 'password'])
  t.match(await read(), { version, text: '' })
  t.equal((await request('GET', '/terms', { headers: html })).status, 404)
  t.equal((await publish('Be kindest.')).body.results.version, version + 1)
})

await test('every version can be read, and admins see them all, the newest first', async (t) => {
  t.match(await read('?version=1'), { version: 1, text: '# Rules\n\nBe *kind*.' })
  t.match(await request('GET', '/api/tos?version=99'), { status: 404, body: { name: 'NotFound' } })
  t.match(await request('GET', '/api/tos?version=x'), { status: 400, body: { name: 'InvalidInput' } })
  const list = async (query: string) =>
    (await request<{ results: Terms[]; next?: string }>('GET', `/api/tos/versions${query}`, { token: admin }))
      .body
  const all = await list('')
  t.strictSame(
    all.results.map(({ version }) => version),
    [4, 3, 2, 1],
  )
  t.strictSame(Object.keys(all.results[0] as Terms).sort(), ['created_by', 'created_on', 'version'])
  t.equal(all.next, undefined)
  const first = await list('?limit=3')
  t.strictSame(
    first.results.map(({ version }) => version),
    [4, 3, 2],
  )
  const last = await list(`?limit=3&cursor=${first.next}`)
  t.strictSame(last, { results: all.results.slice(3) })
  t.match(await request('GET', '/api/tos/versions?cursor=forged', { token: admin }), { status: 400 })
})

await test('texts put in force at the same moment are all kept, each as a version of its own', async (t) => {
  const before = (await read()).version
  const texts = Array.from({ length: 10 }, (_, n) => `Text ${n}`)
  const made = await Promise.all(texts.map((text) => publish(text)))
  const versions = made.map(({ body }) => body.results.version).sort((a, b) => a - b)
  t.strictSame(
    versions,
    texts.map((_, n) => before + n + 1),
  )
  for (const { body } of made)
    t.equal((await read(`?version=${body.results.version}`)).text, body.results.text)
})

await test('the page of the terms shows Markdown, and nothing in it can run or load', async (t) => {
  const text = [
    '# Rules',
    'Be *kind* to https://example.org and [us](mailto:us@example.org).',
    '<script>alert(1)</script> <img src=x onerror=alert(1)> ![spy](https://evil.example/x.png)',
    '[a](javascript:alert(1)) [b](data:text/html,x) <javascript:alert(1)>',
    '    indented',
    '- one\n- two',
  ].join('\n\n')
  const { version } = (await publish(text)).body.results
  const { status, text: page } = await request('GET', '/terms', { headers: html })
  t.equal(status, 200)
  t.match(page, `Version ${version}`)
  t.match(page, '<h2>Rules</h2>')
  t.match(page, '<em>kind</em>')
  t.match(page, '<a href="https://example.org">')
  t.match(page, '<a href="mailto:us@example.org">')
  t.match(page, '<li>one</li>')
  t.notMatch(page, /<script|onerror=alert\(1\)>|<img src="?(x|http)|href="(javascript|data):|<code>/)
  t.match(page, '&lt;script&gt;')
  t.match((await request('GET', '/terms?version=1', { headers: html })).text, 'Version 1')
})

await service[Symbol.asyncDispose]()
