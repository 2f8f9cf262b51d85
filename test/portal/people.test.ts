import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { until } from '#test/support/until.ts'

const { url, token, request, newUser, call } = await sharedDemo()
await using browser = await openBrowser()
// The last of all that are there.
const emmy = await newUser(token, {
  ...{ uid: 'emmy', givenName: 'Emmy', sn: 'Noether', mobile: '+15550142' },
})
const countOf = async (query = '') =>
  (await call<{ results: unknown[] }>('GET', `/api/user/${query}`)).results.length
for (const name of ['algebra', 'faculty', 'lectures'])
  await request('POST', '/api/group/', { token, body: { name } })
await request('PUT', '/api/group/algebra/emmy', { token })
await request('PUT', '/api/group/faculty/nested/algebra', { token })
await request('PUT', '/api/group/owner/lectures/emmy', { token })

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
/** Somebody with a screen of their own open, by an administrator. */
async function openPerson(uid: string, name: string, tab = '') {
  const opened = await openPortal(browser, url, token)
  await opened.page.goto(`/people/${uid}${tab}`)
  await heading(opened.page, name)
  return opened
}

await test('people are for members of app_sso_admin: nobody else is shown the way, and the API refuses', async (t) => {
  const { page, context } = await openPortal(browser, url, emmy.token)
  await page.goto('/')
  await heading(page, 'My apps')
  t.equal(await page.getByRole('link', { name: 'People' }).count(), 0)
  await page.goto('/people')
  await page.getByRole('alert').getByText('You are not allowed to do this.').waitFor()
  await context.close()
})

await test('the table loads as one scrolls, keeps few rows in the page, and search and order in the address', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/')
  await page.getByRole('link', { name: 'People' }).click()
  await heading(page, 'People')
  const [all, locked] = [await countOf(), await countOf('?state=locked')]
  await page.getByText(`${all} people, ${locked} of them locked.`).waitFor()
  const rows = page.getByRole('row')
  await page.getByRole('link', { name: 'First Administrator' }).waitFor()
  t.strictSame(await axeFinds(page), [])
  const last = page.getByRole('link', { name: 'Emmy Noether' })
  while ((await last.count()) === 0) {
    await page.mouse.wheel(0, 2000)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))')
  }
  await last.waitFor()
  t.ok((await rows.count()) < 50, `${await rows.count()} rows are in the page`)
  await page.getByRole('searchbox').fill('ZHANG')
  await page.waitForURL(`${url}/people?q=ZHANG`)
  await page.getByRole('link', { name: 'Fatima Zhang' }).waitFor()
  t.equal(await rows.count(), 5)
  await page.getByRole('columnheader', { name: 'Mail address' }).getByRole('button').click()
  await page.waitForURL(`${url}/people?q=ZHANG&sort=mail`)
  await page.locator('th[aria-sort=ascending]').filter({ hasText: 'Mail address' }).waitFor()
  t.equal(
    await page.getByRole('columnheader', { name: 'Mail address' }).getAttribute('aria-sort'),
    'ascending',
  )
  await page.getByLabel('Order').selectOption('By username')
  await page.waitForURL(`${url}/people?q=ZHANG&sort=uid`)
  await page.reload()
  await page.getByRole('link', { name: 'Fatima Zhang' }).waitFor()
  t.equal(await page.getByRole('searchbox').inputValue(), 'ZHANG')
  await page.getByRole('searchbox').fill('nobody at all')
  await page.getByText('Nobody found').waitFor()
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})

await test('letters typed before the screen has followed the address stay, and another address is taken over', async (t) => {
  const { page, context } = await openPortal(browser, url, token)
  await page.goto('/people')
  const search = page.getByRole('searchbox')
  await search.focus()
  await page.evaluate(`{
    const letters = [...'oeth']
    navigation.addEventListener('currententrychange', () => {
      if (letters.length > 0) document.execCommand('insertText', false, letters.shift())
    })
  }`)
  await page.keyboard.type('n')
  await page.waitForURL(`${url}/people?q=noeth`)
  t.equal(await search.inputValue(), 'noeth')
  await page.getByRole('link', { name: 'Emmy Noether' }).waitFor()
  await page.getByRole('link', { name: 'People' }).click()
  await until('the field is empty', async () => (await search.inputValue()) === '')
  await context.close()
})

await test('everybody is exported as CSV by a link', async (t) => {
  const { page, context } = await openPortal(browser, url, token)
  await page.goto('/people')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export all as CSV' }).click(),
  ])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  t.equal(lines.length, 1 + (await countOf()))
  await context.close()
})

