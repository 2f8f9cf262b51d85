import { json } from 'node:stream/consumers'
import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { until } from '#test/support/until.ts'

const { url, token: admin, request, login, newUser, messages } = await sharedDemo()
await using browser = await openBrowser()
const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHr4sD8v9bSs8oVvO3cyQ0Oe0Wf1yW7y0h2m2Yw1q0aB me@laptop'

await test('a person changes their name by keyboard alone, and verifies a new mail address by its code', async (t) => {
  const person = await newUser(admin)
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/account')
  await page.getByLabel('First name').waitFor()
  await tabTo(page, 'First name')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('Ada')
  await page.keyboard.press('Enter')
  await page.getByText('Your profile was saved.').waitFor()
  await page.getByLabel('Mail address', { exact: true }).fill(`new-${person.mail}`)
  await page.getByLabel('Mail address', { exact: true }).press('Enter')
  await page.getByText('Your mail address was changed.').waitFor()
  await page.getByText('Not verified').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Verify the mail address' }).click()
  await page.getByText('A code of six digits is on its way').waitFor()
  t.strictSame(await axeFinds(page), [])
  const letter = await until('the code, beside the link that came of the change', async () =>
    (await messages.mailsTo(`new-${person.mail}`)).find(({ text }) => !text.includes('/verify/')),
  )
  await page.getByLabel('Code', { exact: true }).fill(/\b\d{6}\b/.exec(letter.text)?.[0] ?? '')
  await page.getByLabel('Code', { exact: true }).press('Enter')
  await page.getByText('Verified', { exact: true }).waitFor()
  const me = await request('GET', '/api/user/me', { token: person.token })
  t.match(me.body, { givenName: 'Ada', mail: `new-${person.mail}` })
  t.strictSame(faults, [])
  await context.close()
})

await test('password, by keyboard alone: a wrong current one is told, a right one ends the other sessions', async (t) => {
  const person = await newUser(admin)
  const other = await login(person.uid, person.password)
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/account/security')
  await page.getByLabel('Current password', { exact: true }).waitFor()
  t.strictSame(await axeFinds(page), [])
  for (const [current, said] of [
    ['not the password', 'The current password is not correct.'],
    [person.password, 'Your password was changed'],
  ] as const) {
    await page.getByLabel('Current password', { exact: true }).focus()
    await page.keyboard.press('Control+A')
    await page.keyboard.type(current)
    for (const label of ['New password', 'New password again']) {
      await tabTo(page, label)
      await page.keyboard.press('Control+A')
      await page.keyboard.type('a new password of mine')
    }
    await page.keyboard.press('Enter')
    await page.getByText(said).waitFor()
  }
  t.equal((await request('GET', '/api/user/me', { token: other })).status, 401)
  t.ok(await login(person.uid, 'a new password of mine'))
  t.strictSame(faults, [])
  await context.close()
})

await test('SSH keys show fingerprint and comment, and go by name', async (t) => {
  const person = await newUser(admin)
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/account/security')
  await page.getByLabel('Add a public key').fill('no key')
  await page.getByRole('button', { name: 'Add key' }).click()
  await page.getByText('This is not a valid SSH public key.').waitFor()
  await page.getByLabel('Add a public key').fill(key)
  await page.getByRole('button', { name: 'Add key' }).click()
  await page.getByText('me@laptop', { exact: true }).waitFor()
  t.match(await page.locator('.plain-code').textContent(), /^SHA256:[\w+/]{43}$/)
  await page.getByRole('button', { name: 'Remove the key me@laptop' }).click()
  await page
    .getByRole('dialog', { name: 'Remove the key me@laptop?' })
    .getByRole('button', { name: 'Remove' })
    .click()
  await page.getByText('The key was removed.').waitFor()
  t.notOk((await request('GET', '/api/user/me', { token: person.token })).body.sshPublicKey)
  t.strictSame(faults, [])
  await context.close()
})

