import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { openDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { until } from '#test/support/until.ts'

// Of its own: it counts everything, and begins with all being well.
await using demo = await openDemo({ app_auth__failures: '3' })
await using browser = await openBrowser()
const { url, token, request, login, newUser, call } = demo

const grace = await newUser(token, { uid: 'grace', givenName: 'Grace', sn: 'Hopper' })
const alan = await newUser(token, { uid: 'alan', givenName: 'Alan', sn: 'Turing' })
/** Those of the demo, and these two; the first administrator was there before anybody signed up. */
const signedUp = 202

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
const wrongPassword = (uid: string) =>
  request('POST', '/api/auth/login', { body: { uid, password: 'not the password' } })
async function open(options = {}) {
  const opened = await openPortal(browser, url, token, options)
  await opened.page.goto('/admin/overview')
  await heading(opened.page, options === german ? 'Übersicht' : 'Overview')
  return opened
}
const german = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
/** The number of a card. */
const figure = (page: Page, label: string) =>
  page
    .getByRole('list', { name: 'In numbers' })
    .getByRole('listitem')
    .filter({ hasText: label })
    .locator('.home-figure')
const problem = (page: Page, name: string | RegExp) =>
  page.locator('.home-problem').filter({ has: page.getByRole('heading', { name }) })

/** Follows the links of problems, each to a screen that there is, and comes back. */
async function leadsOn(page: Page, problems: string[]) {
  for (const name of problems) {
    await problem(page, name).getByRole('link').click()
    await page.waitForURL((to) => to.pathname !== '/admin/overview')
    const title = page.getByRole('heading', { level: 1 }).filter({ hasNotText: 'Overview' })
    await title.waitFor()
    if ((await title.textContent()) === 'Not found') throw new Error(`${name} leads to ${page.url()}`)
    await page.goBack()
    await heading(page, 'Overview')
  }
}

await test('the overview is for members of app_sso_admin: nobody else is shown the way, and the API refuses', async (t) => {
  const { page, context } = await openPortal(browser, url, grace.token)
  await page.goto('/')
  await heading(page, 'My apps')
  t.equal(await page.getByRole('link', { name: 'Overview' }).count(), 0)
  await page.goto('/admin/overview')
  await page.getByRole('alert').getByText('You are not allowed to do this.').waitFor()
  await context.close()
})

await test('it is the first of the administration; where all is well one line says so, and numbers lead where one acts', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/')
  const administration = page.locator('.nav-heading + a')
  t.equal(await administration.textContent(), 'Overview')
  await administration.click()
  await heading(page, 'Overview')
  await page.getByText('All is well: nothing needs a hand.').waitFor()
  await until('all people', async () => (await figure(page, 'People').textContent()) === String(signedUp + 1))
  t.equal(await figure(page, 'Locked accounts').textContent(), '0')
  t.match(await figure(page, 'Groups').textContent(), /^\d+$/)
  const systems = page.getByRole('region', { name: 'Systems' })
  for (const name of ['LDAP directory', 'Redis', 'Mail', 'SMS', 'Messages on their way', 'Plugin runs'])
    await systems
      .getByRole('listitem')
      .filter({ hasText: name })
      // What has sent nothing yet has nothing to tell.
      .getByRole('img', { name: name === 'Mail' || name === 'SMS' ? /^(Well|Nothing to tell)$/ : 'Well' })
      .first()
      .waitFor()
  await systems.getByText('Signing key RS256').waitFor()
  await page.getByText('Nobody: all accounts are open.').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('list', { name: 'In numbers' }).getByRole('link', { name: 'People' }).click()
  await heading(page, 'People')
  await page.goBack()
  await page.getByRole('list', { name: 'In numbers' }).getByRole('link', { name: 'Groups' }).click()
  await page.waitForURL(`${url}/admin/groups`)
  await page.goBack()
  await page
    .getByRole('region', { name: 'Failed sign-ins' })
    .getByRole('link', { name: 'In the audit log' })
    .click()
  await heading(page, 'Audit log')
  t.match(page.url(), /action=login&outcome=refused/)
  await page.goBack()
  await page.getByRole('link', { name: 'Open invites' }).click()
  await page.waitForURL(`${url}/admin/invites?state=valid`)
  t.strictSame(faults, [])
  await context.close()
})

