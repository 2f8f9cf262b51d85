import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { openPortal } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

// Not on the demo: the chain of this log is trimmed and grown by the service's own means.
await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const { url, deps } = service
const { audit } = deps
const token = await service.login(service.admin.uid, service.admin.password)
const entries = (page: Page) => page.getByRole('list', { name: 'Audit log' }).getByRole('listitem')
const entry = (page: Page, text: string) => entries(page).filter({ hasText: text })

await test('a long chain is verified part by part to its end, and the export has the days and the outcome of the filter', async (t) => {
  const seal = async (target: string) => {
    audit.append({ actor: 'crew', action: 'login', target, outcome: 'refused', address: '' })
    await audit.settled()
    await until('it is sealed', async () => (await audit.seals.verify()).unsealed === 0)
  }
  const today = () => new Date().toLocaleDateString('sv-SE')
  const since = today()
  await audit.seals.trim(Date.now())
  for (const target of ['first', 'second', 'third']) await seal(target)
  const { seals, events } = await audit.seals.verify()
  const { page, context, faults } = await openPortal(browser, url, token)
  const parts: string[] = []
  await page.route('**/api/audit/verification?*', (route) => {
    parts.push(route.request().url())
    return route.continue({ url: route.request().url().replace('limit=100', 'limit=1') })
  })
  await page.goto(`/admin/audit?actor=crew&outcome=refused&since=${since}&until=${today()}`)
  await entry(page, 'crew → third').waitFor()
  const shown = await entries(page).count()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export as CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  t.equal(lines.length, shown + 1)
  t.ok(lines.slice(1).every((line) => line.includes(',crew,login,')))
  await page.getByRole('button', { name: 'Verify the log…' }).click()
  await page.getByRole('button', { name: 'Verify now' }).click()
  await page.getByText('The log is whole').waitFor()
  t.ok(seals > 2)
  t.equal(parts.length, seals)
  await page.getByText(`${events} events under ${seals} seals are as they were written.`).waitFor()
  const { redis } = deps.store
  const [[id = ''] = []] = await redis.xrevrange('latchkey:{audit}:stream', '+', '-', 'COUNT', 1)
  await redis.xdel('latchkey:{audit}:stream', id)
  await page.getByRole('button', { name: 'Verify again' }).click()
  await page.getByText(`The log does not hold after ${seals - 1} good seals`).waitFor()
  t.strictSame(faults, [])
  await context.close()
})
