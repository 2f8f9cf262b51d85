import { test } from 'tap'
import { startNotificationTests } from './support.ts'

const { admin, list, newUser, request, smtp, tell } = await startNotificationTests()
const { uid, mail, token } = await newUser()
const toOne = { filter_type: 'users', filter_value: JSON.stringify([uid]) }

/** How many are stored, and how many jobs there are. */
const stored = async () => ({ records: (await list()).body.results.length, taken: smtp.taken.length })

test('unknown group or uid, bad JSON, unknown filter: 400 and nothing stored', async (t) => {
  const before = await stored()
  for (const fields of [
    { filter_type: 'group', filter_value: 'app_sso_admin,no such group' },
    { filter_type: 'group', filter_value: '' },
    { filter_type: 'group', filter_value: ' , ' },
    { filter_type: 'group' },
    { filter_type: 'users', filter_value: `["${uid}", "nobody"]` },
    { filter_type: 'users', filter_value: '["*"]' },
    { filter_type: 'users', filter_value: `["${uid}\\u200b"]` },
    { filter_type: 'users', filter_value: '[]' },
    { filter_type: 'users', filter_value: '[1]' },
    { filter_type: 'users', filter_value: uid },
    { filter_type: 'users', filter_value: `{"0":"${uid}"}` },
    { filter_type: 'users', filter_value: '[' },
    { filter_type: 'users' },
    { filter_type: 'everybody' },
    { filter_type: 'users', filter_value: [uid] },
    { filter_type: 'all', active_only: 'true' },
    { filter_type: 'all', to: mail },
    {},
  ]) {
    const { status, body } = await tell(fields)
    t.match({ status, name: body.name }, { status: 400, name: 'InvalidInput' }, JSON.stringify(fields))
    t.match(body.message, /filter_|active_only|known field/)
  }
  t.same(await stored(), before)
})

test('CR or LF in a subject is 400, as are an empty one and one over 200 characters', async (t) => {
  const before = await stored()
  // No title of its own: these characters would break the report of the test.
  for (const subject of [
    'Hello\r\nBcc: victim@example.org',
    'Hello\nBcc: victim@example.org',
    'Hello\r',
    'a\u2028b',
    'a\u0000b',
    '',
    '   ',
    'x'.repeat(201),
    7,
    null,
  ])
    t.match(await tell({ ...toOne, subject }), { status: 400, body: { name: 'InvalidInput' } })
  t.same(await stored(), before)
  const { body } = await tell({ ...toOne, subject: `${'ü'.repeat(199)}!` })
  t.match(body.results, { status: 'sent' })
  t.equal((await smtp.mailTo(mail)).subject, `${'ü'.repeat(199)}!`)
})

test('a message that is empty, or of which nothing is left, is 400; one too large 413', async (t) => {
  for (const message of ['', '<script>alert(1)</script>', undefined, 7])
    t.match(await tell({ ...toOne, message }), { status: 400, body: { name: 'InvalidInput' } })
  const message = `<p>${'x'.repeat(130 * 1024)}</p>`
  t.match(await tell({ ...toOne, message }), { status: 413, body: { name: 'PayloadTooLarge' } })
})

test('message is sanitised to mail-safe HTML: no script, handlers, forms, remote CSS', async (t) => {
  const message = `
    <h1 style="color: #336699; background: url(https://evil.example/a.png); position: fixed">Hi</h1>
    <script>alert(1)</script><style>@import url(https://evil.example/a.css)</style>
    <link rel="stylesheet" href="https://evil.example/a.css"><base href="https://evil.example/">
    <p onclick="alert(1)" style="color: expression(alert(1))">Text &amp; <b>bold</b></p>
    <form action="https://evil.example/"><input name="password"><button>Go</button></form>
    <a href="javascript:alert(1)">one</a> <a href="https://ok.example/?a=1&amp;b=2">two</a>
    <img src="data:image/svg+xml,<svg onload=alert(1)>" alt="no"><img src="https://ok.example/a.png" alt="yes" onerror="alert(1)">
    <svg><script>alert(1)</script></svg><iframe src="https://evil.example"></iframe><object data="x"></object>
    <ul><li>first<li>second</ul><p>unclosed`
  const { body } = await tell({ ...toOne, message })
  const { message: kept } = body.results
  const { html = '', text = '' } = await smtp.mailTo(mail)
  for (const shown of [kept, html.slice(html.indexOf('<div>'))])
    t.notMatch(
      shown,
      /script|alert|evil|onclick|onerror|onload|<form|<input|<button|<style|<link|<base|<iframe|<object|<svg|expression|position|url\(/i,
    )
  t.match(kept, '<h1 style="color:#336699">Hi</h1>')
  t.match(kept, 'Text &amp; <b>bold</b>')
  t.match(kept, '<a href="https://ok.example/?a=1&amp;b=2">two</a>')
  t.match(kept, '<img src="https://ok.example/a.png" alt="yes" />')
  t.match(kept, '<p>unclosed</p>')
  t.ok(html.includes(kept), 'the mail carries what is stored')
  t.match(text, /^Hi\n\nText & bold\n/)
  t.match(text, 'two (https://ok.example/?a=1&b=2)')
  t.match(text, '- first\n- second')
  t.notMatch(text, /alert|evil|</)
})

test('every notification endpoint needs app_sso_admin', async (t) => {
  const before = await stored()
  for (const [method, path] of [
    ['POST', '/api/notification'],
    ['GET', '/api/notification'],
    ['GET', '/api/notification/x'],
  ] as const) {
    const body = method === 'POST' ? { subject: 'x', message: 'x', ...toOne } : undefined
    t.match(await request(method, path, { body }), { status: 401, body: { name: 'Unauthorized' } })
    t.match(await request(method, path, { body, token }), {
      status: 401,
      body: { name: 'InsufficientPermission' },
    })
  }
  t.same(await stored(), before)
})

test('GET /api/notification/:id of an unknown one is 404', async (t) => {
  for (const id of ['x', '00000000-0000-4000-8000-000000000000', '..%2Findex', 'index'])
    t.match(await request('GET', `/api/notification/${id}`, { token: admin }), {
      status: 404,
      body: { name: 'NotFound' },
    })
})