await test('sign-ups and failed sign-ins are drawn over time, and say the same as a table', async (t) => {
  await wrongPassword('nobody-of-this-name')
  const refused = '/api/audit/?action=login&outcome=refused'
  await until('it is in the log', async () => {
    const { results } = await call<{ results: object[] }>('GET', refused)
    return results.length === 1
  })
  const { page, context, faults } = await open()
  const signUps = page.getByRole('region', { name: 'Sign-ups' })
  await signUps.getByRole('img', { name: `${signedUp} in the last 30 days` }).waitFor()
  await signUps.getByText('As a table').click()
  const days = signUps.getByRole('row')
  t.equal(await days.count(), 31)
  // The demo may have been filled before midnight.
  const counts = (await days.getByRole('cell').allTextContents()).map(Number)
  t.equal((counts.at(-2) ?? 0) + (counts.at(-1) ?? 0), signedUp)
  await signUps.getByRole('link', { name: 'Grace Hopper' }).waitFor()
  const failed = page.getByRole('region', { name: 'Failed sign-ins' })
  await failed.getByRole('img', { name: '1 in the last 24 hours' }).waitFor()
  await failed.getByText('1 time · from 1 address').waitFor()
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})

await test('what is wrong stands first, with what it means: a failed plugin, a webhook that is not reached, a closed account', async (t) => {
  type Made = { results: { id: string } }
  const plugin = { pluginType: 'discovery/http-check', config: { url: 'http://127.0.0.1:9/health' } }
  const { results: made } = await call<Made>('POST', '/api/plugins/', { ...plugin, name: 'Wiki is up' })
  await call('POST', `/api/plugins/${made.id}/run`)
  for (const name of ['Not told yet', 'To the chat']) {
    const hook = { name, url: 'http://127.0.0.1:9/', events: ['group.create'] }
    const { results } = await call<Made>('POST', '/api/webhooks/', hook)
    if (name === 'To the chat') await call('POST', `/api/webhooks/${results.id}/test`)
  }
  await request('PUT', '/api/user/alan/active', { token, body: { active: false } })
  for (let nth = 0; nth < 3; nth++) await wrongPassword('grace')
  await until('the run has ended', async () => {
    const { body } = await request<{ results: { last_status: string }[] }>('GET', '/api/plugins/', { token })
    return body.results[0]?.last_status === 'error'
  })
  const { page, context, faults } = await open()
  await problem(page, 'The plugin Wiki is up failed').getByText('no public address').waitFor()
  await problem(page, 'The webhook To the chat is not reached').waitFor()
  t.equal(await problem(page, /Not told yet/).count(), 0)
  const closed = problem(page, '1 account is closed after too many failures')
  await closed.waitFor()
  t.match(await page.locator('.home-problem').last().textContent(), /closed/, 'the gravest first')
  t.strictSame(await axeFinds(page), [])
  await leadsOn(page, ['The plugin Wiki is up failed', 'The webhook To the chat is not reached'])
  await closed.getByRole('link', { name: 'See who it is' }).click()
  await page.getByRole('button', { name: 'Open now: grace' }).click()
  await page.getByText('grace can be signed in to again.').waitFor()
  await closed.waitFor({ state: 'detached' })
  t.ok(await login('grace', grace.password))
  await page.getByRole('button', { name: 'Unlock Alan Turing' }).click()
  await page.getByText('Alan Turing can sign in again.').waitFor()
  await page.getByText('Nobody: all accounts are open.').waitFor()
  const { body } = await request('GET', `/api/user/${alan.uid}`, { token })
  t.match(body.results, { isActive: true })
  t.strictSame(faults, [])
  await context.close()
})

