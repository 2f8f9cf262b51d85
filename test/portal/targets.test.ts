import type { Page } from 'playwright-core'
import { test } from 'tap'
import { directoryTools } from '#test/directory/support.ts'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { axeFinds, openPortal } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const { url, request, newUser } = service
const { admin } = await directoryTools(service)
const body = { name: 'Harbour log', redirect_uris: ['https://log.example/cb'] }
const made = await request<{ results: { client_id: string } }>('POST', '/api/oauth/client/', {
  token: admin,
  body,
})
const id = made.body.results.client_id
const plain = await newUser(admin)
await request('PUT', `/api/group/app_sso_admin/${plain.uid}`, { token: admin })

const entry = (page: Page) => page.getByRole('listitem').filter({ hasText: 'App registered' })

await test('an application in the audit log and in one’s activity is called by its name, with its id beside, and is found by it', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, admin)
  await page.goto('/admin/audit')
  await entry(page).getByText('Harbour log').waitFor()
  await entry(page).getByText(id).waitFor()
  await entry(page).locator('summary').click()
  t.match(await entry(page).locator('dl').textContent(), new RegExp(`Harbour log ${id}`))
  t.strictSame(await axeFinds(page), [])
  await page.goto('/account/activity?q=harbour')
  await entry(page).getByText('Harbour log').waitFor()
  t.equal(await page.getByRole('listitem').filter({ hasText: 'Sign-in' }).count(), 0)
  t.strictSame(await axeFinds(page), [])
  await page.setViewportSize({ width: 340, height: 700 })
  t.ok((await overflow(page)) <= 0)
  t.strictSame(faults, [])
  await context.close()
})

await test('an administrator who may not know the applications reads the id alone, and asks for no list of them', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, plain.token)
  const asked: string[] = []
  page.on('request', (request) => asked.push(new URL(request.url()).pathname))
  await page.goto('/admin/audit')
  await entry(page).getByText(id).waitFor()
  await page.waitForLoadState('networkidle')
  t.equal(await page.getByText('Harbour log').count(), 0)
  t.strictSame(
    asked.filter((path) => /oauth\/client|directory-admin/.test(path)),
    [],
  )
  t.strictSame(faults, [])
  await context.close()
})
