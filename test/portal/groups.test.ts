import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const { url, request, newUser } = service
const admin = await service.login(service.admin.uid, service.admin.password)

const ada = await newUser(admin, { uid: 'ada', givenName: 'Ada', sn: 'Lovelace' })
const grace = await newUser(admin, { uid: 'grace', givenName: 'Grace', sn: 'Hopper' })
await newUser(admin, { uid: 'alan', givenName: 'Alan', sn: 'Turing' })
const put = async (path: string) => {
  const { status, text } = await request('PUT', `/api/group/${path}`, { token: admin })
  if (status !== 200) throw new Error(`${path}: ${text}`)
}
/** A group that Ada owns, and of these: people, or groups with a slash before them. */
async function newGroup(name: string, description: string, ...members: string[]) {
  const made = await request('POST', '/api/group/', { token: admin, body: { name, description } })
  if (made.status !== 200) throw new Error(made.text)
  await put(`owner/${name}/ada`)
  for (const each of members) await put(`${name}/${each.replace('/', 'nested/')}`)
}
await newGroup('machines', 'Difference engines', 'ada', 'alan')
await newGroup('compilers', 'Write them', 'grace')
await newGroup('crew', 'Everybody aboard', 'ada', '/machines')
await request('POST', '/api/group/', { token: admin, body: { name: 'elsewhere', description: 'Not hers' } })

const memberOf = async (name: string) => {
  const { body } = await request('GET', `/api/group/${name}/effective`, { token: admin })
  const { effective } = body.results as { effective: string[] }
  return effective.map((dn) => /^uid=([^,]+)/.exec(dn)?.[1]).sort()
}
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
async function open(path: string, title: string, token = ada.token) {
  const opened = await openPortal(browser, url, token)
  await opened.page.goto(path)
  await heading(opened.page, title)
  return opened
}

await test('one’s own groups are listed, searched and sorted in the address; others are not among them', async (t) => {
  const { page, context, faults } = await open('/', 'My apps')
  await page.getByRole('link', { name: 'Groups I own' }).click()
  await heading(page, 'Groups I own')
  const cards = page.locator('.groups-card-name')
  await cards.first().waitFor()
  t.strictSame(await cards.allTextContents(), ['compilers', 'crew', 'machines'])
  t.strictSame(await axeFinds(page), [])
  await page.getByLabel('Order').selectOption('Largest first')
  await page.waitForURL(`${url}/groups?sort=size`)
  t.strictSame((await cards.allTextContents()).at(-1), 'compilers')
  await page.getByRole('searchbox').fill('ENGINES')
  await page.waitForURL(`${url}/groups?sort=size&q=ENGINES`)
  await page.reload()
  await cards.first().waitFor()
  t.strictSame(await cards.allTextContents(), ['machines'])
  await page.getByRole('searchbox').fill('nothing of the kind')
  await page.getByText('Nothing found').waitFor()
  t.strictSame(faults, [])
  await context.close()
})

await test('who owns no group is told so, and changes nothing in another’s group', async (t) => {
  const { page, context, faults } = await open('/groups', 'Groups I own', grace.token)
  await page.getByText('You own no group').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.goto('/groups/crew')
  await page.getByText('You do not own this group').waitFor()
  t.equal(await page.getByRole('button', { name: /Add|Remove|Nest|Take out/ }).count(), 0)
  await page.goto('/groups/no-such-group')
  await heading(page, 'Not found')
  t.strictSame(faults, [])
  await context.close()
})

await test('a list that fails says so with the id of the log, and is asked for again', async (t) => {
  const { page, context } = await openPortal(browser, url, ada.token)
  await page.route('**/api/group/?*', (route) =>
    route.fulfill({ status: 500, json: { name: 'InternalError', message: 'Failed.', id: 'the-id-of-it' } }),
  )
  await page.goto('/groups')
  const alert = page.getByRole('alert')
  await alert.getByText('the-id-of-it').waitFor()
  await page.unroute('**/api/group/?*')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'crew' }).waitFor()
  t.equal(await alert.count(), 0)
  await context.close()
})

await test('a member is found by username and added by keyboard alone, and removed after a question that names them', async (t) => {
  const { page, context, faults } = await open('/groups/compilers', 'compilers')
  await page.getByRole('region', { name: '2 members' }).waitFor()
  await tabTo(page, 'Add member')
  await page.keyboard.press('Enter')
  let dialog = page.getByRole('dialog', { name: 'Add a member to compilers' })
  await dialog.locator('input:focus').waitFor()
  await page.keyboard.type('nobody-at-all')
  await dialog.getByText('Nobody has the username nobody-at-all.').waitFor()
  t.strictSame(await axeFinds(page), [])
  for (let sign = 0; sign < 'nobody-at-all'.length; sign++) await page.keyboard.press('Backspace')
  await page.keyboard.type('alan')
  await dialog.getByText('Alan Turing').waitFor()
  await tabTo(page, 'Add Alan Turing')
  await page.keyboard.press('Enter')
  await page.getByText('Alan Turing is a member of compilers now.').waitFor()
  await dialog.getByText('Member already').waitFor()
  t.strictSame(await memberOf('compilers'), ['admin', 'alan', 'grace'])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('region', { name: '3 members' }).waitFor()
  await tabTo(page, 'Remove member alan')
  await page.keyboard.press('Enter')
  dialog = page.getByRole('dialog', { name: 'Remove alan from compilers?' })
  await dialog.getByText('alan stops being a member of compilers').waitFor()
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Remove')
  await page.keyboard.press('Enter')
  await page.getByText('alan was removed from compilers.').waitFor()
  t.strictSame(await memberOf('compilers'), ['admin', 'grace'])
  t.strictSame(faults, [])
  await context.close()
})

