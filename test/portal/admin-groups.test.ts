import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { groupScreens, heading } from './groups-support.ts'

const demo = await sharedDemo()
await using browser = await openBrowser()
const { url, token, call, newUser } = demo
const { newGroup, memberOf, open } = groupScreens(demo, browser)
const annie = await newUser(token, { uid: 'annie', givenName: 'Annie', sn: 'Easley' })
await newUser(token, { uid: 'dorothy', givenName: 'Dorothy', sn: 'Vaughan' })
await newGroup('rockets', 'dorothy')
const crowd = 130
for (let at = 0; at < crowd; at++) await newGroup(`bulk-${String(at).padStart(3, '0')}`)

await test('all groups are for members of app_sso_admin: nobody else is shown the way, nor what is there', async (t) => {
  const { page, context } = await open('/', 'My apps', annie.token)
  t.equal(await page.getByRole('link', { name: 'Groups', exact: true }).count(), 0)
  await page.goto('/admin/groups')
  await page.getByText('For administrators only').waitFor()
  t.strictSame(await axeFinds(page), [])
  await context.close()
})

await test('all groups load as one scrolls, few rows at a time, with search, order, owner and member in the address', async (t) => {
  const { page, context, faults } = await open('/', 'My apps')
  await page.getByRole('link', { name: 'Groups', exact: true }).click()
  await heading(page, 'Groups')
  const rows = page.getByRole('row')
  await page.getByRole('link', { name: 'accounting' }).waitFor()
  t.strictSame(await axeFinds(page), [])
  const last = page.getByRole('link', { name: 'writing' })
  while ((await last.count()) === 0) {
    await page.mouse.wheel(0, 2000)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))')
  }
  t.ok((await rows.count()) < 50, `${await rows.count()} rows are in the page`)
  await page.getByRole('searchbox', { name: 'Search by name or purpose' }).fill('bulk-12')
  await page.waitForURL(`${url}/admin/groups?q=bulk-12`)
  await page.getByRole('link', { name: 'bulk-129' }).waitFor()
  t.equal(await rows.count(), 11)
  await page.getByLabel('Order').selectOption('Oldest first')
  await page.waitForURL(`${url}/admin/groups?q=bulk-12&sort=oldest`)
  await page.goto('/admin/groups')
  await page.getByRole('searchbox', { name: 'Member’s username' }).fill('dorothy')
  await page.waitForURL(`${url}/admin/groups?member=dorothy`)
  await page.getByRole('link', { name: 'rockets' }).waitFor()
  t.equal(await rows.count(), 2)
  await page.reload()
  await page.getByRole('link', { name: 'rockets' }).waitFor()
  t.equal(await rows.count(), 2)
  await page.getByRole('searchbox', { name: 'Owner’s username' }).fill('dorothy')
  await page.getByText('Nothing found').waitFor()
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})

await test('a list of all groups that fails says so with the id of the log, and is asked for again', async () => {
  const { page, context } = await openPortal(browser, url, token)
  const json = { name: 'InternalError', message: 'It failed.', id: 'the-id-of-it' }
  await page.route('**/api/group/?*', (route) => route.fulfill({ status: 500, json }))
  await page.goto('/admin/groups')
  const alert = page.getByRole('alert')
  await alert.getByText('the-id-of-it').waitFor()
  await page.unroute('**/api/group/?*')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'accounting' }).waitFor()
  await context.close()
})

await test('a group is created and a person added by keyboard alone', async (t) => {
  const { page, context, faults } = await open('/admin/groups', 'Groups')
  await tabTo(page, 'New group')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'New group' }).locator('input:focus').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.keyboard.type('night-shift')
  await tabTo(page, 'What it is for')
  await page.keyboard.type('Keeps the lights on')
  await tabTo(page, 'Create group')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/admin/groups/night-shift`)
  await heading(page, 'night-shift')
  await page.getByText('Keeps the lights on').waitFor()
  await tabTo(page, 'Add member')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').locator('input:focus').waitFor()
  await page.keyboard.type('easl')
  await page.getByRole('button', { name: 'Add Annie Easley' }).waitFor()
  await tabTo(page, 'Add Annie Easley')
  await page.keyboard.press('Enter')
  await page.getByText('1 person becomes a member of night-shift:').waitFor()
  await tabTo(page, 'Add member')
  await page.keyboard.press('Enter')
  await page.getByText('Annie Easley is a member of night-shift now.').waitFor()
  t.strictSame(await memberOf('night-shift'), ['admin', 'annie'])
  t.strictSame(faults, [])
  await context.close()
})

await test('a group is created for somebody else, who owns it and is in it alone; a name that is taken is told', async (t) => {
  const { page, context } = await open('/admin/groups', 'Groups')
  await page.getByRole('button', { name: 'New group' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill('COMPANY')
  await dialog.getByText('You become its owner and first member.').waitFor()
  await dialog.getByRole('button', { name: 'Create group' }).click()
  await dialog.getByRole('alert').getByText('This exists already.').waitFor()
  await dialog.getByRole('button', { name: 'Choose another' }).click()
  await dialog.getByLabel('Find a person').fill('dorothy')
  await dialog.getByRole('button', { name: 'Choose Dorothy Vaughan' }).click()
  await dialog.getByText('dorothy becomes its owner and first member.').waitFor()
  await dialog.getByLabel('Name').fill('quay')
  await dialog.getByRole('button', { name: 'Create group' }).click()
  await heading(page, 'quay')
  t.strictSame(await memberOf('quay'), ['dorothy'])
  const { results } = await call<{ results: { owner: string[] } }>('GET', '/api/group/quay')
  t.match(results.owner, [/^uid=dorothy,/])
  t.equal(results.owner.length, 1)
  await context.close()
})

await test('nesting is drawn: links that a keyboard reaches, the same as a list, and how many are not drawn', async (t) => {
  const { page, context, faults } = await open('/admin/groups/platform', 'platform')
  const graph = page.getByRole('list', { name: 'Groups around platform' })
  await graph.waitFor()
  t.strictSame(await graph.getByRole('listitem').allTextContents(), [
    'company',
    'engineering',
    'platform',
    ...['identity', 'network', 'storage'],
  ])
  await page.getByText('As a list').click()
  await page.getByText('identity is nested in platform.').waitFor()
  t.strictSame(await axeFinds(page), [])
  await graph.getByRole('link', { name: 'company' }).focus()
  await tabTo(page, 'engineering')
  await page.keyboard.press('Enter')
  await heading(page, 'engineering')
  await newGroup(
    'everything',
    ...Array.from({ length: 70 }, (_, at) => `/bulk-${String(at).padStart(3, '0')}`),
  )
  await page.goto('/admin/groups/everything')
  await page.getByText('11 more are not drawn.').waitFor()
  t.equal(
    await page.getByRole('list', { name: 'Groups around everything' }).getByRole('listitem').count(),
    60,
  )
  t.strictSame(faults, [])
  await context.close()
})

await test('in German, on a phone, all groups and one of them are no wider than the window', async (t) => {
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, token, options)
  for (const [path, title] of [
    ['/admin/groups', 'Gruppen'],
    ['/admin/groups/platform', 'platform'],
  ] as const) {
    await page.goto(path)
    await heading(page, title)
    await page.getByRole('status').first().waitFor({ state: 'detached' })
    t.ok((await overflow(page)) <= 0, path)
    t.strictSame(await axeFinds(page), [], path)
  }
  t.strictSame(faults, [])
  await context.close()
})
