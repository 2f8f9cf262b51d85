import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import { openBrowser, openPage } from '#test/support/browser.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService()
await using browser = await openBrowser()
const { admin, url, request } = service
const html = { accept: 'text/html,application/xhtml+xml' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const credentials = String(new URLSearchParams({ uid: admin.uid, password: admin.password }))

/** Another site: a page that posts a form to us as soon as it is open, or shows us in a frame. */
await using evil = createServer((incoming, outgoing) => {
  const fields = [...new URLSearchParams(credentials)].map(
    ([name, value]) => `<input name="${name}" value="${value}">`,
  )
  outgoing.setHeader('content-type', 'text/html')
  outgoing.end(
    incoming.url === '/frame'
      ? `<iframe src="${url}/login"></iframe>`
      : `<form method="post" action="${url}${incoming.url}">${fields.join('')}</form><script>document.forms[0].submit()</script>`,
  )
}).listen(0, '127.0.0.1')
await once(evil, 'listening')
const evilUrl = `http://127.0.0.1:${(evil.address() as AddressInfo).port}`

await test('login and logout posts from another origin are refused', async (t) => {
  for (const path of ['/login', '/logout', '/api/auth/login', '/api/auth/logout']) {
    const { page, context } = await openPage(browser, url)
    const answered = page.waitForResponse((response) => response.url() === url + path)
    await page.goto(evilUrl + path)
    t.not((await answered).status(), 303, path)
    t.ok((await answered).status() >= 400, path)
    t.strictSame(await context.cookies(url), [], path)
    await context.close()
  }
})

await test('a post tells by Origin and Sec-Fetch-Site where it comes from', async (t) => {
  const post = (headers: Record<string, string>) =>
    request('POST', '/login', { body: credentials, headers: { ...form, ...headers } })
  for (const foreign of [
    { origin: 'https://evil.example' },
    { origin: `${url}.evil.example` },
    { origin: 'null' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ] as Record<string, string>[]) {
    const refused = await post(foreign)
    t.match(refused, { status: 401, body: { name: 'InsufficientPermission' } }, JSON.stringify(foreign))
    t.equal(refused.headers.get('set-cookie'), null)
  }
  for (const own of [{ origin: url }, { origin: 'null', 'sec-fetch-site': 'same-origin' }, {}] as Record<
    string,
    string
  >[])
    t.equal((await post(own)).status, 303, JSON.stringify(own))
})

await test('a foreign post ends no session', async (t) => {
  const token = await service.login(admin.uid, admin.password)
  const cookie = `latchkey=${token}`
  const refused = await request('POST', '/logout', {
    body: '',
    headers: { ...form, cookie, origin: evilUrl },
  })
  t.equal(refused.status, 401)
  t.equal((await request('GET', '/api/user/me', { token })).status, 200)
})

await test('another site cannot show our pages in a frame', async (t) => {
  const { page, context } = await openPage(browser, url)
  await page.goto(`${evilUrl}/frame`)
  await page.waitForLoadState('networkidle')
  t.equal(await page.frameLocator('iframe').getByRole('button').count(), 0)
  await context.close()
})

await test('pages carry a strict policy and are not stored', async (t) => {
  for (const path of ['/login', '/login/signed-out', '/nowhere']) {
    const { headers } = await request('GET', path, { headers: html })
    const policy = headers.get('content-security-policy') ?? ''
    t.match(policy, /default-src 'none'.*form-action 'self'.*frame-ancestors 'none'.*base-uri 'none'/)
    t.notMatch(policy, /unsafe|script-src|\*/)
    t.equal(headers.get('x-frame-options'), 'DENY')
    t.equal(headers.get('x-content-type-options'), 'nosniff')
    t.equal(headers.get('referrer-policy'), 'same-origin')
    t.equal(headers.get('cache-control'), 'no-store')
  }
})

await test('a failure is a page to a person, with its name and the request’s id, and JSON to everything else', async (t) => {
  const page = await request('GET', '/nowhere', { headers: html })
  t.equal(page.status, 404)
  t.match(page.headers.get('content-type'), 'text/html')
  t.match(page.text, /<code>NotFound<\/code>/)
  t.match(page.text, /<code>[0-9a-f]{8}-[0-9a-f-]{27}<\/code>/)
  t.match(await request('GET', '/nowhere'), { status: 404, body: { name: 'NotFound' } })
  t.match(await request('GET', '/api/nowhere', { headers: html }), {
    status: 404,
    body: { name: 'NotFound' },
  })
  t.match(await request('DELETE', '/login'), { status: 405, body: { name: 'MethodNotAllowed' } })
})

await test('stylesheets are fetched once: their names change with their content', async (t) => {
  const { text } = await request('GET', '/login')
  const links = [...text.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map(([, href]) => href as string)
  t.ok(links.length >= 3)
  for (const link of links) {
    const { status, headers } = await request('GET', link)
    t.equal(status, 200, link)
    t.match(headers.get('cache-control'), /immutable/)
    t.match(headers.get('content-type'), /^(text\/css|image\/svg\+xml)/)
  }
  for (const path of [
    '/assets/x/pico.min.css',
    '/assets/',
    '/assets/../package.json',
    '/assets/%2e%2e/package.json',
  ])
    t.equal((await request('GET', path)).status, 404, path)
})
