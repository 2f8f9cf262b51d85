import { test } from 'tap'
import { openBrowser, openPage, overflow } from '#test/support/browser.ts'
import { openPortal } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({
  app_onboarding__needs: '',
  app_branding__name: 'Our <house> & "garden"',
})
await using browser = await openBrowser()
const { url, admin, request } = service
const token = await service.login(admin.uid, admin.password)

await test('the portal’s page: never stored, a nonce of its own in a policy without unsafe-inline', async (t) => {
  const pages = await Promise.all([1, 2].map(() => request('GET', '/account', { token })))
  const nonces = pages.map(({ status, headers, text }) => {
    t.equal(status, 200)
    t.equal(headers.get('cache-control'), 'no-store')
    const policy = headers.get('content-security-policy') ?? ''
    t.match(policy, /^default-src 'none'; script-src 'self' 'nonce-[\w+/=]{24}'; style-src 'self' 'nonce-/)
    t.match(policy, "frame-ancestors 'none'; base-uri 'none'")
    t.notMatch(policy, /unsafe/)
    t.match(text, 'content="Our &lt;house&gt; &amp; &quot;garden&quot;"')
    t.notMatch(text, /%NONCE%|%BRAND%|%ICON%/)
    const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? ''
    t.ok(text.includes(`nonce="${nonce}"`))
    return nonce
  })
  t.not(nonces[0], nonces[1])
})

await test('its files are compressed and good for a year; one that is not there is a plain 404', async (t) => {
  const { text } = await request('GET', '/', { token })
  const [script = ''] = text.match(/\/portal\/assets\/index-[\w-]+\.js/) ?? []
  for (const encoding of ['br', 'gzip']) {
    const { status, headers } = await request('GET', script, { headers: { 'accept-encoding': encoding } })
    t.equal(status, 200)
    t.equal(headers.get('content-encoding'), encoding)
    t.equal(headers.get('cache-control'), 'public, max-age=31536000, immutable')
    t.match(headers.get('content-type'), 'javascript')
    t.match(headers.get('vary'), /accept-encoding/i)
  }
  for (const path of ['/portal/assets/nothing.js', '/portal/assets/..%2Findex.html', '/portal/index.html'])
    t.match(await request('GET', path), { status: 404, body: { name: 'NotFound' } }, path)
})

await test('only its own paths are the portal’s: any other is still 404, and 405 for another method', async (t) => {
  for (const path of ['/nowhere', '/accounts', '/admins/people', '/api/nowhere'])
    t.match(await request('GET', path, { token }), { status: 404, body: { name: 'NotFound' } }, path)
  t.match(await request('POST', '/account', { token }), { status: 405, body: { name: 'MethodNotAllowed' } })
})

await test('every path of its router is one that the service answers', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/account')
  await page.getByRole('heading', { level: 1 }).waitFor()
  const links = await page.getByRole('navigation', { name: 'Main navigation' }).getByRole('link').all()
  t.ok(links.length >= 2)
  for (const link of links) {
    const { status, text } = await request('GET', (await link.getAttribute('href')) ?? '', { token })
    t.equal(status, 200)
    t.match(text, '<div id="root">')
  }
  t.strictSame(faults, [])
  await context.close()
})

await test('without a session it leads to the sign-in page, and from there back to where one wanted to go', async (t) => {
  const { page, context } = await openPage(browser, url)
  await page.goto('/catalogue?q=wiki')
  t.equal(page.url(), `${url}/login?return_to=%2Fcatalogue%3Fq%3Dwiki`)
  await page.getByLabel('Username or email').fill(admin.uid)
  await page.getByLabel('Password').fill(admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${url}/catalogue?q=wiki`)
  t.equal(await page.evaluate('localStorage.length + sessionStorage.length + document.cookie.length'), 0)
  await context.close()
})

await test('a session that ends elsewhere leads to the sign-in page, and back', async (t) => {
  const person = await service.newUser(token)
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/')
  await page.getByRole('heading', { name: 'My apps', level: 1 }).waitFor()
  await request('POST', '/api/auth/logout', { token: person.token })
  await page.getByRole('tab', { name: 'Catalogue' }).click()
  await page.waitForURL(`${url}/login?return_to=%2Fcatalogue`)
  await page.getByLabel('Username or email').fill(person.uid)
  await page.getByLabel('Password').fill(person.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${url}/catalogue`)
  t.strictSame(faults, [])
  await context.close()
})

await test('it speaks the browser’s language, fits a phone, and one signs out there', async (t) => {
  const options = { locale: 'de-DE', viewport: { width: 320, height: 640 } }
  const { page, context, faults } = await openPortal(
    browser,
    url,
    await service.login(admin.uid, admin.password),
    options,
  )
  await page.goto('/')
  await page.getByRole('heading', { name: 'Meine Apps', level: 1 }).waitFor()
  t.match(await page.title(), 'Meine Apps · Our <house> & "garden"')
  t.ok((await overflow(page)) <= 0)
  await page.getByRole('button', { name: 'Navigation öffnen' }).click()
  await page.getByRole('link', { name: 'Mein Konto' }).click()
  await page.getByRole('heading', { name: 'Mein Konto', level: 1 }).waitFor()
  t.ok((await overflow(page)) <= 0)
  await page.getByRole('button', { name: 'Navigation öffnen' }).click()
  await page.getByRole('button', { name: /^Konto:/ }).click()
  await page.getByRole('menuitem', { name: 'Abmelden' }).click()
  await page.waitForURL(`${url}/login/signed-out`)
  t.strictSame(faults, [])
  await context.close()
})

await test('what fails says so in a sentence, with the id that the log carries', async (t) => {
  const { page, context } = await openPortal(browser, url, token)
  await page.route('**/api/discovery/me', (route) =>
    route.fulfill({
      status: 500,
      json: { name: 'InternalError', message: 'Something went wrong.', id: 'the-id-of-it' },
    }),
  )
  await page.goto('/')
  const alert = page.getByRole('alert')
  await alert.getByText('Something went wrong on our side.').waitFor()
  t.match(await alert.textContent(), 'the-id-of-it')
  await page.unroute('**/api/discovery/me')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No apps yet').waitFor()
  const refused = await request('GET', '/api/audit/', { token: (await service.newUser(token)).token })
  t.match(refused.headers.get('x-request-id'), /^[\da-f-]{36}$/)
  await context.close()
})

await test('without scripts the page says what to do, and where it is not served / is the plain page', async (t) => {
  const { page, context } = await openPortal(browser, url, token, { javaScriptEnabled: false })
  await page.goto('/')
  await page.getByRole('link', { name: 'sign out' }).click()
  await page.getByRole('heading', { name: 'Sign out?' }).waitFor()
  t.pass()
  await context.close()
  await using plain = await service.secondPod({ app_portal__serve: 'false' })
  const { status, text } = await plain.request('GET', '/', { token })
  t.equal(status, 200)
  t.match(text, 'You are signed in')
  t.match(await plain.request('GET', '/account', { token }), { status: 404, body: { name: 'NotFound' } })
})
