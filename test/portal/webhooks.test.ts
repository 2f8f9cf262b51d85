import type { Page } from 'playwright-core'
import tap, { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal } from '#test/support/portal.ts'
import { startReceiver } from '#test/webhook/receiver.ts'

await using receiver = await startReceiver()
const { url, token, request, call } = await sharedDemo()
await using browser = await openBrowser()
const configure = (onboarding: object, egress: object, webhooks: object) =>
  call('POST', '/api/conf/', { onboarding, egress, webhooks })
await configure({ needs: ['tos'] }, { allow: ['127.0.0.1'] }, { backoff: 50, attempts: 2 })
tap.teardown(() => configure({ needs: null }, { allow: null }, { backoff: null, attempts: null }))
type Hook = { id: string; name: string; url: string; events: string[]; enabled: boolean }
const hooks = async () =>
  (await request<{ results: Hook[] }>('GET', '/api/webhooks/', { token })).body.results
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()

await test('a webhook is made for chosen events, its secret is shown once, and the messages of what happens stand with their state', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/admin/webhooks')
  await page.getByText('Nobody is told').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('link', { name: 'Add a webhook' }).click()
  await page.getByLabel('Name', { exact: true }).fill('Harbour office')
  await page.getByLabel('Address', { exact: true }).fill(`${receiver.url}/office`)
  await page.getByLabel('Only those chosen here').check()
  await page.getByRole('button', { name: 'Add webhook' }).click()
  await page.getByText('Choose at least one kind of event.').waitFor()
  t.strictSame(await axeFinds(page), [])
  const groups = page.getByRole('group', { name: 'Groups' })
  await groups.getByLabel('Groups').check()
  const accounts = page.getByRole('group', { name: 'Accounts' })
  await accounts.getByText('One by one').click()
  await accounts.getByLabel('Account created').check()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Add webhook' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^whsec_/).waitFor()
  const secret = (await dialog.getByText(/^whsec_/).textContent()) ?? ''
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'I have kept it' }).click()
  await heading(page, 'Harbour office')
  t.notMatch(await page.content(), secret)
  t.match(await hooks(), [{ events: ['group.*', 'user.create'], enabled: true }])
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('The test message was taken').waitFor()
  t.equal(receiver.verified((await receiver.awaited('office'))[0] as never, secret).type, 'webhook.ping')
  await request('POST', '/api/group/', { token, body: { name: 'signallers' } })
  await receiver.awaited('office', 2)
  await page.reload()
  const sent = page.getByRole('list', { name: 'Messages' }).getByRole('listitem')
  await sent.filter({ hasText: 'Group created' }).filter({ hasText: 'Taken' }).waitFor()
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})

await test('a message that is not taken says why; a webhook is changed, switched off, given a new secret, and deleted by name', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/admin/webhooks')
  await page.getByRole('link', { name: 'Harbour office' }).click()
  await heading(page, 'Harbour office')
  receiver.answers.set('/office', [500])
  await page.getByRole('button', { name: 'Send a test' }).click()
  await page.getByText('The test message was not taken').waitFor()
  await page.getByText('It answered 500.').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByLabel('Name', { exact: true }).fill('Harbour desk')
  await page.getByLabel('Address', { exact: true }).fill('ftp://harbour')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Enter an address that begins with https://').waitFor()
  await page.getByLabel('Address', { exact: true }).fill(`${receiver.url}/desk`)
  await page.getByLabel('All events', { exact: true }).check()
  await page.getByRole('button', { name: 'Save' }).click()
  await heading(page, 'Harbour desk')
  t.match(await hooks(), [{ name: 'Harbour desk', url: `${receiver.url}/desk`, events: ['*'] }])
  await page.getByRole('button', { name: 'Switch off' }).click()
  await page.getByText('It is told of nothing from now on.').waitFor()
  t.match(await hooks(), [{ enabled: false }])
  await page.getByRole('button', { name: 'New secret…' }).click()
  await page.getByRole('button', { name: 'Make new secret' }).click()
  await page.getByText('For a day the old secret signs too').waitFor()
  await page.getByRole('button', { name: 'I have kept it' }).click()
  await page.getByRole('button', { name: 'Delete…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete Harbour desk?' })
  await dialog.getByText(/the logs? of \d+ messages/).waitFor()
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Delete webhook' }).click()
  await page.getByText('Nobody is told').waitFor()
  t.same(await hooks(), [])
  t.strictSame(faults, [])
  await context.close()
})

