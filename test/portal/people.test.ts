import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({
  app_onboarding__needs: '',
  app_auth__failures: '5',
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
async function choose(page: Page, action: string) {
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: action }).click()
  return page.getByRole('dialog')
}
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

await test('a list that fails says so with the id of the log, and is asked for again', async (t) => {
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
      const staff = page
        .getByRole('region', { name: 'In 2 groups' })
        .getByRole('listitem')
        .filter({
          hasText: /^staff/,
        })
      t.same(
        await staff.getByRole('list', { name: 'Held through' }).getByRole('listitem').allTextContents(),
        ['crew', 'staff'],
      )
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
  const room = own.page.getByRole('region', { name: 'Reaches 1 thing' }).getByRole('listitem').first()
  t.match(await room.textContent(), /Engine room.*crew.*staff/s)
  await own.context.close()
})

await test('locking asks with the number of sessions it ends, and unlocking is at hand', async (t) => {
  const person = await service.newUser(token, { uid: 'grace', givenName: 'Grace', sn: 'Hopper' })
  await login(person.uid, person.password)
  const { page, context, faults } = await openPerson('grace', 'Grace Hopper')
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Lock account…' }).waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('menuitem', { name: 'Lock account…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Lock the account of Grace Hopper?' })
  await dialog.getByText('2 sessions end').waitFor()
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Lock account' }).click()
  await page.getByText('This account is locked').waitFor()
  t.match(await request('GET', '/api/user/me', { token: person.token }), { status: 401 })
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Unlock account' }).click()
  await page.getByText('Grace Hopper can sign in again.').waitFor()
  await page.getByText('This account is locked').waitFor({ state: 'detached' })
  await login(person.uid, person.password)
  t.strictSame(faults, [])
  await context.close()
})

await test('whom too many failures keep out is let in again', async (t) => {
  const person = await service.newUser(token, { givenName: 'Alan', sn: 'Turing' })
  for (;;) {
    const body = { uid: person.uid, password: 'not the password' }
    await request('POST', '/api/auth/login', { body })
    const { body: closed } = await request<{ results: { uid: string }[] }>('GET', '/api/auth/lockout/', {
      token,
    })
    if (closed.results.some(({ uid }) => uid === person.uid)) break
  }
  const { page, context } = await openPerson(person.uid, 'Alan Turing')
  await page.getByText('Too many failed sign-ins').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Let them try again' }).click()
  await page.getByText('Too many failed sign-ins').waitFor({ state: 'detached' })
  await login(person.uid, person.password)
  await context.close()
})

await test('sessions are ended one by one, or all of them', async (t) => {
  const person = await service.newUser(token, { givenName: 'Edsger', sn: 'Dijkstra' })
  await login(person.uid, person.password)
  const { page, context } = await openPerson(person.uid, 'Edsger Dijkstra', '/sessions')
  await page.getByRole('region', { name: '2 sessions' }).waitFor()
  await page
    .getByRole('button', { name: /^End the session from/ })
    .first()
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'End session' }).click()
  await page.getByRole('region', { name: '1 session' }).waitFor()
  const dialog = await choose(page, 'Sign out everywhere…')
  await dialog.getByText('1 session ends').waitFor()
  await dialog.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('Signed in nowhere').waitFor()
  t.match(await request('GET', '/api/user/me', { token: person.token }), { status: 401 })
  await context.close()
})

await test('a new password is shown once, and must be changed; a reset link is sent', async (t) => {
  const person = await service.newUser(token, { givenName: 'Barbara', sn: 'Liskov' })
  const { page, context, faults } = await openPerson(person.uid, 'Barbara Liskov')
  let dialog = await choose(page, 'Set a new password…')
  await dialog.getByText('1 session ends').waitFor()
  await dialog.getByRole('button', { name: 'Set new password' }).click()
  const password =
    (await dialog.getByRole('group', { name: 'New password' }).locator('code').textContent()) ?? ''
  t.match(password, /^(\w{5}-){3}\w{5}$/)
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await dialog.waitFor({ state: 'detached' })
  t.notMatch(await page.content(), password)
  await page.getByText('New password due').waitFor()
  await login(person.uid, password)
  dialog = await choose(page, 'Send reset link…')
  await dialog.getByText(person.mail).waitFor()
  await dialog.getByRole('button', { name: 'Send link' }).click()
  await page.getByText(`A link is on its way to ${person.mail}.`).waitFor()
  t.strictSame(faults, [])
  await context.close()
})

await test('impersonation: a temporary password shown once, a notice while it is used, and its end', async (t) => {
  const person = await service.newUser(token, { givenName: 'Donald', sn: 'Knuth' })
  const { page, context } = await openPerson(person.uid, 'Donald Knuth')
  let dialog = await choose(page, 'Impersonate…')
  await dialog.getByRole('button', { name: 'Get temporary password' }).click()
  const secret = dialog.getByRole('group', { name: 'Temporary password' }).locator('code')
  const acting = await login(person.uid, (await secret.textContent()) ?? '')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await page.reload()
  await page.getByText(`${admin.uid} is signed in as Donald Knuth.`).waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'End impersonation…' }).click()
  dialog = page.getByRole('dialog')
  await dialog.getByText('1 session made with it').waitFor()
  await dialog.getByRole('button', { name: 'End impersonation' }).click()
  await page.getByText('Somebody acts as this person').waitFor({ state: 'detached' })
  t.match(await request('GET', '/api/user/me', { token: acting }), { status: 401 })
  t.match(await request('GET', '/api/user/me', { token: person.token }), { status: 200 })
  await context.close()
})

await test('deleting says what goes by name and number, wants the username typed, and goes by keyboard alone', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/people?q=lovelace')
  await page.getByRole('link', { name: 'Ada Lovelace' }).click()
  await heading(page, 'Ada Lovelace')
  await page.getByRole('button', { name: 'Actions' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Set a new password…' }).waitFor()
  await page.keyboard.press('ArrowUp')
  await page.getByRole('menuitem', { name: 'Delete account…' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Delete the account of Ada Lovelace?' })
  for (const loss of [
    '1 session ends',
    'The membership in 1 group is lost: crew',
    '1 group loses this owner: machines',
  ])
    await dialog.getByText(loss).waitFor()
  t.strictSame(await axeFinds(page), [])
  t.ok(await dialog.getByRole('button', { name: 'Delete account' }).isDisabled())
  await tabTo(page, /^Type ada to confirm/)
  await page.keyboard.type('ada')
  await page.keyboard.press('Enter')
  await page.getByText('The account of Ada Lovelace is gone.').waitFor()
  await page.waitForURL(`${url}/people`)
  t.match(await request('GET', '/api/user/ada', { token }), { status: 404 })
  t.strictSame(faults, [])
  await context.close()
})

await test('in German, on a phone, nothing is wider than the window', async (t) => {
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, token, options)
  for (const [path, title] of [
    ['/people', 'Personen'],
    ['/people/grace', 'Grace Hopper'],
    ['/people/grace/groups', 'Grace Hopper'],
    ['/people/grace/sessions', 'Grace Hopper'],
    ['/people/grace/activity', 'Grace Hopper'],
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
