import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { startMessages } from '#test/support/messages.ts'
import { openPortal } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

await using messages = await startMessages()
await using service = await startTestService({ ...messages.settings, app_onboarding__needs: '' })
await using browser = await openBrowser()
const { url, admin, request, login, newUser } = service
const token = await login(admin.uid, admin.password)

/** Somebody with a screen of their own open, by an administrator. */
async function openPerson(uid: string, name: string) {
  const opened = await openPortal(browser, url, token)
  await opened.page.goto(`/people/${uid}`)
  await opened.page.getByRole('heading', { name, level: 1 }).waitFor()
  return opened
}
async function choose(page: Page, action: string, menu = 'Actions') {
  await page.getByRole('button', { name: menu }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
  return page.getByRole('dialog')
}

await test('what would shut oneself out is done to the other chosen people alone; a new search chooses nobody', async (t) => {
  const people = [await newUser(token, { sn: 'Keeper' }), await newUser(token, { sn: 'Keeper' })]
  await request('PUT', `/api/user/${admin.uid}`, { token, body: { sn: 'Keeper' } })
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/people?q=keeper&sort=uid')
  await page.getByRole('checkbox', { name: 'Choose all 3 shown' }).check()
  let dialog = await choose(page, 'Sign out everywhere…', 'Do with them')
  await page.getByRole('dialog', { name: 'Sign 2 people out everywhere?' }).waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  const asked: string[] = []
  page.on('request', (one) => {
    if (one.method() === 'PUT') asked.push(new URL(one.url()).pathname)
  })
  dialog = await choose(page, 'Lock accounts…', 'Do with them')
  await page.getByRole('dialog', { name: 'Lock 2 accounts?' }).waitFor()
  await dialog.getByText('Your own account is left out.').waitFor()
  t.same(asked, [], 'nothing before it is confirmed')
  await dialog.getByRole('button', { name: 'Lock', exact: true }).click()
  await page.getByText('2 accounts are locked.').waitFor()
  t.same(asked.sort(), people.map(({ uid }) => `/api/user/${uid}/active`).sort())
  const chosen = page.getByRole('region', { name: 'Chosen people' })
  await chosen.getByText('1 person chosen').waitFor()
  await page.getByRole('searchbox').fill('given')
  await page.waitForURL(/q=given/)
  await chosen.waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: /^Choose all/ }).check()
  await chosen.waitFor()
  await page.getByRole('searchbox').fill('keeper')
  await page.waitForURL(/q=keeper/)
  await page.getByRole('checkbox', { name: 'Choose all 3 shown' }).waitFor()
  t.equal(
    await page.getByRole('checkbox', { checked: true }).count(),
    0,
    'nor one whose answer is there already',
  )
  t.equal(await chosen.count(), 0)
  t.strictSame(faults, [])
  await context.close()
})

await test('an impersonation wants a reason; it keeps no language with the account, and its banner ends it', async (t) => {
  const person = await newUser(token, { givenName: 'Donald', sn: 'Knuth' })
  const { page, context, faults } = await openPerson(person.uid, 'Donald Knuth')
  const dialog = await choose(page, 'Impersonate…')
  const start = dialog.getByRole('button', { name: 'Get temporary password' })
  for (const reason of ['', '  ']) {
    await dialog.getByRole('textbox', { name: 'Reason' }).fill(reason)
    t.ok(await start.isDisabled(), `“${reason}” is none`)
  }
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('ticket 4711')
  await start.click()
  const secret = dialog.getByRole('group', { name: 'Temporary password' }).locator('code')
  const acting = await login(person.uid, (await secret.textContent()) ?? '')
  const other = await openPortal(browser, url, acting)
  await other.page.goto('/')
  await other.page.getByRole('button', { name: /^Account:/ }).click()
  await other.page.getByRole('menuitemradio', { name: 'Deutsch' }).click()
  await other.page.getByRole('heading', { name: 'Meine Apps', level: 1 }).waitFor()
  await other.page.keyboard.press('Escape')
  await other.page.getByRole('region', { name: 'Übernahme' }).getByRole('button').click()
  await other.page.waitForURL(`${url}/login/signed-out`)
  t.match(await request('GET', '/api/user/me', { token: acting }), { status: 401 })
  const me = await request('GET', '/api/user/me', { token: person.token })
  t.equal(me.status, 200)
  t.notOk('preferredLanguage' in me.body)
  t.strictSame([...faults, ...other.faults], [])
  await other.context.close()
  await context.close()
})

