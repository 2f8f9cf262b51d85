import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'

const { url, token, admin, request, login, newUser } = await sharedDemo()
await using browser = await openBrowser()

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
  const person = await newUser(token, { uid: 'joan', givenName: 'Joan', sn: 'Clarke' })
  await login(person.uid, person.password)
  const { page, context, faults } = await openPerson('joan', 'Joan Clarke')
  await page.getByRole('button', { name: 'Actions' }).click()
  await page.getByRole('menuitem', { name: 'Lock account…' }).waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('menuitem', { name: 'Lock account…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Lock the account of Joan Clarke?' })
  await dialog.getByText('2 sessions end').waitFor()
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Lock account' }).click()
  await page.getByText('This account is locked').waitFor()
  t.match(await request('GET', '/api/user/me', { token: person.token }), { status: 401 })
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Unlock account' }).click()
  await page.getByText('Joan Clarke can sign in again.').waitFor()
  await page.getByText('This account is locked').waitFor({ state: 'detached' })
  await login(person.uid, person.password)
  t.strictSame(faults, [])
  await context.close()
})

await test('whom too many failures keep out is let in again', async (t) => {
  const person = await newUser(token, { givenName: 'Tommy', sn: 'Flowers' })
  for (;;) {
    const body = { uid: person.uid, password: 'not the password' }
    await request('POST', '/api/auth/login', { body })
    const { body: closed } = await request<{ results: { uid: string }[] }>('GET', '/api/auth/lockout/', {
      token,
    })
    if (closed.results.some(({ uid }) => uid === person.uid)) break
  }
  const { page, context } = await openPerson(person.uid, 'Tommy Flowers')
  await page.getByText('Too many failed sign-ins').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Let them try again' }).click()
  await page.getByText('Too many failed sign-ins').waitFor({ state: 'detached' })
  await login(person.uid, person.password)
  await context.close()
})

await test('sessions are ended one by one, or all of them', async (t) => {
  const person = await newUser(token, { givenName: 'Edsger', sn: 'Dijkstra' })
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
  const person = await newUser(token, { givenName: 'Barbara', sn: 'Liskov' })
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
  const person = await newUser(token, { givenName: 'Donald', sn: 'Knuth' })
  const { page, context, faults } = await openPerson(person.uid, 'Donald Knuth')
  let dialog = await choose(page, 'Impersonate…')
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('ticket 4711')
  await dialog.getByRole('button', { name: 'Get temporary password' }).click()
  const secret = dialog.getByRole('group', { name: 'Temporary password' }).locator('code')
  const acting = await login(person.uid, (await secret.textContent()) ?? '')
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  const other = await openPortal(browser, url, acting)
  const banner = other.page.getByRole('region', { name: 'Impersonation' })
  for (const path of ['/', '/account']) {
    await other.page.goto(path)
    await banner.getByText(`You act as ${person.uid}.`).waitFor()
    await banner.getByText(`in the name of ${admin.uid}.`).waitFor()
    t.strictSame(await axeFinds(other.page), [])
  }
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
  await other.page.getByRole('link', { name: 'Groups I own' }).click()
  await other.page.waitForURL(/\/login\?return_to=/)
  t.strictSame([...faults, ...other.faults], [])
  await other.context.close()
  await context.close()
})

await test('deleting says what goes by name and number, wants the username typed, and goes by keyboard alone', async (t) => {
  await newUser(token, { uid: 'hedy', givenName: 'Hedy', sn: 'Lamarr' })
  for (const name of ['radio', 'torpedoes']) await request('POST', '/api/group/', { token, body: { name } })
  await request('PUT', '/api/group/radio/hedy', { token })
  await request('PUT', '/api/group/owner/torpedoes/hedy', { token })
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/people?q=lamarr')
  await page.getByRole('link', { name: 'Hedy Lamarr' }).click()
  await page.getByRole('heading', { name: 'Hedy Lamarr' }).waitFor()
  await page.getByRole('button', { name: 'Actions' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Set a new password…' }).waitFor()
  await page.locator('[role=menuitem]:focus').waitFor()
  await page.keyboard.press('ArrowUp')
  await page.getByRole('menuitem', { name: 'Delete account…' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Delete the account of Hedy Lamarr?' })
  for (const loss of [
    '1 session ends',
    'The membership in 1 group is lost: radio',
    '1 group loses this owner: torpedoes',
  ])
    await dialog.getByText(loss).waitFor()
  t.strictSame(await axeFinds(page), [])
  t.ok(await dialog.getByRole('button', { name: 'Delete account' }).isDisabled())
  await tabTo(page, /^Type hedy to confirm/)
  await page.keyboard.type('hedy')
  await page.keyboard.press('Enter')
  await page.getByText('The account of Hedy Lamarr is gone.').waitFor()
  await page.waitForURL(`${url}/people`)
  t.match(await request('GET', '/api/user/hedy', { token }), { status: 404 })
  t.strictSame(faults, [])
  await context.close()
})
