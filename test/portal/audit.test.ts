import { readFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { actions } from '#src/audit/actions.ts'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { until } from '#test/support/until.ts'
import words from '../../portal/src/i18n/en/actions.json' with { type: 'json' }

const { url, token, request, newUser, newAdmin, call, openRedis } = await sharedDemo()
await using browser = await openBrowser()
const augusta = await newUser(token, { uid: 'augusta' })
await call('POST', '/api/group/', { name: 'deck-crew' })
await call('PUT', '/api/group/deck-crew/augusta')
await request('POST', '/api/auth/login', { body: { uid: 'augusta', password: 'wrong' } })
type Events = { results: { target: string }[] }
const logged = async (query: string) => (await call<Events>('GET', `/api/audit/?${query}`)).results
await until('all of it is in the log', async () => (await logged('actor=augusta')).length === 2)

const heading = (page: Page) => page.getByRole('heading', { name: 'Audit log', level: 1 }).waitFor()
const entries = (page: Page) => page.getByRole('list', { name: 'Audit log' }).getByRole('listitem')
const entry = (page: Page, text: string) => entries(page).filter({ hasText: text })

await test('every action of the audit log has words, and no words are of an action that is none', (t) => {
  const names = (of: object, before = ''): string[] =>
    Object.entries(of).flatMap(([name, said]) =>
      typeof said === 'string' ? [before + name] : names(said, `${before}${name}.`),
    )
  t.same(names(words.actions).sort(), [...actions].sort())
  t.same(
    [...new Set(actions.map((name) => name.split('.')[0]))].filter((kind) => !(String(kind) in words.kinds)),
    [],
  )
  t.end()
})

await test('the log is for members of app_sso_admin', async (t) => {
  const { page, context } = await openPortal(browser, url, augusta.token)
  await page.goto('/admin/audit')
  await page.getByRole('alert').getByText('You are not allowed to do this.').waitFor()
  t.equal(await page.getByRole('link', { name: 'Audit log' }).count(), 0)
  await context.close()
})

await test('events stand in plain words and open to all that is known of them; every filter is kept in the address', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/')
  await page.getByRole('link', { name: 'Audit log' }).click()
  await heading(page)
  const added = entry(page, 'Member added').filter({ hasText: 'deck-crew' })
  await added.waitFor()
  t.strictSame(await axeFinds(page), [])
  await added.locator('summary').click()
  await page.getByText('group.member.add').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByLabel('What was done').selectOption('Sign-in')
  await page.waitForURL(/action=login$/)
  await page.getByLabel('How it ended').selectOption('Refused')
  await page.waitForURL(/action=login&outcome=refused/)
  await entry(page, 'augusta').filter({ hasText: 'Refused' }).waitFor()
  const length = await until('only these are there', async () => {
    const refused = await logged('action=login&outcome=refused')
    if ((await entries(page).count()) === refused.length) return refused.length
    // Another may have been written since the screen asked.
    await page.reload()
    await entry(page, 'augusta').filter({ hasText: 'Refused' }).waitFor()
    return false
  })
  t.equal(await entry(page, 'Sign-in').filter({ hasText: 'Refused' }).count(), length)
  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.waitForURL(`${url}/admin/audit`)
  await page.getByLabel('By whom: username').fill('AUGUSTA')
  await page.waitForURL(/actor=AUGUSTA/)
  await until('only her events are there', async () => (await entries(page).count()) === 2)
  await page.getByLabel('To', { exact: true }).fill('2020-01-01')
  await page.getByText('No events').waitFor()
  await page.waitForURL(/until=2020-01-01/)
  t.strictSame(await axeFinds(page), [])
  await page.reload()
  t.equal(await page.getByLabel('By whom: username').inputValue(), 'AUGUSTA')
  t.equal(await page.getByLabel('To', { exact: true }).inputValue(), '2020-01-01')
  await page.getByText('No events').waitFor()
  t.strictSame(faults, [])
  await context.close()
})

