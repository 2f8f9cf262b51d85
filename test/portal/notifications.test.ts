import type { Page } from 'playwright-core'
import tap, { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { startSmtp } from '#test/support/smtp.ts'
import { until } from '#test/support/until.ts'

await using smtp = await startSmtp()
const { url, admin, token, request, newUser, call } = await sharedDemo()
await using browser = await openBrowser()
// A server that can refuse.
const configure = (server: object, delivery: object) => call('POST', '/api/conf/', { smtp: server, delivery })
const port = Number(smtp.settings.app_smtp__port)
await configure({ host: '127.0.0.1', port, timeout: 60_000 }, { attempts: 1 })
tap.teardown(() => configure({ host: null, port: null, timeout: null }, { attempts: null }))
const [stella, bosun] = [
  await newUser(token, { uid: 'stella', givenName: 'Stella', sn: 'Maris' }),
  await newUser(token, { uid: 'bosun' }),
]
const { results: active } = await call<{ results: object[] }>('GET', '/api/user/?state=active')
const everybody = active.length
await request('POST', '/api/group/', { token, body: { name: 'harbour-crew' } })
for (const { uid } of [stella, bosun]) await request('PUT', `/api/group/harbour-crew/${uid}`, { token })
await request('DELETE', `/api/group/harbour-crew/${admin.uid}`, { token })

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
const preview = (page: Page) => page.frameLocator('iframe')
const subjects = () =>
  smtp.taken
    .map(({ raw, to }) => `${to} ${/^Subject: (.*)\r$/m.exec(raw)?.[1]}`)
    .filter((line) => line.endsWith('closed'))
    .sort()

await test('a notification is written and sent by keyboard alone: seen as mail, counted, asked about, and followed to its end', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/admin/notifications')
  await page.getByText('Nothing was sent yet').waitFor()
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Write a notification')
  await page.keyboard.press('Enter')
  await heading(page, 'New notification')
  await page.getByText(`${everybody} people get it`).waitFor()
  await tabTo(page, 'Everybody who is not locked')
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('ArrowDown')
  await page.getByText('Nobody is chosen yet').waitFor()
  await tabTo(page, 'Groups')
  await page.keyboard.type('harbour-c')
  await page.getByRole('option', { name: 'harbour-crew' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await page.getByText('2 people get it').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.keyboard.press('Escape')
  await tabTo(page, 'Subject')
  await page.keyboard.type('The harbour is closed')
  await tabTo(page, 'Message')
  await page.keyboard.type('From <nine> to ten.')
  await page.keyboard.press('Enter')
  await page.keyboard.press('Enter')
  await page.keyboard.type('See https://harbour.example/news.')
  await preview(page).getByText('From <nine> to ten.').waitFor()
  await preview(page).getByRole('link', { name: 'https://harbour.example/news', exact: true }).waitFor()
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Send…')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Send to 2 people?' })
  await dialog.getByText('To the members of harbour-crew').waitFor()
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Send to 2 people')
  await page.keyboard.press('Enter')
  await heading(page, 'The harbour is closed')
  await page.getByText('The mail server took it for all 2 people.').waitFor()
  t.strictSame(await axeFinds(page), [])
  t.same(
    subjects(),
    [bosun, stella].map(({ mail }) => `${mail} The harbour is closed`),
  )
  t.match((await smtp.mailTo(stella.mail)).html, '<p>From &lt;nine&gt; to ten.</p>')
  t.strictSame(faults, [])
  await context.close()
})

await test('HTML is shown as it will be sent, in a frame that runs no script: styles stay, what is not safe is gone', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/admin/notifications/new')
  await page.getByLabel('Subject').fill('Colours')
  await page.getByLabel('HTML', { exact: true }).check()
  const html =
    '<p style="color: #ff0000">Red</p><script>document.body.textContent = "ran"</script><form><input></form>'
  await page.getByRole('textbox', { name: 'Message' }).fill(html)
  await preview(page).getByText('Red').waitFor()
  const [, shown] = page.frames()
  t.equal(
    await shown?.evaluate(`getComputedStyle(document.querySelector('p[data-styled]')).color`),
    'rgb(255, 0, 0)',
  )
  t.equal(await preview(page).locator('script, form, input').count(), 0)
  t.equal(await page.locator('iframe').getAttribute('sandbox'), '')
  await page.getByLabel('Without HTML').check()
  await page.locator('pre').getByText('Red').waitFor()
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})

