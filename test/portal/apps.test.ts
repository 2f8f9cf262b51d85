import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const { url, request } = service
const admin = await service.login(service.admin.uid, service.admin.password)
const person = await service.newUser(admin)

async function resource(name: string, metadata: object, groupCn?: string) {
  const body = { kind: 'service', name, description: '', metadata, parents: [host] }
  const { body: made } = await request<{ results: { id: string } }>(
    'POST',
    '/api/directory-admin/resources/',
    { token: admin, body },
  )
  const link = { resourceId: made.results.id, groupCn }
  if (groupCn) await request('POST', '/api/directory-admin/groups/', { token: admin, body: link })
}
for (const name of ['staff', 'finance'])
  await request('POST', '/api/group/', { token: admin, body: { name, description: '' } })
await request('PUT', `/api/group/staff/${person.uid}`, { token: admin })
await request('PUT', `/api/group/app_sso_directory_admin/${service.admin.uid}`, { token: admin })
const made = await request<{ results: { id: string } }>('POST', '/api/directory-admin/resources/', {
  token: admin,
  body: { kind: 'site', name: 'Berlin', description: '' },
})
const { body } = await request<{ results: { id: string } }>('POST', '/api/directory-admin/resources/', {
  token: admin,
  body: {
    kind: 'host',
    name: 'server',
    description: '',
    parents: [made.body.results.id],
    metadata: { address: 'server.example.org' },
  },
})
const host = body.results.id
await resource('Handbook', {
  address: 'https://handbook.example.org',
  icon: 'wiki',
  tagline: 'How we work',
  isPublic: true,
})
await resource('Zoë’s chat', { address: 'https://chat.example.org', icon: 'chat' }, 'staff')
await resource('Expenses', { address: 'https://expenses.example.org', requestable: true }, 'finance')

await test('my apps: tiles that lead out, found by typing, kept in the address; nothing that axe minds, on a phone neither', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/')
  const chat = page.getByRole('link', { name: /Zoë’s chat/ })
  await chat.waitFor()
  t.equal(await chat.getAttribute('href'), 'https://chat.example.org')
  t.match(await chat.getAttribute('rel'), 'noopener')
  t.equal(await page.getByRole('link', { name: /Expenses/ }).count(), 0, 'what is not within reach')
  t.strictSame(await axeFinds(page), [])
  await page.setViewportSize({ width: 320, height: 640 })
  t.ok((await overflow(page)) <= 0)
  await page.getByRole('searchbox', { name: 'Search apps' }).fill('zoe')
  await page.waitForURL(`${url}/?q=zoe`)
  await page.getByRole('link', { name: /Handbook/ }).waitFor({ state: 'detached' })
  t.ok(await chat.isVisible())
  await page.getByRole('searchbox', { name: 'Search apps' }).fill('nothing like it')
  await page.getByText('Nothing found').waitFor()
  await page.goto('/?q=how%20we&kind=service')
  await page.getByRole('link', { name: /Handbook/ }).waitFor()
  t.equal(await chat.count(), 0)
  t.strictSame(faults, [])
  await context.close()
})

await test('favourites come first and are still there the next time, by keyboard alone', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/')
  await page.getByRole('link', { name: /Zoë’s chat/ }).waitFor()
  await tabTo(page, 'Add Zoë’s chat to favourites')
  await page.keyboard.press('Enter')
  const favourites = page.getByRole('region', { name: 'Favourites' })
  await favourites.getByRole('link', { name: /Zoë’s chat/ }).waitFor()
  await page.reload()
  await favourites.getByRole('link', { name: /Zoë’s chat/ }).waitFor()
  await favourites.getByRole('button', { name: 'Remove Zoë’s chat from favourites' }).click()
  await favourites.waitFor({ state: 'detached' })
  t.strictSame(faults, [])
  await context.close()
})

await test('access is asked for in the catalogue by keyboard alone; the request shows its state and is taken back', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/catalogue')
  await page.getByText('Expenses', { exact: true }).waitFor()
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Request access to Expenses')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog', { name: 'Request access to Expenses' }).waitFor()
  await page.locator('textarea:focus').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.keyboard.type('I travel a lot.')
  await tabTo(page, 'Send request')
  await page.keyboard.press('Enter')
  await page.getByText('Your request for Expenses is on its way.').waitFor()
  await page.getByText('Waiting').waitFor()
  const mine = await request('GET', '/api/access-requests/mine', { token: person.token })
  t.match(mine.body, { results: [{ slug: 'expenses', note: 'I travel a lot.', state: 'pending' }] })
  await page.getByRole('tab', { name: 'My requests (1)' }).click()
  await page.getByText('I travel a lot.').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Take back the request for Expenses' }).click()
  const asked = page.getByRole('dialog', { name: 'Take back the request for Expenses?' })
  await asked.getByRole('button', { name: 'Take back' }).click()
  await page.getByText('Taken back', { exact: true }).waitFor()
  t.strictSame(faults, [])
  await context.close()
})
