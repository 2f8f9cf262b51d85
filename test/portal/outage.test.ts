import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { axeFinds, openPortal } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

await using service = await startTestService({
  app_onboarding__needs: '',
  app_ldap__timeout: '3000',
  app_redis__timeout: '3000',
})
await using browser = await openBrowser()
const { url, admin, servers, request, login } = service
const token = await login(admin.uid, admin.password)
const ready = () =>
  until('the service is ready', async () => (await request('GET', '/readyz')).status === 200)

for (const [system, title] of [
  ['ldap', 'LDAP away: a screen says so with the id of the log, and goes on where it was when all is back'],
  ['redis', 'Redis away: a screen says so with the id of the log, and goes on where it was when all is back'],
] as const)
  await test(title, async (t) => {
    const { page, context, faults } = await openPortal(browser, url, token)
    await page.goto('/account')
    await page.getByLabel('First name').waitFor()
    await servers[system].kill()
    await page.getByRole('link', { name: 'People' }).click()
    const alert = page.getByRole('alert')
    await alert.getByText('A system behind this service does not answer. Try again later.').waitFor()
    await alert.locator('.request-id').waitFor()
    await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
    t.strictSame(await axeFinds(page), [])
    const other = await context.newPage()
    const answer = await other.goto('/people')
    await other.getByRole('heading').first().waitFor()
    t.equal(answer?.status(), 502, 'a fresh page is one of ours too')
    await other.close()
    await servers[system].start()
    await ready()
    await alert.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('link', { name: 'First Administrator' }).waitFor()
    t.strictSame(faults, [])
    await context.close()
  })
