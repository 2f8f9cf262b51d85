import type { Page } from 'playwright-core'
import tap, { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { startReceiver } from '#test/webhook/receiver.ts'

await using receiver = await startReceiver()
const { url, token, request, call } = await sharedDemo()
await using browser = await openBrowser()
await call('POST', '/api/conf/', { egress: { allow: ['127.0.0.1'] } })
tap.teardown(() => call('POST', '/api/conf/', { egress: { allow: null } }))

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
type Instance = { id: string; name: string; cron: string | null; enabled: boolean; config: object }
const instances = async () =>
  (await request<{ results: Instance[] }>('GET', '/api/plugins/', { token })).body.results

await test('a plugin is set up by keyboard alone: its form comes from the schema that its type declares', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/admin/plugins')
  await page.getByText('No plugin is set up').waitFor()
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Set up a plugin')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'HTTP check' }).waitFor()
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'HTTP check')
  await page.keyboard.press('Enter')
  await page.waitForURL(/type=discovery/)
  await page.getByLabel('url', { exact: true }).waitFor()
  await tabTo(page, 'Name')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('Watch the harbour')
  await tabTo(page, 'status')
  await page.keyboard.type('9000')
  await page.keyboard.press('Enter')
  await page.getByText('This is needed.').waitFor()
  await page.getByText('Enter a number from 100 to 599.').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.locator('#plugin-url:focus').waitFor()
  await page.keyboard.type(`${receiver.url}/harbour`)
  await tabTo(page, 'status')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('205')
  await tabTo(page, 'Schedule')
  await page.keyboard.type('every now and then')
  await page.keyboard.press('Enter')
  await page.getByText('This is no schedule').waitFor()
  await tabTo(page, 'status', 'Shift+Tab')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('204')
  t.equal(await page.getByLabel('status', { exact: true }).inputValue(), '204', 'the focus stays')
  await tabTo(page, 'Schedule')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('0 3 * * *')
  await page.keyboard.press('Enter')
  await heading(page, 'Watch the harbour')
  await page.getByText('Schedule on', { exact: true }).waitFor()
  t.strictSame(await axeFinds(page), [])
  t.match(await instances(), [
    {
      name: 'Watch the harbour',
      cron: '0 3 * * *',
      enabled: true,
      config: { url: `${receiver.url}/harbour`, status: 204 },
    },
  ])
  t.strictSame(faults, [])
  await context.close()
})

/** The screen of a check that was made by the API, with a schedule by which it hardly ever runs in between. */
async function openCheck(name: string, path: string) {
  const body = {
    ...{ pluginType: 'discovery/http-check', name, cron: '0 4 29 2 *' },
    config: { url: `${receiver.url}/${path}` },
  }
  const made = await request<{ results: Instance }>('POST', '/api/plugins/', { token, body })
  const opened = await openPortal(browser, url, token)
  await opened.page.goto(`/admin/plugins/${made.body.results.id}`)
  await heading(opened.page, name)
  return { ...opened, id: made.body.results.id }
}

await test('it is run, and its run ends in words with its log; a failure says why', async (t) => {
  const { page, context, faults, id } = await openCheck('Lighthouse', 'light')
  await page.getByText('It has not run yet').waitFor()
  await page.getByRole('button', { name: 'Run now' }).click()
  const runs = page.getByRole('list', { name: 'Runs' }).getByRole('listitem')
  await runs.filter({ hasText: 'Done' }).waitFor()
  receiver.answers.set('/light', [500, 500])
  await page.getByRole('button', { name: 'Run now' }).click()
  const failed = runs.filter({ hasText: 'Failed' })
  await failed.waitFor()
  await failed.locator('summary').click()
  await failed
    .getByText(/answered 500/)
    .last()
    .waitFor()
  t.match(await failed.locator('pre').textContent(), /\S/, 'its log')
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('It failed').waitFor()
  await page.getByRole('button', { name: 'Test', exact: true }).click()
  await page.getByText('It works').waitFor()
  t.strictSame(await axeFinds(page), [])
  const { results } = await call<{ results: object[] }>('GET', `/api/plugins/${id}/runs`)
  t.equal(results.length, 2, 'a test is no run')
  await page.getByRole('link', { name: 'Plugins' }).first().click()
  await page.getByRole('listitem').filter({ hasText: 'Lighthouse' }).getByText('Failed').waitFor()
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})

/** The secret of the check at /pier, as its receiver sees it. */
async function sentSecret(id: string) {
  await call('POST', `/api/plugins/${id}/test`)
  return receiver.at('pier').at(-1)?.headers.authorization
}

await test('its schedule is switched, its settings are changed, and its secrets are set, never shown, and removed', async (t) => {
  const { page, context, faults, id } = await openCheck('Pier', 'pier')
  await page.getByRole('button', { name: 'Switch schedule off' }).click()
  await page.getByText('Schedule off', { exact: true }).waitFor()
  t.match(
    (await instances()).find((one) => one.id === id),
    { enabled: false },
  )
  await page.getByRole('button', { name: 'Switch schedule on' }).click()
  await page.getByText('Schedule on', { exact: true }).waitFor()
  await page.getByLabel('contains').fill('all is well')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('The changes are saved.').waitFor()
  t.match((await instances()).find((one) => one.id === id)?.config, { contains: 'all is well' })
  await page.getByRole('textbox', { name: 'authorization', exact: true }).fill('Bearer of-the-tests')
  await page.getByRole('button', { name: 'Set authorization' }).click()
  await page.getByText('authorization is set.').waitFor()
  t.equal(await sentSecret(id), 'Bearer of-the-tests')
  await page.reload()
  await page.getByText('Set', { exact: true }).first().waitFor()
  t.notMatch(await page.content(), 'of-the-tests')
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Remove authorization' }).click()
  await page.getByRole('dialog').getByText('Pier goes on without authorization.').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('authorization is removed.').waitFor()
  t.equal(await sentSecret(id), undefined)
  t.strictSame(faults, [])
  await context.close()
})

await test('deleting asks by name and says what goes with it', async (t) => {
  const { page, context, faults, id } = await openCheck('Old buoy', 'buoy')
  await page.getByRole('button', { name: 'Run now' }).click()
  await page.getByRole('list', { name: 'Runs' }).getByText('Done').waitFor()
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete Old buoy?' })
  await dialog.getByText('the log of 1 run').waitFor()
  await dialog.getByText('no secret').waitFor()
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Delete plugin' }).click()
  await page.waitForURL(`${url}/admin/plugins`)
  t.notOk((await instances()).some((one) => one.id === id))
  t.strictSame(faults, [])
  await context.close()
})

await test('in German, on a phone, nothing of plugins is wider than the window', async (t) => {
  const [{ id = '' } = {}] = await instances()
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, token, options)
  for (const path of ['', '/new', '/new?type=messaging/twilio', `/${id}`]) {
    await page.goto(`/admin/plugins${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('status').waitFor({ state: 'detached' })
    t.ok((await overflow(page)) <= 0, path)
    t.strictSame(await axeFinds(page), [], path)
  }
  t.strictSame(faults, [])
  await context.close()
})
