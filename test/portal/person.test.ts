import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '', app_auth__failures: '5' })
await using browser = await openBrowser()
const { url, admin, request, login } = service
const token = await login(admin.uid, admin.password)

async function choose(page: Page, action: string) {
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: action }).click()
  return page.getByRole('dialog')
}
/** Somebody with a screen of their own open, by an administrator. */
async function openPerson(uid: string, name: string, tab = '') {
  const opened = await openPortal(browser, url, token)
  await opened.page.goto(`/people/${uid}${tab}`)
  await opened.page.getByRole('heading', { name, level: 1 }).waitFor()
  return opened
}

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
    .getByRole('button', { name: /^End session from/ })
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
  await service.newUser(token, { uid: 'ada', givenName: 'Ada', sn: 'Lovelace' })
  for (const name of ['crew', 'machines']) await request('POST', '/api/group/', { token, body: { name } })
  await request('PUT', '/api/group/crew/ada', { token })
  await request('PUT', '/api/group/owner/machines/ada', { token })
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/people?q=lovelace')
  await page.getByRole('link', { name: 'Ada Lovelace' }).click()
  await page.getByRole('heading', { name: 'Ada Lovelace' }).waitFor()
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