await test('terms are written beside what people will read, and published after saying how many are asked again', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  const { results } = await call<{ results: object[] }>('GET', '/api/user/')
  await page.goto('/admin/terms')
  await page.getByText('There are no terms').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('link', { name: 'Write the terms' }).click()
  await page
    .getByRole('textbox', { name: 'Text' })
    .fill('# Rules\n\nBe *kind*.\n\n| a | b |\n|:--|--:|\n| 1 | 2 |')
  const frame = page.frameLocator('iframe')
  await frame.getByRole('heading', { name: 'Rules' }).waitFor()
  const [, shown] = page.frames()
  t.equal(
    await shown?.evaluate(`getComputedStyle(document.querySelector('td:last-child')).textAlign`),
    'right',
  )
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Publish version 1…' }).click()
  await page
    .getByRole('dialog')
    .getByText(new RegExp(`${results.length} people are asked to accept it`))
    .waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Version 1 is in force.').waitFor()
  await page.getByRole('region', { name: 'Version 1' }).getByText('In force').waitFor()
  await page.getByRole('link', { name: 'New version' }).click()
  await page.getByText('This is the text in force.').waitFor()
  await page.getByRole('textbox', { name: 'Text' }).fill('Be kinder.')
  await page.getByRole('button', { name: 'Publish version 2…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByRole('region', { name: 'Version 2' }).waitFor()
  await page.getByRole('list', { name: 'Versions' }).getByRole('link', { name: 'Version 1' }).click()
  await page.waitForURL(/version=1/)
  await page.getByText('Earlier version').waitFor()
  t.same(await page.getByRole('list', { name: 'Versions' }).locator('[aria-current]').allTextContents(), [
    'Version 1',
  ])
  await page.frameLocator('iframe').getByText('Be kind.').waitFor()
  t.strictSame(await axeFinds(page), [])
  t.match((await request('GET', '/api/tos/')).body, { results: { version: 2, text: 'Be kinder.' } })
  t.strictSame(faults, [])
  await context.close()
})

await test('terms are withdrawn by an empty text, and a setting by which nobody is asked is said', async (t) => {
  await request('POST', '/api/conf/', { token, body: { onboarding: { needs: [] } } })
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/admin/terms/new')
  await page.getByText('Nobody will be asked').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('textbox', { name: 'Text' }).fill('')
  await page.getByRole('button', { name: 'Withdraw the terms…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
  await page.getByText('The terms were withdrawn').waitFor()
  t.match((await request('GET', '/api/tos/')).body, { results: { version: 3, text: '' } })
  t.strictSame(faults, [])
  await context.close()
})

await test('in German, on a phone, nothing of webhooks and terms is wider than the window', async (t) => {
  const body = { name: 'Büro', url: `${receiver.url}/${'long'.repeat(30)}`, events: ['*'] }
  const made = await request<{ results: Hook }>('POST', '/api/webhooks/', { token, body })
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, token, options)
  const { id } = made.body.results
  for (const path of [
    'webhooks',
    'webhooks/new',
    `webhooks/${id}`,
    'terms',
    'terms?version=1',
    'terms/new',
  ]) {
    await page.goto(`/admin/${path}`)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByRole('status').first().waitFor({ state: 'detached' })
    t.ok((await overflow(page)) <= 0, path)
    t.strictSame(await axeFinds(page), [], path)
  }
  t.strictSame(faults, [])
  await context.close()
  await call('DELETE', `/api/webhooks/${id}`)
})
