import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal } from '#test/support/portal.ts'
import { until } from '#test/support/until.ts'

const { url, token, newAdmin, newUser, call } = await sharedDemo()
await using browser = await openBrowser()

await test('invites, notifications and the audit log are shown the oldest first when asked to, and the address keeps it', async (t) => {
  const { uid } = await newUser(token)
  // Whose events are not more than a page.
  const maker = await newAdmin()
  const whom = { filter_type: 'users', filter_value: JSON.stringify([uid]) }
  for (const word of ['earlier', 'later']) {
    await call('POST', '/api/user/invite/', { mail: `${word}@by-time.example`, groups: [] })
    await call('POST', '/api/notification/', { subject: `by-time ${word}`, message: word, ...whom })
    await call('POST', '/api/group/', { name: `by-time ${word}` }, maker.token)
  }
  const { page, context, faults } = await openPortal(browser, url, token)
  const screens = {
    '/admin/invites?q=by-time': 'Invites',
    '/admin/notifications?q=by-time': 'Notifications',
    [`/admin/audit?action=group.create&actor=${maker.uid}`]: 'Audit log',
  }
  for (const [path, name] of Object.entries(screens)) {
    await page.goto(path)
    const rows = page
      .getByRole('list', { name })
      .getByRole('listitem')
      .filter({ hasText: /earlier|later/ })
    const first = rows.filter({ hasText: /by-time/ }).first()
    await first.filter({ hasText: 'later' }).waitFor()
    await page.getByRole('combobox', { name: 'Order' }).selectOption('Oldest first')
    await first.filter({ hasText: 'earlier' }).waitFor()
    t.match(page.url(), /[?&]order=asc/, name)
    await page.reload()
    await first.filter({ hasText: 'earlier' }).waitFor()
    t.strictSame(await axeFinds(page), [], name)
  }
  t.strictSame(faults, [])
  await context.close()
})

await test('linked groups and what lies above and below a resource are searched where they are many', async (t) => {
  const path = '/api/directory-admin/resources/'
  const make = async (kind: string, name: string, parents: string[] = []) =>
    (await call<{ results: { id: string } }>('POST', path, { kind, name, parents })).results.id
  const host = await make('host', 'Many things')
  for (let nth = 1; nth <= 11; nth++) {
    await make('service', `Thing ${nth}`, [host])
    await call('POST', '/api/group/', { name: `Keepers ${nth}` })
    await call('POST', '/api/directory-admin/groups/', { resourceId: host, groupCn: `Keepers ${nth}` })
  }
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto(`/admin/directory?id=${host}`)
  const groups = page.getByRole('list', { name: 'Linked groups' }).getByRole('listitem')
  const below = page.getByRole('region', { name: '11 resources lie directly below it' })
  await groups.nth(10).waitFor()
  await page.getByLabel('Search Linked groups').fill('keepers 11')
  await groups.nth(1).waitFor({ state: 'detached' })
  t.match(await groups.allTextContents(), [/Keepers 11/])
  await page.getByLabel('Search Resources below').fill('thing 7')
  await below.getByRole('link', { name: 'Thing 1', exact: true }).waitFor({ state: 'detached' })
  await page.waitForURL(/by-q=keepers\+11/)
  await page.waitForURL(/below-q=thing\+7/)
  await page.reload()
  await below.getByRole('link', { name: 'Thing 7' }).waitFor()
  t.equal(await groups.count(), 1)
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})

/** Once the address has what was searched for, and before the screen shows it, the last of every list of choices is chosen. */
const chooseAllAtOnce = `navigation.addEventListener('currententrychange', () => queueMicrotask(() => {
  for (const select of document.querySelectorAll('main select')) {
    select.selectedIndex = select.length - 1
    select.dispatchEvent(new Event('change', { bubbles: true }))
  }
}), { once: true })`
const isAllChosen = `[...document.querySelectorAll('main select')].every((one) => one.selectedIndex === one.length - 1)`

await test('search and filters that are set faster than the screen follows are all kept', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  const ofAdmins = ['groups', 'applications', 'invites', 'directory', 'audit', 'configuration']
  const screens = ['/', '/catalogue', '/people', ...ofAdmins.map((name) => `/admin/${name}`)]
  for (const at of [...screens, '/admin/notifications?q=none']) {
    await page.goto(at)
    await page.locator('main select').first().waitFor()
    await page.evaluate(chooseAllAtOnce)
    await page.getByRole('searchbox').first().fill('harbour')
    await page.waitForURL(/=harbour/)
    await until(`${at} shows all of it`, () => page.evaluate<boolean>(isAllChosen))
    t.match(page.url(), /=harbour/, at)
  }
  t.strictSame(faults, [])
  await context.close()
})
