import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, openPage, overflow } from '#test/support/browser.ts'
import { freshAddress } from '#test/support/client.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const { admin, url, request } = service
const token = await service.login(admin.uid, admin.password)

/** The application: another origin that people come from and go back to. */
await using application = createServer((_incoming, outgoing) => {
  outgoing.setHeader('content-type', 'text/html')
  outgoing.end('<link rel="icon" href="data:,"><h1>The application</h1>')
})
application.listen(0, '127.0.0.1')
await once(application, 'listening')
const host = `127.0.0.1:${(application.address() as AddressInfo).port}`
const redirect_uri = `http://${host}/cb`

async function register(fields: Record<string, unknown> = {}): Promise<string> {
  const body = { name: 'Team Wiki', description: '', redirect_uris: [redirect_uri], ...fields }
  const made = await request('POST', '/api/oauth/client/', { token, body })
  return (made.body.results as { client_id: string }).client_id
}

function authorization(client_id: string, differently: Record<string, string> = {}): string {
  const code_challenge = createHash('sha256').update(randomBytes(32).toString('hex')).digest('base64url')
  const asked = {
    response_type: 'code',
    client_id,
    redirect_uri,
    scope: 'openid profile email groups',
    state: 's',
  }
  const query = new URLSearchParams({
    ...asked,
    code_challenge,
    code_challenge_method: 'S256',
    ...differently,
  })
  return `/oauth/authorize?${query}`
}

/** A fresh profile that may only see us and the application. */
async function visit() {
  const visited = await openPage(browser, url, {
    javaScriptEnabled: false,
    extraHTTPHeaders: { 'x-forwarded-for': freshAddress() },
    viewport: { width: 375, height: 700 },
  })
  const foreign = () => visited.faults.filter((fault) => !fault.startsWith(`http://${host}/`))
  return { ...visited, foreign }
}

async function signIn(page: Page) {
  await page.getByLabel('Username or email').fill(admin.uid)
  await page.getByLabel('Password').fill(admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

await test('sign-in and consent show which application asks and lead back to it, without JavaScript', async (t) => {
  const client_id = await register()
  const { page, context, foreign } = await visit()
  await page.goto(authorization(client_id))
  await t.resolves(page.getByText('Team Wiki').waitFor())
  await t.resolves(page.getByText(host).waitFor())
  t.ok((await overflow(page)) <= 0)
  await page.getByLabel('Username or email').fill(admin.uid)
  await page.getByLabel('Password').fill('wrong')
  await page.getByRole('button', { name: 'Sign in' }).click()
  t.match(await page.getByRole('alert').textContent(), /not correct/)
  await t.resolves(page.getByText('Team Wiki').waitFor(), 'still says which application')
  await signIn(page)
  await t.resolves(page.getByRole('heading', { name: 'Allow access to your account?' }).waitFor())
  await t.resolves(page.getByText(host).waitFor())
  await t.resolves(page.getByText('See your email address').waitFor())
  await t.resolves(page.getByText(admin.uid, { exact: true }).first().waitFor())
  t.ok((await overflow(page)) <= 0)
  await page.getByRole('button', { name: 'Allow' }).click()
  await page.waitForURL(`${redirect_uri}?**`)
  t.match(new URL(page.url()).searchParams.get('code'), /^[0-9a-f-]{36}$/)
  t.strictSame(foreign(), [], 'the policy let the form lead back, and nothing else was loaded')
  await context.close()
})

await test('consent is given and refused by keyboard alone', async (t) => {
  for (const [presses, answer] of [
    [1, 'code'],
    [2, 'error'],
  ] as const) {
    const { page, context } = await visit()
    await page.goto(authorization(await register()))
    await signIn(page)
    await page.getByText('Not you?').focus()
    for (let press = 0; press < presses; press++) await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL(`${redirect_uri}?**`)
    t.ok(new URL(page.url()).searchParams.get(answer))
    await context.close()
  }
})

await test('cancelling the sign-in goes back to the application', async (t) => {
  const { page, context } = await visit()
  await page.goto(authorization(await register()))
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.waitForURL(`${redirect_uri}?**`)
  t.match(page.url(), /error=access_denied/)
  await context.close()
})

await test('“Not you?” asks again who somebody is', async (t) => {
  const other = await service.newUser(token)
  const { page, context } = await visit()
  await page.goto(authorization(await register()))
  await signIn(page)
  await page.getByRole('button', { name: 'Not you?' }).click()
  await page.getByLabel('Username or email').fill(other.uid)
  await page.getByLabel('Password').fill(other.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await t.resolves(page.getByText(other.uid, { exact: true }).waitFor())
  await context.close()
})

await test('consent posts from another origin are refused', async (t) => {
  const { page, context } = await visit()
  await page.goto(authorization(await register()))
  await signIn(page)
  const action = new URL((await page.locator('form.choice').getAttribute('action')) as string, url)
  const cookie = (await context.cookies(action.href)).map(({ name, value }) => `${name}=${value}`).join('; ')
  const post = (origin: string) =>
    request('POST', action.pathname, {
      body: 'decision=allow',
      headers: { 'content-type': 'application/x-www-form-urlencoded', cookie, origin },
    })
  t.match(await post(`http://${host}`), { status: 401, body: { name: 'InsufficientPermission' } })
  t.match(await post('null'), { status: 401, body: { name: 'InsufficientPermission' } })
  t.equal((await post(url)).status, 303, 'our own page goes on')
  await context.close()
})

await test('a page names the groups that an application is limited to', async (t) => {
  const outsider = await service.newUser(token)
  const { page, context } = await visit()
  await page.goto(authorization(await register({ allowed_groups: ['app_sso_invite'] })))
  await page.getByLabel('Username or email').fill(outsider.uid)
  await page.getByLabel('Password').fill(outsider.password)
  const answered = page.waitForResponse((response) => response.status() === 403)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await answered
  await t.resolves(page.getByText('app_sso_invite').waitFor())
  await t.resolves(page.getByText('GroupRequired').waitFor())
  await t.resolves(page.getByText(outsider.uid, { exact: true }).first().waitFor())
  t.ok((await overflow(page)) <= 0)
  await context.close()
})

await test('an unmatched redirect URI ends on a page with the error’s name and the request’s id', async (t) => {
  const { page, context } = await visit()
  const answer = await page.goto(authorization(await register(), { redirect_uri: 'https://evil.example/' }))
  t.equal(answer?.status(), 400)
  await t.resolves(page.getByText('InvalidRedirectURI').waitFor())
  t.match(await page.locator('dl.reference').textContent(), /[0-9a-f]{8}-[0-9a-f-]{27}/)
  await context.close()
})

await test('the logout of an application asks first, and stays or leads back as one chooses', async (t) => {
  const client_id = await register({ post_logout_redirect_uris: [`http://${host}/bye`] })
  const query = new URLSearchParams({ client_id, post_logout_redirect_uri: `http://${host}/bye` })
  const { page, context, foreign } = await visit()
  await page.goto('/login')
  await signIn(page)
  for (const [choice, reached] of [
    ['Stay signed in', `${url}/`],
    ['Sign out', `${url}/login`],
  ] as const) {
    await page.goto(`/oauth/logout?${query}`)
    await t.resolves(page.getByRole('heading', { name: 'Sign out?' }).waitFor())
    await t.resolves(page.getByText('Team Wiki').waitFor())
    await page.getByRole('button', { name: choice }).click()
    await page.waitForURL(`http://${host}/bye`)
    await page.goto('/')
    t.equal(page.url(), reached)
  }
  t.strictSame(foreign(), [])
  await context.close()
})