await test('a password that was shown once is not there when another is asked for', async (t) => {
  const person = await newUser(token, { givenName: 'Barbara', sn: 'Liskov' })
  const { page, context, faults } = await openPerson(person.uid, 'Barbara Liskov')
  for (const [action, button] of [
    ['Set a new password…', 'Set new password'],
    ['Impersonate…', 'Get temporary password'],
  ] as const) {
    let dialog = await choose(page, action)
    const reason = dialog.getByRole('textbox', { name: 'Reason' })
    if (action === 'Impersonate…') await reason.fill('ticket 4712')
    await dialog.getByRole('button', { name: button }).click()
    const secret = (await dialog.locator('code').textContent()) ?? ''
    t.ok(secret.length > 10)
    await dialog.getByRole('button', { name: 'Close' }).last().click()
    await dialog.waitFor({ state: 'detached' })
    dialog = await choose(page, action)
    await dialog.getByRole('button', { name: button }).waitFor()
    t.notMatch(await page.content(), secret)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  t.strictSame(faults, [])
  await context.close()
})

await test('mail and phone are told apart as verified; deleting counts the memberships that an account holds itself', async (t) => {
  const person = await newUser(token, { givenName: 'Ida', sn: 'Rhodes', mobile: '+15550143' })
  for (const name of ['crew', 'staff']) await request('POST', '/api/group/', { token, body: { name } })
  await request('PUT', `/api/group/crew/${person.uid}`, { token })
  await request('PUT', '/api/group/staff/nested/crew', { token })
  const own = { token: person.token }
  await request('POST', '/api/user/me/verification', { ...own, body: { kind: 'mail' } })
  const letter = await messages.mailTo(person.mail)
  const body = { code: /\b\d{6}\b/.exec(letter.text)?.[0] }
  t.equal((await request('PUT', '/api/user/me/verification', { ...own, body })).status, 200)
  const { page, context, faults } = await openPerson(person.uid, 'Ida Rhodes')
  const facts = page.getByRole('region', { name: 'Verification' }).locator('dl > div')
  await facts.filter({ hasText: 'Mail address' }).getByText('Yes', { exact: true }).waitFor()
  await facts.filter({ hasText: 'Phone number' }).getByText('Not yet').waitFor()
  const dialog = await choose(page, 'Delete account…')
  await dialog.getByText('The membership in 1 group is lost: crew').waitFor()
  const last = dialog.getByRole('button', { name: 'Delete account' })
  await dialog.getByRole('textbox').fill(`${person.uid}x`)
  t.ok(await last.isDisabled(), 'another name is not enough')
  t.strictSame(faults, [])
  await context.close()
  const mine = await openPortal(browser, url, person.token)
  await mine.page.goto('/account')
  await mine.page.getByRole('button', { name: 'Verify the phone number' }).waitFor()
  t.equal(await mine.page.getByRole('button', { name: 'Verify the mail address' }).count(), 0)
  await mine.context.close()
})

await test('what is done to many is stopped between two of them, and whoever is left stays chosen', async (t) => {
  const people = []
  for (const givenName of ['Ann', 'Ben', 'Cleo', 'Dan', 'Eve', 'Finn'])
    people.push(await newUser(token, { givenName, sn: 'Brook' }))
  const { page, context, faults } = await openPortal(browser, url, token)
  const held: (() => void)[] = []
  await page.route('**/api/user/*/active', async (route) => {
    await new Promise<void>((go) => held.push(go))
    await route.continue()
  })
  await page.goto('/people?q=brook&sort=uid')
  await page.getByRole('checkbox', { name: 'Choose all 6 shown' }).check()
  const dialog = await choose(page, 'Lock accounts…', 'Do with them')
  await dialog.getByRole('button', { name: 'Lock', exact: true }).click()
  await dialog.getByText('0 of 6 done').waitFor()
  await until('a few are under way', async () => held.length === 4)
  await dialog.getByRole('button', { name: 'Stop' }).click()
  for (const go of held) go()
  await page.getByText('4 accounts are locked.').waitFor()
  await page.getByText('2 people chosen').waitFor()
  const query = '?q=brook&state=active&limit=10'
  const { body } = await request<{ results: object[] }>('GET', `/api/user/${query}`, { token })
  t.equal(body.results.length, 2)
  t.strictSame(faults, [])
  await context.close()
})

await test('after thousands of rows one is asked before more are loaded', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  let asked = 0
  await page.route('**/api/user/?*', (route) => {
    const results = Array.from({ length: 500 }, (_, at) => {
      const uid = `row${asked * 500 + at}`
      return { uid, givenName: 'Robin', sn: uid, mail: `${uid}@example.org`, isActive: true }
    })
    asked++
    return route.fulfill({ json: { results, next: `${asked}` } })
  })
  await page.goto('/people')
  const more = page.getByRole('button', { name: 'Show more than these 5,000' })
  await until('one is asked', async () => {
    await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)')
    return more.isVisible()
  })
  t.equal(asked, 10)
  t.ok((await page.getByRole('row').count()) < 50)
  t.strictSame(faults, [])
  await context.close()
})
