import { json } from 'node:stream/consumers'
import { test } from 'tap'
import { openBrowser, openPage } from '#test/support/browser.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { openPortal } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const { url, admin, request, login, newUser } = service
const token = await login(admin.uid, admin.password)
const key = (sign: string, comment: string) =>
  `ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIHr4sD8v9bSs8oVvO3cyQ0Oe0Wf1yW7y0h2m2Yw1q${sign}aB ${comment}`

await test('after a session ended one comes back to the very search, from the first screen too', async (t) => {
  const own = await login(admin.uid, admin.password)
  const { page, context, faults } = await openPortal(browser, url, own)
  await page.goto('/people?q=first')
  await page.getByRole('link', { name: 'First Administrator' }).waitFor()
  await request('POST', '/api/auth/logout', { token: own })
  await page.getByLabel('Order').selectOption('By username')
  await page.waitForURL(`${url}/login?return_to=%2Fpeople%3Fq%3Dfirst%26sort%3Duid`)
  await page.getByLabel('Username or email').fill(admin.uid)
  await page.getByLabel('Password').fill(admin.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${url}/people?q=first&sort=uid`)
  t.strictSame(faults, [])
  await context.close()
  const fresh = await openPage(browser, url)
  await fresh.page.goto('/?q=wiki')
  t.equal(fresh.page.url(), `${url}/login?return_to=%2F%3Fq%3Dwiki`)
  await fresh.context.close()
})

await test('what went wrong with one thing is not told of the next one that is asked about', async (t) => {
  const person = await newUser(token)
  for (let session = 0; session < 2; session++) await login(person.uid, person.password)
  const { page, context } = await openPortal(browser, url, person.token)
  await page.route('**/api/auth/session/*', (route) =>
    route.request().method() === 'DELETE'
      ? route.fulfill({ status: 500, json: { name: 'InternalError', message: 'It failed.', id: 'an-id' } })
      : route.continue(),
  )
  await page.goto('/account/sessions')
  const ends = page.getByRole('button', { name: /^End the session/ })
  const dialog = page.getByRole('dialog')
  await ends.first().click()
  await dialog.getByRole('button', { name: 'End', exact: true }).click()
  await dialog.getByRole('alert').getByText('an-id').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await ends.last().click()
  await dialog.getByRole('button', { name: 'Cancel' }).waitFor()
  t.equal(await dialog.getByRole('alert').count(), 0)
  await dialog.getByRole('button', { name: 'End', exact: true }).click()
  await dialog.getByRole('alert').getByText('an-id').waitFor()
  await context.close()
})

await test('each is shown the entries of the administration that their groups let them use, and nobody else any', async (t) => {
  const may: Record<string, string[]> = {
    none: [],
    app_sso_invite: ['Invites'],
    app_sso_directory_admin: ['Directory'],
    app_sso_oauth_admin: ['Applications'],
    app_sso_admin: [
      ...['Overview', 'People', 'Invites', 'Groups', 'Notifications', 'Terms', 'Plugins', 'Webhooks'],
      ...['Settings', 'Audit log'],
    ],
  }
  for (const [group, entries] of Object.entries(may)) {
    const person = await newUser(token)
    if (group !== 'none') await request('PUT', `/api/group/${group}/${person.uid}`, { token })
    const { page, context } = await openPortal(browser, url, person.token)
    await page.goto('/')
    await page.getByRole('heading', { name: 'My apps', level: 1 }).waitFor()
    const links = page.getByRole('navigation', { name: 'Main navigation' }).locator('.nav-link')
    const [, , , , ...shown] = await links.allTextContents()
    t.strictSame(shown, entries, group)
    await context.close()
  }
})

await test('what is refused is told with the id that the answer has in its header', async (t) => {
  const person = await newUser(token)
  const { page, context } = await openPortal(browser, url, person.token)
  const [answer] = await Promise.all([
    page.waitForResponse((one) => one.url().includes('/api/audit/')),
    page.goto('/admin/audit'),
  ])
  const alert = page.getByRole('alert')
  await alert.getByText('You are not allowed to do this.').waitFor()
  const id = await alert.locator('.request-id').textContent()
  t.match(id, /^[\da-f-]{36}$/)
  t.equal(id, answer.headers()['x-request-id'])
  await context.close()
})

await test('of SSH keys with one comment the one that is removed goes; a token that was made is not shown again', async (t) => {
  const person = await newUser(token)
  const own = { token: person.token }
  const [first, second] = [key('0', 'me@laptop'), key('4', 'me@laptop')]
  for (const each of [first, second])
    t.equal((await request('POST', '/api/user/key', { ...own, body: { key: each } })).status, 200)
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/account/security')
  await page.getByRole('button', { name: 'Remove the key me@laptop' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('The key was removed.').waitFor()
  t.equal((await request('GET', '/api/user/me', own)).body.sshPublicKey, second)
  await page.goto('/account/connections')
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByLabel('Name').fill('nightly export')
  await page.getByRole('button', { name: 'Make token' }).click()
  const made = (await page.locator('.secret').textContent()) ?? ''
  await page.getByRole('button', { name: 'I have kept it' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New token' }).click()
  await page.getByRole('dialog').getByLabel('Name').waitFor()
  t.equal(await page.getByLabel('Name').inputValue(), '')
  t.notMatch(await page.content(), made)
  t.strictSame(faults, [])
  await context.close()
})

await test('my data is whole: applications, tokens, requests, and the activity from its first page to its last', async (t) => {
  const person = await newUser(token)
  const own = { token: person.token }
  const party = relyingParty(service, token)
  const wiki = await party.register({ name: 'The wiki', scopes: 'openid' })
  await party.tokensFor(wiki, person.token, { scope: 'openid' })
  await request('POST', '/api/api-token/', {
    ...own,
    body: { name: 'nightly', scope: 'read', expires_in_days: 7 },
  })
  await service.deps.audit.settled()
  const path = '/api/user/me/activity/'
  const whole = await request<{ results: { id: string }[] }>('GET', path, own)
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.route(`**${path}?*`, (route) =>
    route.continue({ url: route.request().url().replace('limit=1000', 'limit=1') }),
  )
  await page.goto('/account/data')
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download my data' }).click(),
  ])
  const told = (await json(await file.createReadStream())) as { activity: { id: string }[] }
  t.match(told, {
    account: { uid: person.uid },
    verification: { emailVerified: false },
    applications: [{ client_id: wiki.client_id }],
    access_tokens: [{ name: 'nightly' }],
    access_requests: [],
  })
  const ids = (events: { id: string }[]) => events.map(({ id }) => id)
  t.ok(whole.body.results.length > 2)
  t.strictSame(ids(told.activity), ids(whole.body.results))
  t.strictSame(faults, [])
  await context.close()
})
