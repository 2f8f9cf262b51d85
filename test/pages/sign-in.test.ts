import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, openPage, overflow, typeAtCursor } from '#test/support/browser.ts'
import { freshAddress } from '#test/support/client.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '', app_portal__serve: 'false' })
await using browser = await openBrowser()
const { admin, url } = service

/** A fresh profile at an address of its own, without scripts unless asked for. */
function visit(options: Parameters<typeof openPage>[2] = {}) {
  return openPage(browser, url, {
    javaScriptEnabled: false,
    extraHTTPHeaders: { 'x-forwarded-for': freshAddress() },
    ...options,
  })
}

async function signIn(page: Page, uid: string = admin.uid, password: string = admin.password) {
  await page.getByLabel('Username or email').fill(uid)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

await test('somebody signs in and out without JavaScript', async (t) => {
  const { page, context, faults } = await visit()
  await page.goto('/')
  t.equal(page.url(), `${url}/login`)
  t.match(await page.title(), /^Sign in/)
  await signIn(page)
  t.equal(page.url(), `${url}/`)
  await t.resolves(page.getByText(admin.uid, { exact: true }).waitFor())
  await page.getByRole('button', { name: 'Sign out' }).click()
  t.equal(page.url(), `${url}/login/signed-out`)
  await t.resolves(page.getByRole('heading', { name: 'You are signed out' }).waitFor())
  await page.goto('/')
  t.equal(page.url(), `${url}/login`)
  t.strictSame(faults, [])
  await context.close()
})

await test('somebody signs in and out by keyboard alone', async (t) => {
  const { page, context } = await visit()
  await page.goto('/login')
  await typeAtCursor(page, admin.uid)
  await page.keyboard.press('Tab')
  await typeAtCursor(page, admin.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/`)
  for (let stop = 0; stop < 10; stop++) {
    await page.keyboard.press('Tab')
    if (await page.locator('button:focus').count()) break
  }
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/login/signed-out`)
  t.pass('signed out')
  await context.close()
})

await test('a session of the sign-in page is a session of the API, and its cookie is out of scripts’ reach', async (t) => {
  const { page, context } = await visit()
  await page.goto('/login')
  await signIn(page)
  const [cookie, ...others] = await context.cookies()
  t.match(cookie, { httpOnly: true, sameSite: 'Lax', path: '/', secure: false })
  t.strictSame(others, [])
  const me = await service.request('GET', '/api/user/me', {
    headers: { cookie: `${cookie?.name}=${cookie?.value}` },
  })
  t.match(me, { status: 200, body: { uid: admin.uid } })
  await context.close()
})

await test('a wrong password shows an alert and keeps the username; an unknown name gets the same answer', async (t) => {
  const said: string[] = []
  for (const uid of [admin.uid, 'nobody-of-that-name']) {
    const { page, context } = await visit()
    await page.goto('/login?return_to=/logout')
    const answered = page.waitForResponse((response) => response.request().method() === 'POST')
    await signIn(page, uid, 'not the password')
    t.equal((await answered).status(), 401)
    said.push((await page.getByRole('alert').textContent()) ?? '')
    t.equal(await page.getByLabel('Username or email').inputValue(), uid)
    t.equal(await page.getByLabel('Password').inputValue(), '')
    t.equal(await page.locator('input[name=return_to]').inputValue(), '/logout')
    t.equal(await page.locator('input:focus').getAttribute('name'), 'password')
    t.strictSame(await context.cookies(), [])
    await context.close()
  }
  t.strictSame(said, ['The username or password is not correct.', 'The username or password is not correct.'])
})

await test('signing in goes on to return_to, which cannot leave the site', async (t) => {
  for (const [wanted, reached] of [
    ['/login/signed-out?a=b', '/login/signed-out?a=b'],
    ['//evil.example/', '/'],
    ['/\\evil.example', '/'],
    ['https://evil.example', '/'],
  ] as const) {
    const { page, context, faults } = await visit()
    await page.goto(`/login?return_to=${encodeURIComponent(wanted)}`)
    await signIn(page)
    t.equal(page.url(), url + reached)
    await page.goto(`/login?return_to=${encodeURIComponent(wanted)}`)
    t.equal(page.url(), url + reached, 'somebody who is signed in goes on at once')
    t.strictSame(faults, [])
    await context.close()
  }
})

await test('the form is limited together with POST /api/auth/login: 10 requests per 15 minutes', async (t) => {
  const address = freshAddress()
  for (let tries = 0; tries < 9; tries++)
    await service.request('POST', '/api/auth/login', { address, body: { uid: 'nobody', password: 'wrong' } })
  const { page, context } = await visit({ extraHTTPHeaders: { 'x-forwarded-for': address } })
  await page.goto('/login')
  await signIn(page, admin.uid, 'wrong')
  t.match(await page.getByRole('alert').textContent(), /not correct/)
  const answered = page.waitForResponse((response) => response.request().method() === 'POST')
  await signIn(page)
  const { status, retry } = await answered.then((r) => ({
    status: r.status(),
    retry: r.headers()['retry-after'],
  }))
  t.equal(status, 429)
  t.match(retry, /^\d+$/)
  await t.resolves(page.getByRole('alert').filter({ hasText: 'Too many requests' }).waitFor())
  t.equal(await page.getByLabel('Username or email').inputValue(), admin.uid)
  await context.close()
})

await test('GET /api/auth/logout with only the cookie asks for confirmation on a page', async (t) => {
  const { page, context } = await visit()
  await page.goto('/login')
  await signIn(page)
  await page.goto('/api/auth/logout')
  await t.resolves(page.getByRole('heading', { name: 'Sign out?' }).waitFor())
  await page.getByText('Stay signed in').click()
  t.equal(page.url(), `${url}/`, 'the session lives')
  await page.goto('/api/auth/logout')
  await page.getByRole('button', { name: 'Sign out' }).click()
  t.equal(page.url(), `${url}/login/signed-out`)
  t.strictSame(await context.cookies(), [])
  await context.close()
})

await test('signing out ends the session, not only the cookie', async (t) => {
  const { page, context } = await visit()
  await page.goto('/login')
  await signIn(page)
  const [cookie] = await context.cookies()
  await page.getByRole('button', { name: 'Sign out' }).click()
  const me = await service.request('GET', '/api/user/me', { token: cookie?.value })
  t.match(me, { status: 401, body: { name: 'Unauthorized' } })
  await context.close()
})

await test('the pages fit a phone, in light and dark, and load nothing from elsewhere', async (t) => {
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, context, faults } = await visit({ colorScheme, viewport: { width: 320, height: 640 } })
    for (const path of ['/login', '/login/signed-out', '/nowhere']) {
      await page.goto(path)
      t.ok((await overflow(page)) <= 0, path)
    }
    await page.goto('/login')
    await signIn(page)
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor()
    t.ok((await overflow(page)) <= 0, '/')
    t.strictSame(faults, [])
    await context.close()
  }
})
