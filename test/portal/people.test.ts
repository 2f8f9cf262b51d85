import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({
  app_onboarding__needs: '',
})
await using browser = await openBrowser()
const { url, admin, request, login } = service
const token = await login(admin.uid, admin.password)

const crowd = 130
await Promise.all(
  Array.from({ length: crowd }, (_, at) => {
    const uid = `crowd${String(at).padStart(3, '0')}`
    const body = {
      uid,
      password: `password ${uid}`,
      givenName: 'Robin',
      sn: `Of${uid}`,
      mail: `${uid}@x.org`,
    }
    return request('POST', '/api/user/', { token, body })
  }),
)
const ada = await service.newUser(token, {
  uid: 'ada',
  givenName: 'Ada',
  sn: 'Lovelace',
  mobile: '+15550142',
})
for (const name of ['crew', 'staff', 'machines'])
  await request('POST', '/api/group/', { token, body: { name } })
await request('PUT', '/api/group/crew/ada', { token })
await request('PUT', '/api/group/staff/nested/crew', { token })
await request('PUT', '/api/group/owner/machines/ada', { token })

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
/** Somebody with a screen of their own open, by an administrator. */
async function openPerson(uid: string, name: string, tab = '') {
  const opened = await openPortal(browser, url, token)
  await opened.page.goto(`/people/${uid}${tab}`)
  await heading(opened.page, name)
  return opened
}

await test('people are for members of app_sso_admin: nobody else is shown the way, and the API refuses', async (t) => {
  const { page, context } = await openPortal(browser, url, ada.token)
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
  await page.getByText(`${crowd + 2} people, 0 of them locked.`).waitFor()
  const rows = page.getByRole('row')
  await page.getByRole('link', { name: 'Robin Ofcrowd000' }).waitFor()
  t.strictSame(await axeFinds(page), [])
  const last = page.getByRole('link', { name: 'Ada Lovelace' })
  while ((await last.count()) === 0) {
    await page.mouse.wheel(0, 2000)
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => setTimeout(done, 50)))')
  }
  await last.waitFor()
  t.ok((await rows.count()) < 50, `${await rows.count()} rows are in the page`)
  await page.getByRole('searchbox').fill('OFCROWD12')
  await page.waitForURL(`${url}/people?q=OFCROWD12`)
  await page.getByRole('link', { name: 'Robin Ofcrowd129' }).waitFor()
  t.equal(await rows.count(), 11)
  await page.getByRole('columnheader', { name: 'Mail address' }).getByRole('button').click()
  await page.waitForURL(`${url}/people?q=OFCROWD12&sort=mail`)
  t.equal(
    await page.getByRole('columnheader', { name: 'Mail address' }).getAttribute('aria-sort'),
    'ascending',
  )
  await page.getByLabel('Order').selectOption('By username')
  await page.waitForURL(`${url}/people?q=OFCROWD12&sort=uid`)
  await page.reload()
  await page.getByRole('link', { name: 'Robin Ofcrowd129' }).waitFor()
  t.equal(await page.getByRole('searchbox').inputValue(), 'OFCROWD12')
  await page.getByRole('searchbox').fill('nobody at all')
  await page.getByText('Nobody found').waitFor()
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
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
  t.equal(lines.length, crowd + 3)
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
  await page.getByRole('link', { name: 'Robin Ofcrowd000' }).waitFor()
  await context.close()
})

await test('somebody is found and read by keyboard alone: profile, groups with their path, what they reach, the trail', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/people')
  await heading(page, 'People')
  await tabTo(page, 'Search by name, username or mail')
  await page.keyboard.type('lovel')
  await page.waitForURL(`${url}/people?q=lovel`)
  await page.getByRole('link', { name: 'Ada Lovelace' }).waitFor()
  await tabTo(page, 'Ada Lovelace')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/people/ada`)
  await heading(page, 'Ada Lovelace')
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
      t.same(await paths.getByRole('listitem').allTextContents(), ['crew', 'staff'])
      await page.getByRole('region', { name: 'Owns 1 group' }).getByText('machines').waitFor()
    }
    if (tab === 'Access') await page.getByText('Reaches nothing').waitFor()
    if (tab === 'Sessions') await page.getByRole('region', { name: '1 session' }).waitFor()
    if (tab === 'Audit trail') await page.getByText('user.create').waitFor()
    t.strictSame(await axeFinds(page), [], tab)
  }
  t.equal(page.url(), `${url}/people/ada/activity`)
  t.strictSame(faults, [])
  await context.close()
})

await test('what somebody reaches is for directory administrators: another administrator reads that', async (t) => {
  const other = await service.newUser(token)
  await request('PUT', `/api/group/app_sso_admin/${other.uid}`, { token })
  const { page, context } = await openPortal(browser, url, other.token)
  await page.goto('/people/ada/access')
  await page.getByText('For directory administrators only').waitFor()
  t.strictSame(await axeFinds(page), [])
  await context.close()
  const body = { kind: 'site', name: 'Engine room', slug: 'engine-room' }
  const resources = '/api/directory-admin/resources/'
  const made = await request<{ results: { id: string } }>('POST', resources, { token, body })
  const link = { resourceId: made.body.results.id, groupCn: 'staff', accessLevel: 'access' }
  t.match(await request('POST', '/api/directory-admin/groups/', { token, body: link }), { status: 200 })
  const own = await openPerson('ada', 'Ada Lovelace', '/access')
  const room = own.page.getByRole('region', { name: 'Reaches 1 resource' }).getByRole('listitem').first()
  t.match(await room.textContent(), /Engine room.*crew.*staff/s)
  await own.context.close()
})

await test('in German, on a phone, nothing is wider than the window', async (t) => {
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, token, options)
  for (const [path, title] of [
    ['/people', 'Personen'],
    ['/people/ada', 'Ada Lovelace'],
    ['/people/ada/groups', 'Ada Lovelace'],
    ['/people/ada/sessions', 'Ada Lovelace'],
    ['/people/ada/activity', 'Ada Lovelace'],
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
