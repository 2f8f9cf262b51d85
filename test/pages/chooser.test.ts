import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, openPage, overflow } from '#test/support/browser.ts'
import { freshAddress } from '#test/support/client.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '', app_portal__serve: 'false' })
await using browser = await openBrowser()
const { admin, url } = service
const token = await service.login(admin.uid, admin.password)
const { register, asking, allow } = relyingParty(service, token)

/** Our own address stands for the application: where it leads is read from the address line. */
const redirect_uri = `${url}/login/signed-out`

/** A phone without JavaScript, signed in as the admin. */
async function visit() {
  const visited = await openPage(browser, url, {
    javaScriptEnabled: false,
    extraHTTPHeaders: { 'x-forwarded-for': freshAddress() },
    viewport: { width: 360, height: 700 },
  })
  await visited.page.goto('/login')
  await signIn(visited.page, admin)
  return visited
}

async function signIn(page: Page, { uid, password }: { uid: string; password: string }) {
  await page.getByLabel('Username or email').fill(uid)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

async function application(fields: Record<string, unknown> = {}) {
  const client = await register({ name: 'Team Wiki', redirect_uris: [redirect_uri], ...fields })
  return (changes: Record<string, string>) => {
    const { asked } = asking({ ...client, redirect_uri }, changes)
    return { asked, path: `/oauth/authorize?${new URLSearchParams(asked)}` }
  }
}

const chooser = { name: 'Choose an account' }
const back = (page: Page) => page.waitForURL(`${redirect_uri}?**`)

await test('prompt=select_account asks whether to go on as who is signed in, by keyboard alone', async (t) => {
  const to = await application({ skip_consent: true })
  const { page, context, faults } = await visit()
  await page.goto(to({ prompt: 'select_account' }).path)
  await page.getByRole('heading', chooser).waitFor()
  await t.resolves(page.getByText('Team Wiki').waitFor())
  await t.resolves(page.getByText(admin.uid, { exact: true }).first().waitFor())
  t.ok((await overflow(page)) <= 0)
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await back(page)
  t.match(page.url(), /[?&]code=/, 'and nothing more is asked')
  t.strictSame(faults, [])
  await page.goto(to({ prompt: 'select_account' }).path)
  await page.getByRole('button', { name: 'Cancel' }).click()
  await back(page)
  t.match(page.url(), /error=access_denied/)
  await context.close()
})

await test('“Use another account” signs in as somebody else, who is not asked again', async (t) => {
  const to = await application({ skip_consent: true })
  const other = await service.newUser(token)
  const { page, context } = await visit()
  await page.goto(to({ prompt: 'select_account' }).path)
  await page.getByRole('button', { name: 'Use another account' }).click()
  await signIn(page, other)
  await back(page)
  t.match(page.url(), /[?&]code=/)
  await page.goto('/')
  await t.resolves(page.getByText(other.uid, { exact: true }).waitFor())
  await context.close()
})

await test('prompt=select_account without a session is the sign-in alone; with consent both are asked', async (t) => {
  const to = await application()
  const { page, context } = await openPage(browser, url, { javaScriptEnabled: false })
  await page.goto(to({ prompt: 'select_account consent' }).path)
  await signIn(page, admin)
  await t.resolves(page.getByRole('heading', { name: 'Allow access to your account?' }).waitFor())
  await page.goto(to({ prompt: 'select_account consent' }).path)
  await page.getByRole('button', { name: 'Continue as' }).click()
  await t.resolves(page.getByRole('heading', { name: 'Allow access to your account?' }).waitFor())
  await context.close()
})

await test('a login_hint that names somebody else asks which account, one that names who is signed in does not', async (t) => {
  const to = await application({ skip_consent: true })
  const other = await service.newUser(token)
  const { page, context } = await visit()
  await page.goto(to({ login_hint: ` ${admin.uid.toUpperCase()}` }).path)
  await back(page)
  await page.goto(to({ login_hint: other.mail }).path)
  await t.resolves(page.getByRole('heading', chooser).waitFor())
  await t.resolves(page.getByText(other.mail).waitFor())
  await page.getByRole('button', { name: 'Use another account' }).click()
  t.equal(await page.getByLabel('Username or email').inputValue(), other.mail)
  await page.goto(to({ login_hint: other.mail }).path)
  await page.getByRole('button', { name: 'Continue as' }).click()
  await back(page)
  t.match(page.url(), /[?&]code=/)
  await page.goto(to({ login_hint: other.mail, prompt: 'none' }).path)
  await back(page)
  t.match(page.url(), /[?&]code=/, 'a hint fails no silent request')
  await context.close()
})

await test('POST /api/oauth/authorize heeds no login_hint, and cannot choose an account', async (t) => {
  const to = await application()
  t.match(await allow(to({ login_hint: 'nobody' }).asked, token), {
    status: 200,
    body: { redirect_url: /code=/ },
  })
  t.match(await allow(to({ prompt: 'select_account' }).asked, token), { status: 401 })
})

await test('who is in no allowed group reads which would do, and comes back as somebody else', async (t) => {
  const to = await application({ allowed_groups: ['app_sso_invite', 'app_sso_admin'], skip_consent: true })
  const outsider = await service.newUser(token, { givenName: 'Olga', sn: 'Outside' })
  const { page, context, faults } = await openPage(browser, url, { javaScriptEnabled: false })
  await page.goto(to({}).path)
  await signIn(page, outsider)
  for (const shown of ['app_sso_invite', 'app_sso_admin', 'Olga Outside', outsider.uid])
    await t.resolves(page.getByText(shown, { exact: true }).waitFor(), shown)
  await page.getByRole('button', { name: 'Not you?' }).click()
  await t.resolves(page.getByText('Team Wiki').waitFor())
  await signIn(page, admin)
  await back(page)
  t.match(page.url(), /[?&]code=/)
  t.strictSame(faults, [])
  await context.close()
})

await test('signing out without a registered target ends on a page that leads back to the application', async (t) => {
  const { client_id } = await register({
    name: 'Team Wiki',
    redirect_uris: [`${url}/cb`, 'https://*.example.org/cb'],
  })
  const { page, context } = await visit()
  await page.goto(`/oauth/logout?client_id=${client_id}`)
  await t.resolves(page.getByText('Team Wiki').waitFor())
  await t.resolves(page.getByText(admin.uid, { exact: true }).first().waitFor())
  await page.getByRole('button', { name: 'Stay signed in' }).click()
  t.equal(page.url(), `${url}/`)
  await t.resolves(page.getByRole('heading', { name: 'You are signed in' }).waitFor())
  await page.goto(`/oauth/logout?client_id=${client_id}`)
  await page.getByRole('button', { name: 'Sign out' }).click()
  await t.resolves(page.getByRole('heading', { name: 'You are signed out' }).waitFor())
  t.equal(await page.getByRole('button', { name: 'Back to Team Wiki' }).getAttribute('href'), `${url}/`)
  await page.goto('/')
  t.match(page.url(), '/login')
  await context.close()
})