await test('people are chosen by name; one that is not there is refused before anything is sent', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/admin/notifications/new')
  await page.getByLabel('Some people').check()
  await page.getByRole('combobox', { name: 'People' }).fill('maris')
  await page.getByRole('option', { name: /Stella Maris/ }).click()
  await page.getByText('1 person gets it').waitFor()
  await page.getByRole('combobox', { name: 'People' }).fill('nobody-here')
  await page.keyboard.press('Enter')
  await page
    .getByRole('alert')
    .getByText(/There is nobody called nobody-here/)
    .waitFor()
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})

await test('who leaves out locked members of a group and writes to everybody after all leaves out nobody', async (t) => {
  const { uid } = await newUser(token)
  await call('PUT', `/api/user/${uid}/active`, { active: false })
  const { results: all } = await call<{ results: object[] }>('GET', '/api/user/')
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/admin/notifications/new')
  await page.getByLabel('Members of groups').check()
  await page.getByLabel('Leave out locked accounts').check()
  await page.getByLabel('Everybody', { exact: true }).check()
  await page.getByText(`${all.length} people get it`).waitFor()
  await page.getByLabel('Members of groups').check()
  t.notOk(await page.getByLabel('Leave out locked accounts').isChecked())
  await call('DELETE', `/api/user/${uid}`)
  t.strictSame(faults, [])
  await context.close()
})

await test('progress is shown while it is sent, then who was not reached; what was sent is found and written again', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  smtp.behaviour.refuse = (to) => (to === bosun.mail ? 550 : undefined)
  const rest = Promise.withResolvers<void>()
  let begun = 0
  smtp.behaviour.held = () => (begun++ < 100 ? undefined : rest.promise)
  const body = { subject: 'To all of you', message: '<p>Hello</p>', filter_type: 'all' }
  const made = await request<{ results: { notification_id: string } }>('POST', '/api/notification/', {
    token,
    body,
  })
  const { notification_id: id } = made.body.results
  await page.goto(`/admin/notifications/${id}`)
  await page.getByRole('progressbar', { name: 'Recipients served' }).waitFor()
  await page.getByText(`of ${everybody} served`).waitFor()
  t.strictSame(await axeFinds(page), [])
  rest.resolve()
  await page.getByText('1 person was not reached').waitFor()
  await page.getByText('bosun', { exact: false }).first().waitFor()
  await page.getByText(`${everybody - 1} reached`).waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('link', { name: 'Write one like it' }).click()
  await page.waitForURL(/like=/)
  await until(
    'the subject is there',
    async () => (await page.getByLabel('Subject').inputValue()) === body.subject,
  )
  t.equal(await page.getByRole('textbox', { name: 'Message' }).inputValue(), '<p>Hello</p>')
  t.ok(await page.getByLabel('Everybody', { exact: true }).isChecked())
  await page.getByRole('link', { name: 'Notifications' }).first().click()
  await page.getByRole('searchbox').fill('HARBOUR')
  await page.waitForURL(/q=HARBOUR/)
  await page.getByRole('link', { name: 'The harbour is closed' }).waitFor()
  await page.getByRole('link', { name: 'To all of you' }).waitFor({ state: 'detached' })
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})

await test('in German, on a phone, nothing of notifications is wider than the window', async (t) => {
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, token, options)
  await page.goto('/admin/notifications')
  await page.getByRole('heading', { name: 'Benachrichtigungen', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'The harbour is closed' }).waitFor()
  t.ok((await overflow(page)) <= 0)
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('link', { name: 'The harbour is closed' }).click()
  await preview(page).getByText('From <nine> to ten.').waitFor()
  t.ok((await overflow(page)) <= 0)
  t.strictSame(await axeFinds(page), [])
  await page.goto('/admin/notifications/new')
  await page.getByText(`${everybody} Personen erhalten sie`).waitFor()
  t.ok((await overflow(page)) <= 0)
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})