await test('an administrator finds people by any part of their name', async (t) => {
  const { page, context } = await open('/groups/elsewhere', 'elsewhere', admin)
  await page.getByRole('button', { name: 'Add member' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Find a person').fill('hopp')
  await dialog.getByRole('button', { name: 'Add Grace Hopper' }).click()
  await page.getByText('Grace Hopper is a member of elsewhere now.').waitFor()
  t.strictSame(await memberOf('elsewhere'), ['admin', 'grace'])
  await context.close()
})

await test('the last member stays, in a plain sentence; who stays through a nested group is told to lose nothing', async (t) => {
  await newGroup('lonely', 'One alone')
  await request('PUT', '/api/group/lonely/ada', { token: admin })
  await request('DELETE', '/api/group/lonely/admin', { token: admin })
  const { page, context } = await open('/groups/lonely', 'lonely')
  await page.getByRole('button', { name: 'Remove member ada' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click()
  const alert = page.getByRole('dialog').getByRole('alert')
  await alert.getByText('A group keeps at least one member. Add another first.').waitFor()
  t.strictSame(await memberOf('lonely'), ['ada'])
  await page.goto('/groups/crew')
  await page.getByRole('button', { name: 'Remove member ada' }).click()
  await page.getByText('ada stays in crew through a nested group').waitFor()
  await context.close()
})

await test('owners are added and removed; before the last one goes it says what follows', async (t) => {
  await newGroup('handed-over', 'To another')
  await request('DELETE', '/api/group/owner/handed-over/admin', { token: admin })
  const { page, context, faults } = await open('/groups/handed-over', 'handed-over')
  await page.getByRole('button', { name: 'Remove owner ada' }).click()
  let dialog = page.getByRole('dialog')
  await dialog.getByText('Nobody owns it then, and only administrators can change it.').waitFor()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Add owner' }).click()
  dialog = page.getByRole('dialog')
  await dialog.getByLabel('Find a person').fill('grace')
  await dialog.getByRole('button', { name: 'Add Grace Hopper' }).click()
  await page.getByText('Grace Hopper owns handed-over now.').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Remove owner ada' }).click()
  dialog = page.getByRole('dialog')
  await dialog.getByText('You cannot change handed-over any more, nor undo this. 1 owner is left.').waitFor()
  await dialog.getByRole('button', { name: 'Remove' }).click()
  await page.getByText('You do not own this group').waitFor()
  t.strictSame(faults, [])
  await context.close()
})

await test('before groups are nested or taken out it says who gains or loses membership, by name and number', async (t) => {
  const { page, context, faults } = await open('/groups/crew', 'crew')
  const everyone = page.getByRole('list', { name: 'Everybody in it' })
  await everyone.getByRole('listitem').filter({ hasText: 'alan' }).getByText('machines').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Nest a group' }).click()
  let dialog = page.getByRole('dialog')
  await dialog.getByLabel('Find a group').fill('compil')
  await dialog.getByRole('button', { name: 'Choose compilers' }).click()
  await dialog.getByText('1 person becomes a member of crew:').waitFor()
  t.strictSame(await dialog.locator('.groups-names li').allTextContents(), ['grace'])
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Nest group' }).click()
  await page.getByText('compilers is nested in crew now.').waitFor()
  t.strictSame(await memberOf('crew'), ['ada', 'admin', 'alan', 'grace'])
  await page.getByRole('button', { name: 'Take out the group machines' }).click()
  dialog = page.getByRole('dialog', { name: 'Take machines out of crew?' })
  await dialog.getByText('1 person stops being a member of crew:').waitFor()
  t.strictSame(await dialog.locator('.groups-names li').allTextContents(), ['alan'])
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Take out' }).click()
  await page.getByText('machines was taken out of crew.').waitFor()
  t.strictSame(await memberOf('crew'), ['ada', 'admin', 'grace'])
  t.strictSame(faults, [])
  await context.close()
})

await test('a nesting that would close a loop is told with its path, and cannot be saved', async (t) => {
  await newGroup('inner', '')
  await newGroup('middle', '', '/inner')
  await newGroup('outer', '', '/middle')
  const { page, context, faults } = await open('/groups/inner', 'inner')
  await page.getByRole('button', { name: 'Nest a group' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Find a group').fill('outer')
  await dialog.getByRole('button', { name: 'Choose outer' }).click()
  await dialog.getByText('That would close a loop').waitFor()
  const path = dialog.getByRole('list', { name: 'The loop' }).getByRole('listitem')
  t.strictSame(await path.allTextContents(), ['inner', 'outer', 'middle', 'inner'])
  t.equal(await dialog.getByRole('button', { name: 'Nest group' }).count(), 0)
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})

await test('in German, on a phone, nothing is wider than the window', async (t) => {
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, ada.token, options)
  for (const [path, title] of [
    ['/groups', 'Meine Gruppen'],
    ['/groups/crew', 'crew'],
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