await test('a list that fails says so with the id of the log, and is asked for again', async () => {
  const { page, context } = await openPortal(browser, url, token)
  await page.route('**/api/user/?*', (route) =>
    route.fulfill({
      status: 500,
      json: { name: 'InternalError', message: 'It failed.', id: 'the-id-of-it' },
    }),
  )
  await page.goto('/people')
  const alert = page.getByRole('alert')
  await alert.getByText('the-id-of-it').waitFor()
  await page.unroute('**/api/user/?*')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'First Administrator' }).waitFor()
  await context.close()
})

await test('somebody is found and read by keyboard alone: profile, groups with their path, what they reach, the trail', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/people')
  await heading(page, 'People')
  await tabTo(page, 'Search by name, username or mail')
  await page.keyboard.type('noeth')
  await page.waitForURL(`${url}/people?q=noeth`)
  await page.getByRole('link', { name: 'Emmy Noether' }).waitFor()
  await tabTo(page, 'Emmy Noether')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/people/emmy`)
  await heading(page, 'Emmy Noether')
  await page.getByText('+15550142').waitFor()
  await page.getByRole('region', { name: 'Verification' }).getByText('Not yet').first().waitFor()
  t.strictSame(await axeFinds(page), [])
  const trail = ['Groups', 'Access', 'Sessions', 'Audit trail']
  for (const tab of trail) {
    await tabTo(page, tab)
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: tab }).and(page.locator('[data-status=active]')).waitFor()
    if (tab === 'Groups') {
      const paths = page
        .getByRole('region', { name: 'In 2 groups' })
        .getByRole('list', { name: 'Held through' })
      await paths.first().waitFor()
      t.equal(await paths.count(), 1)
      t.same(await paths.getByRole('listitem').allTextContents(), ['algebra', 'faculty'])
      await page.getByRole('region', { name: 'Owns 1 group' }).getByText('lectures').waitFor()
    }
    if (tab === 'Access')
      await page
        .getByRole('region', { name: 'Reaches 1 resource' })
        .getByText('Intranet', { exact: true })
        .waitFor()
    if (tab === 'Sessions') await page.getByRole('region', { name: '1 session' }).waitFor()
    if (tab === 'Audit trail') await page.getByText('Account created').waitFor()
    t.strictSame(await axeFinds(page), [], tab)
  }
  t.equal(page.url(), `${url}/people/emmy/activity`)
  t.strictSame(faults, [])
  await context.close()
})

await test('what somebody reaches is for directory administrators: another administrator reads that', async (t) => {
  const other = await newUser(token)
  await request('PUT', `/api/group/app_sso_admin/${other.uid}`, { token })
  const { page, context } = await openPortal(browser, url, other.token)
  await page.goto('/people/emmy/access')
  await page.getByText('For directory administrators only').waitFor()
  t.strictSame(await axeFinds(page), [])
  await context.close()
  const body = { kind: 'site', name: 'Engine room', slug: 'engine-room' }
  const resources = '/api/directory-admin/resources/'
  const made = await request<{ results: { id: string } }>('POST', resources, { token, body })
  const link = { resourceId: made.body.results.id, groupCn: 'faculty', accessLevel: 'access' }
  t.match(await request('POST', '/api/directory-admin/groups/', { token, body: link }), { status: 200 })
  const own = await openPerson('emmy', 'Emmy Noether', '/access')
  const room = own.page
    .getByRole('region', { name: 'Reaches 2 resources' })
    .getByRole('listitem')
    .filter({ hasText: 'Engine room' })
    .first()
  t.match(await room.textContent(), /Engine room.*algebra.*faculty/s)
  await own.context.close()
  await call('DELETE', `${resources}${made.body.results.id}`)
})

await test('in German, on a phone, nothing is wider than the window', async (t) => {
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, token, options)
  for (const [path, title] of [
    ['/people', 'Personen'],
    ['/people/emmy', 'Emmy Noether'],
    ['/people/emmy/groups', 'Emmy Noether'],
    ['/people/emmy/sessions', 'Emmy Noether'],
    ['/people/emmy/activity', 'Emmy Noether'],
  ] as const) {
    await page.goto(path)
    await heading(page, title)
    await page.getByRole('status').waitFor({ state: 'detached' })
    t.ok((await overflow(page)) <= 0, path)
    t.strictSame(await axeFinds(page), [], path)
  }
  t.strictSame(faults, [])
  await context.close()
})
