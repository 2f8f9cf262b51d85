import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'

const { url, request, newUser, newAdmin, call } = await sharedDemo()
await using browser = await openBrowser()
// Whose name and account are among those that are acted on.
const admin = await newAdmin()
const { token } = admin
await call('POST', '/api/group/', { name: 'bulk-crew' })

/** Three of a family, and their table open. */
async function family(sn: string) {
  const people = []
  for (const givenName of ['Ida', 'Jan', 'Kim']) people.push(await newUser(token, { givenName, sn }))
  const opened = await openPortal(browser, url, token)
  await opened.page.goto(`/people?q=${sn}&sort=uid`)
  await opened.page.getByRole('link', { name: `Kim ${sn}` }).waitFor()
  return { people, ...opened }
}
async function ask(page: Page, action: string, title: string) {
  await page.getByRole('button', { name: 'Do with them' }).click()
  await page.getByRole('menuitem', { name: action, exact: true }).click()
  const dialog = page.getByRole('dialog', { name: title })
  await dialog.waitFor()
  return dialog
}
const stateOf = async (uid: string) =>
  (await request<{ results: { isActive: boolean } }>('GET', `/api/user/${uid}`, { token })).body.results

await test('chosen accounts are locked and unlocked at once, by name and number; the table shows it and can be asked for it', async (t) => {
  const { people, page, context, faults } = await family('Lockwood')
  await page.getByRole('checkbox', { name: 'Choose Ida Lockwood' }).check()
  await page.getByRole('checkbox', { name: 'Choose Kim Lockwood' }).check()
  await page.getByText('2 people chosen').waitFor()
  t.strictSame(await axeFinds(page), [])
  const dialog = await ask(page, 'Lock accounts…', 'Lock 2 accounts?')
  await dialog.getByText('Ida Lockwood, Kim Lockwood').waitFor()
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Lock', exact: true }).click()
  await page.getByText('2 accounts are locked.').waitFor()
  t.same(await Promise.all(people.map(async ({ uid }) => (await stateOf(uid)).isActive)), [
    false,
    true,
    false,
  ])
  await page.getByRole('region', { name: 'Chosen people' }).waitFor({ state: 'detached' })
  await page.getByLabel('State').selectOption('Locked')
  await page.waitForURL(/state=locked/)
  await page.getByRole('link', { name: 'Jan Lockwood' }).waitFor({ state: 'detached' })
  await page.getByRole('checkbox', { name: 'Choose all 2 shown' }).check()
  const open = await ask(page, 'Unlock accounts…', 'Unlock 2 accounts?')
  await open.getByRole('button', { name: 'Unlock' }).click()
  await page.getByText('2 accounts are open again.').waitFor()
  t.ok((await stateOf(people[0]?.uid ?? '')).isActive)
  t.strictSame(faults, [])
  await context.close()
})

await test('who was added to a group already is named, and stays chosen', async (t) => {
  const { people, page, context, faults } = await family('Groupman')
  await request('PUT', `/api/group/bulk-crew/${people[1]?.uid}`, { token })
  await page.getByRole('checkbox', { name: 'Choose all 3 shown' }).check()
  const dialog = await ask(page, 'Add to a group…', 'Add 3 people to a group?')
  t.ok(await dialog.getByRole('button', { name: 'Add to group' }).isDisabled(), 'without a group')
  await dialog.getByRole('combobox', { name: 'Group' }).fill('bulk-c')
  await dialog.getByRole('option', { name: 'bulk-crew' }).click()
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Add to group' }).click()
  const failed = page.getByRole('dialog', { name: 'It failed with 1 person' })
  await failed.getByText(`Jan Groupman (${people[1]?.uid}): This person is a member already.`).waitFor()
  t.strictSame(await axeFinds(page), [])
  await failed.getByRole('button', { name: 'Close' }).last().click()
  await page.getByText('1 person chosen').waitFor()
  t.ok(await page.getByRole('checkbox', { name: 'Choose Jan Groupman' }).isChecked())
  const { body } = await request<{ results: { member: string[] } }>('GET', '/api/group/bulk-crew', { token })
  for (const { dn } of people) t.ok(body.results.member.includes(dn), dn)
  t.strictSame(faults, [])
  await context.close()
})

await test('accounts are deleted by keyboard alone once their number is typed, but never one’s own', async (t) => {
  const { people, page, context } = await family('Goner')
  await request('PUT', `/api/user/${admin.uid}`, { token, body: { sn: 'Goner' } })
  await page.reload()
  await page.getByRole('link', { name: /Goner/ }).nth(3).waitFor()
  await tabTo(page, 'Choose all 4 shown')
  await page.keyboard.press('Space')
  await page.getByText('4 people chosen').waitFor()
  await tabTo(page, 'Do with them')
  await page.keyboard.press('Enter')
  const focused = page.locator('[role=menuitem]:focus')
  await focused.waitFor()
  await page.keyboard.press('End')
  await focused.filter({ hasText: 'Delete accounts…' }).waitFor()
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Delete 3 accounts?' })
  await dialog.getByText('Your own account is left out.').waitFor()
  await tabTo(page, 'Type 3 to confirm')
  await page.keyboard.type('4')
  t.ok(await dialog.getByRole('button', { name: 'Delete' }).isDisabled())
  await page.keyboard.press('Backspace')
  await page.keyboard.type('3')
  const others = Promise.withResolvers<void>()
  let asked = 0
  await page.route('**/api/user/*', async (route) => {
    if (route.request().method() === 'DELETE' && asked++ > 0) await others.promise
    await route.continue()
  })
  await page.keyboard.press('Enter')
  await dialog.getByText('1 of 3 done').waitFor()
  others.resolve()
  await page.getByText('3 accounts are deleted.').waitFor()
  for (const { uid } of people) t.match(await request('GET', `/api/user/${uid}`, { token }), { status: 404 })
  t.match(await request('GET', '/api/user/me', { token }), { status: 200 })
  await context.close()
})

await test('the order turns around with a second click on the head of a column, and by the list of orders', async (t) => {
  const { page, context } = await family('Turner')
  const head = page.getByRole('columnheader', { name: 'Name' })
  const names = () => page.getByRole('link', { name: /Turner/ }).allTextContents()
  const first = await names()
  await page.getByLabel('Order').selectOption('By username, Z to A')
  await page.waitForURL(/sort=uid&order=desc/)
  await page
    .getByRole('row')
    .nth(1)
    .getByText(first.at(-1) ?? '')
    .waitFor()
  t.same(await names(), first.toReversed())
  for (const order of ['ascending', 'descending', 'none']) {
    await head.getByRole('button').click()
    await page.locator(`th[aria-sort=${order}]`).filter({ hasText: 'Name' }).waitFor()
  }
  await context.close()
})