await test('sessions: one is ended by name, the others by number, by keyboard alone', async (t) => {
  const person = await newUser(admin)
  const others = [1, 2, 3].map(() => login(person.uid, person.password))
  await Promise.all(others)
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/account/sessions')
  await page.getByText('This session').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page
    .getByRole('button', { name: /^End the session/ })
    .first()
    .click()
  await page.getByRole('dialog').getByRole('button', { name: 'End', exact: true }).click()
  const told = page.getByText('Signed out there.')
  await told.waitFor()
  await page.getByRole('button', { name: 'End 2 other sessions' }).waitFor()
  for (const gone of [page.getByRole('dialog'), told]) await gone.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'End 2 other sessions' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'End 2 other sessions?' }).waitFor()
  await tabTo(page, 'End 2 other sessions')
  await page.keyboard.press('Enter')
  await told.waitFor()
  await page.getByRole('button', { name: /^End/ }).first().waitFor({ state: 'detached' })
  t.match((await request('GET', '/api/auth/session/', { token: person.token })).body.results, { length: 1 })
  t.strictSame(faults, [])
  await context.close()
})

await test('a connected application is shown with what it may see, and disconnected after a question that names it', async (t) => {
  const person = await newUser(admin)
  const party = relyingParty({ request }, admin)
  const client = await party.register({ name: 'The almanac', scopes: 'openid email' })
  const tokens = await party.tokensFor(client, person.token, { scope: 'openid email' })
  t.equal((await party.userinfo(tokens.access_token)).status, 200)
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/account/connections')
  const almanac = page.getByRole('listitem').filter({ hasText: 'The almanac' })
  await almanac.getByText('mail address').waitFor()
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Disconnect The almanac')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Disconnect The almanac?' }).waitFor()
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Disconnect')
  await page.keyboard.press('Enter')
  await page.getByText('No connected applications').waitFor()
  t.equal((await party.userinfo(tokens.access_token)).status, 401)
  t.strictSame(faults, [])
  await context.close()
})

await test('a personal access token is made, shown once and revoked; the activity and my data tell of it', async (t) => {
  const person = await newUser(admin)
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/account/connections')
  await page.getByText('No tokens').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByLabel('Name').fill('nightly export')
  await page.getByRole('button', { name: 'Make token' }).click()
  const shown = (await page.locator('.secret').textContent()) ?? ''
  const headers = { authorization: `Bearer ${shown}` }
  t.equal((await request('GET', '/api/user/me', { headers })).status, 200)
  await page.getByRole('button', { name: 'I have kept it' }).click()
  await page.getByRole('button', { name: 'Revoke the token nightly export' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The token was revoked.').waitFor()
  t.equal((await request('GET', '/api/user/me', { headers })).status, 401)
  await page.getByRole('tab', { name: 'Activity' }).click()
  await page.getByText('Access token made').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('tab', { name: 'My data' }).click()
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download my data' }).click(),
  ])
  t.equal(file.suggestedFilename(), `${person.uid}.json`)
  const told = await json(await file.createReadStream())
  t.match(told, { account: { uid: person.uid }, sessions: [{ current: true }], activity: Array })
  t.strictSame(faults, [])
  await context.close()
})

await test('the account goes when its name is typed, and every screen of it fits a phone', async (t) => {
  const person = await newUser(admin)
  const { page, context, faults } = await openPortal(browser, url, person.token, {
    viewport: { width: 320, height: 640 },
  })
  for (const path of ['', '/security', '/sessions', '/connections', '/activity', '/data']) {
    await page.goto(`/account${path}`)
    await page.getByRole('heading', { level: 2 }).first().waitFor()
    t.ok((await overflow(page)) <= 0, path)
  }
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Delete my account' }).click()
  const dialog = page.getByRole('dialog', { name: `Delete the account ${person.uid}?` })
  const last = dialog.getByRole('button', { name: 'Delete my account' })
  t.ok(await last.isDisabled())
  await dialog.getByRole('textbox').fill(person.uid)
  await last.click()
  await page.waitForURL(`${url}/login/signed-out`)
  t.equal((await request('GET', `/api/user/${person.uid}`, { token: admin })).status, 404)
  t.strictSame(faults, [])
  await context.close()
})