await test('a locked account is unlocked by keyboard alone', async (t) => {
  await request('PUT', '/api/user/alan/active', { token, body: { active: false } })
  const { page, context } = await open()
  await page.getByRole('button', { name: 'Unlock Alan Turing' }).waitFor()
  await tabTo(page, 'Unlock Alan Turing')
  await page.keyboard.press('Enter')
  await page.getByText('Alan Turing can sign in again.').waitFor()
  const { body } = await request('GET', '/api/user/alan', { token })
  t.match(body.results, { isActive: true })
  await context.close()
})

await test('a directory that is away, keys that nothing signs with and messages given up say what follows', async (t) => {
  const { page, context } = await openPortal(browser, url, token)
  await page.route('**/api/status/', async (route) => {
    const answer = await route.fetch()
    const { results } = await answer.json()
    const ended = { algorithm: 'EdDSA', signs_from: 1000, state: 'past' }
    const late = { algorithm: 'RS256', signs_from: Date.now() - 400 * 86_400_000, state: 'signing' }
    const jobs = { ...results.jobs, delivery: { waiting: 0, active: 0, delayed: 2, failed: 4 } }
    const ldap = { ...results.ldap, status: 'away' }
    const said = { ...results, ldap, jobs, mail: 'not configured', signing_keys: [ended, late] }
    await route.fulfill({ response: answer, json: { results: said } })
  })
  await page.goto('/admin/overview')
  await problem(page, 'The directory does not answer').getByText('Nobody can sign in').waitFor()
  await problem(page, 'No key signs EdDSA').waitFor()
  await problem(page, 'The signing key for RS256 is overdue').waitFor()
  await problem(page, '4 messages were given up').waitFor()
  await problem(page, 'Mail is not set up').waitFor()
  await leadsOn(page, ['Mail is not set up'])
  t.match(await page.locator('.home-problem').first().textContent(), /directory/)
  await page.getByRole('region', { name: 'Systems' }).getByText('2 are tried again later.').waitFor()
  t.strictSame(await axeFinds(page), [])
  await context.close()
})

await test('it refreshes itself while somebody looks, and what cannot be read says so and is asked for again', async (t) => {
  const { page, context } = await openPortal(browser, url, token, {}) // its clock stays another one
  await page.clock.install()
  await page.goto('/admin/overview')
  await until('all people', async () => (await figure(page, 'People').textContent()) === String(signedUp + 1))
  await newUser(token, { uid: 'ada', givenName: 'Ada', sn: 'Lovelace' })
  const isOneMore = async () => (await figure(page, 'People').textContent()) === String(signedUp + 2)
  await until('one more', async () => {
    await page.clock.runFor(31_000)
    return isOneMore()
  })
  await page.route('**/api/status/', (route) =>
    route.fulfill({ status: 500, json: { name: 'InternalError', message: 'Failed.', id: 'the-id-of-it' } }),
  )
  await page.reload()
  const alert = page.getByRole('alert')
  await alert.getByText('the-id-of-it').waitFor()
  await until('the rest is there', isOneMore)
  await page.unroute('**/api/status/')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('region', { name: 'Systems' }).waitFor()
  t.equal(await alert.count(), 0)
  await context.close()
})

await test('a token of one’s own that ends soon is told of, and no other', async (t) => {
  for (const [name, expires_in_days] of [
    ['nightly', 7],
    ['yearly', 90],
  ])
    await request('POST', '/api/api-token/', { token, body: { name, scope: 'read', expires_in_days } })
  const { page, context } = await open()
  await problem(page, 'Your access token nightly ends soon').waitFor()
  t.equal(await problem(page, /yearly/).count(), 0)
  await leadsOn(page, ['Your access token nightly ends soon'])
  await context.close()
})

await test('in German, on a phone, the overview is no wider than the window', async (t) => {
  const { page, context, faults } = await open(german)
  await page.getByRole('region', { name: 'Systeme' }).waitFor()
  await page.getByRole('status').first().waitFor({ state: 'detached' })
  t.ok((await overflow(page)) <= 0)
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})
