import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { axeFinds, openPortal } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'
import { startSmtp } from '#test/support/smtp.ts'
import { until } from '#test/support/until.ts'

await using smtp = await startSmtp()
await using service = await startTestService({
  app_onboarding__needs: '',
  app_delivery__backoff: '50',
  app_delivery__attempts: '1',
  ...smtp.settings,
})
await using browser = await openBrowser()
const { url, request, newUser } = service
const admin = await service.login(service.admin.uid, service.admin.password)

const codeFor = (uid: string) =>
  request('POST', '/api/auth/otp/request', { body: { login: uid, method: 'email' } })

await test('all is well only once everything has answered; what cannot be read says so and is asked for again', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, admin)
  const held = Promise.withResolvers<void>()
  await page.route('**/api/webhooks/', async (route) => {
    await held.promise
    await route.fulfill({ status: 500, json: { name: 'InternalError', message: 'No.', id: 'the-id-of-it' } })
  })
  await page.goto('/admin/overview')
  await page.getByRole('region', { name: 'Systems' }).waitFor()
  await page.getByText('Nobody: all accounts are open.').waitFor()
  const well = page.getByText('All is well: nothing needs a hand.')
  t.equal(await well.count(), 0)
  held.resolve()
  const alert = page.getByRole('alert')
  await alert.getByText('the-id-of-it').waitFor()
  t.equal(await well.count(), 0)
  t.strictSame(await axeFinds(page), [])
  await page.unroute('**/api/webhooks/')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await well.waitFor()
  t.equal(await alert.count(), 0)
  t.strictSame(faults, [])
  await context.close()
})

await test('the overview tells how mail did last: nothing yet, then that it does not go out and why, then that it does', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, admin)
  await page.goto('/admin/overview')
  const mail = page.locator('#systems').getByRole('listitem').filter({ hasText: 'Mail' })
  await mail.getByText('Nothing has gone out yet.').waitFor()
  const { uid } = await newUser(admin)
  smtp.behaviour.refuse = () => 451
  await codeFor(uid)
  await until('the failure', async () => (await service.deps.store.channels.read()).mail.failed_on)
  await page.reload()
  await page.getByRole('heading', { name: 'Mail does not go out' }).waitFor()
  await mail.getByText('The last failure was').waitFor()
  await mail.getByText(/451/).waitFor()
  await mail.getByLabel('Needs a hand').waitFor()
  t.strictSame(await axeFinds(page), [])
  smtp.behaviour.refuse = () => undefined
  await codeFor((await newUser(admin)).uid)
  await until('the mail', async () => (await service.deps.store.channels.read()).mail.sent_on)
  await page.reload()
  await mail.getByText('The last message went out').waitFor()
  await mail.getByLabel('Well').waitFor()
  t.equal(await page.getByRole('heading', { name: 'Mail does not go out' }).count(), 0)
  t.strictSame(faults, [])
  await context.close()
})

await test('in German, on a phone, how mail did is no wider than the window', async (t) => {
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, admin, options)
  await page.goto('/admin/overview')
  await page.getByText('Die letzte Nachricht ging hinaus').waitFor()
  t.ok((await overflow(page)) <= 0)
  t.strictSame(faults, [])
  await context.close()
})
