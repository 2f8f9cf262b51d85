import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, openPage, overflow, typeAtCursor } from '#test/support/browser.ts'
import { freshAddress } from '#test/support/client.ts'
import { deviceGrant, deviceOf } from '#test/support/device.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const { admin, url } = service
const token = await service.login(admin.uid, admin.password)
const { register, userinfo } = relyingParty(service, token)
const { begin, poll } = deviceOf(service)
const grant_types = ['authorization_code', 'refresh_token', deviceGrant]

/** A phone of its own, without JavaScript, that may only see us. */
function visit() {
  return openPage(browser, url, {
    javaScriptEnabled: false,
    extraHTTPHeaders: { 'x-forwarded-for': freshAddress() },
    viewport: { width: 360, height: 700 },
  })
}

async function signIn(page: Page, { uid, password } = admin) {
  await page.getByLabel('Username or email').fill(uid)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

await test('a device is connected on a phone by keyboard alone, without JavaScript: sign in, compare the code, allow', async (t) => {
  const client = await register({ name: 'Living room television', grant_types })
  const { body: asked } = await begin(client, { scope: 'openid profile' })
  const { page, context, faults } = await visit()
  await page.goto('/oauth/device')
  await typeAtCursor(page, admin.uid)
  await page.keyboard.press('Tab')
  await typeAtCursor(page, admin.password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Connect a device' }).waitFor()
  t.ok((await overflow(page)) <= 0)
  await typeAtCursor(page, asked.user_code.toLowerCase().replace('-', ' '))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Connect this device to your account?' }).waitFor()
  for (const shown of ['Living room television', asked.user_code, 'See your name', admin.uid])
    await t.resolves(page.getByText(shown, { exact: true }).first().waitFor(), shown)
  await t.resolves(page.getByText('Only continue if the code on your device is the same').waitFor())
  t.ok((await overflow(page)) <= 0)
  await page.getByText('Not you?').focus()
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your device is connected' }).waitFor()
  t.ok((await overflow(page)) <= 0)
  t.strictSame(faults, [])
  const { body } = await poll(client, asked)
  t.match((await userinfo(String(body.access_token))).body, { sub: admin.uid })
  await context.close()
})

await test('the link that a device shows fills the code in, also past the sign-in, and denying tells the device', async (t) => {
  const client = await register({ name: 'Printer', grant_types })
  const { body: asked } = await begin(client)
  const { page, context } = await visit()
  await page.goto(asked.verification_uri_complete)
  await signIn(page)
  t.equal(await page.getByLabel('Code').inputValue(), asked.user_code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Deny' }).click()
  await t.resolves(page.getByRole('heading', { name: 'The device was refused' }).waitFor())
  t.match((await poll(client, asked)).body, { error: 'access_denied' })
  await page.getByRole('button', { name: 'Enter another code' }).click()
  await page.getByLabel('Code').fill('BBBB-BBBB')
  await page.getByRole('button', { name: 'Continue' }).click()
  t.match(await page.getByRole('alert').textContent(), /no such code/)
  t.equal(await page.getByLabel('Code').inputValue(), 'BBBB-BBBB', 'what was typed is kept')
  await context.close()
})

await test('“Not you?” lets somebody else sign in and come back to the same code', async (t) => {
  const client = await register({ name: 'Printer', grant_types })
  const other = await service.newUser(token)
  const { body: asked } = await begin(client)
  const { page, context, faults } = await visit()
  await page.goto(asked.verification_uri_complete)
  await signIn(page)
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('button', { name: 'Not you?' }).click()
  await signIn(page, other)
  t.equal(await page.getByLabel('Code').inputValue(), asked.user_code)
  await page.getByRole('button', { name: 'Continue' }).click()
  await t.resolves(page.getByText(other.uid, { exact: true }).waitFor())
  await page.getByRole('button', { name: 'Allow' }).click()
  const { body } = await poll(client, asked)
  t.match((await userinfo(String(body.access_token))).body, { sub: other.uid })
  t.strictSame(faults, [])
  await context.close()
})

await test('somebody in no allowed group reads which would do, and who they are', async (t) => {
  const client = await register({ name: 'Printer', grant_types, allowed_groups: ['app_sso_invite'] })
  const outsider = await service.newUser(token)
  const { body: asked } = await begin(client)
  const { page, context } = await visit()
  await page.goto(asked.verification_uri_complete)
  await signIn(page, outsider)
  await page.getByRole('button', { name: 'Continue' }).click()
  await t.resolves(page.getByText('app_sso_invite').waitFor())
  await t.resolves(page.getByText(outsider.uid, { exact: true }).waitFor())
  await page.getByRole('button', { name: 'Not you?' }).click()
  await signIn(page)
  await page.getByRole('button', { name: 'Continue' }).click()
  await t.resolves(page.getByRole('heading', { name: 'Connect this device to your account?' }).waitFor())
  await context.close()
})