await test('an entry leads to all that was done to the same target, and the export holds what the filter lets through', async (t) => {
  const { page, context } = await openPortal(browser, url, token)
  await page.goto('/admin/audit?action=group.member.add')
  await entry(page, 'deck-crew').locator('summary').click()
  await page.getByRole('definition').filter({ hasText: 'deck-crew' }).getByRole('button').click()
  await page.waitForURL(/target=deck-crew/)
  const all = page.getByRole('link', { name: 'Export as CSV' })
  await all.and(page.locator('[href*="target=deck-crew"]')).waitFor()
  const [download] = await Promise.all([page.waitForEvent('download'), all.click()])
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\r\n')
  t.equal(lines.length, 2)
  t.match(lines[1], /group\.member\.add,deck-crew/)
  await context.close()
})

await test('more events are loaded when asked for, and a list that fails says so', async (t) => {
  const busy = await newAdmin()
  const { results } = await call<{ results: { effective: string[] } }>('GET', '/api/group/company/effective')
  const people = results.effective.slice(0, 130).map((dn) => String(/^uid=([^,]+)/.exec(dn)?.[1]))
  // They are signed in nowhere.
  for (const uid of people) await call('DELETE', `/api/user/${uid}/session`, undefined, busy.token)
  const signingOut = `actor=${busy.uid}&action=user.session-end`
  await until('all of it is in the log', async () => (await logged(signingOut)).length === 130)
  const { page, context } = await openPortal(browser, url, token)
  await page.goto(`/admin/audit?${signingOut}`)
  await entry(page, `${busy.uid} → ${people.at(-1)}`).waitFor()
  t.equal(await entries(page).count(), 100)
  await page.getByRole('button', { name: 'Show more' }).click()
  await entry(page, `${busy.uid} → ${people[0]}`).first().waitFor()
  t.equal(await entries(page).count(), 130)
  await page.route('**/api/audit/?*', (route) =>
    route.fulfill({
      status: 500,
      json: { name: 'InternalError', message: 'It failed.', id: 'the-id-of-it' },
    }),
  )
  await page.goto('/admin/audit?actor=nobody')
  await page.getByRole('alert').getByText('the-id-of-it').waitFor()
  await context.close()
})

const verified = async () =>
  (await call<{ results: { unsealed: number; newest: string } }>('GET', '/api/audit/verification')).results

await test('the chain is verified by keyboard alone; a log that was changed is told, with what is wrong', async (t) => {
  await until('all is sealed', async () => (await verified()).unsealed === 0)
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/admin/audit')
  await heading(page)
  await tabTo(page, 'Verify the log…')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').getByText('npm run audit:verify').waitFor()
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Verify now')
  await page.keyboard.press('Enter')
  await page.getByText('The log is whole').waitFor()
  const { newest } = await verified()
  await page.getByText(newest).waitFor()
  t.strictSame(await axeFinds(page), [])
  using redis = openRedis()
  const stream = 'latchkey:{audit}:stream'
  const [[id = ''] = []] = await redis.xrange(stream, '-', '+', 'COUNT', 1)
  await redis.xdel(stream, id)
  await page.getByRole('button', { name: 'Verify again' }).click()
  await page.getByText('The log does not hold after 0 good seals').waitFor()
  await page.getByText('seal 1: events are missing').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  t.strictSame(faults, [])
  await context.close()
})

await test('in German, on a phone, nothing of the log is wider than the window', async (t) => {
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, token, options)
  await page.goto('/admin/audit?target=deck-crew')
  await page.getByRole('heading', { name: 'Protokoll', level: 1 }).waitFor()
  await page.locator('summary', { hasText: 'Mitglied hinzugefügt' }).click()
  await page.getByText('Name der Aktion').waitFor()
  t.ok((await overflow(page)) <= 0)
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})
