import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, copy, tabTo } from '#test/support/portal.ts'
import type { Fields } from './clients-support.ts'
import { base, clientScreens, heading } from './clients-support.ts'

const demo = await sharedDemo()
await using browser = await openBrowser()
const { url, admin, token, request, newUser } = demo
const { register, openClient } = clientScreens(demo, browser, token)
const one = async (id: string) =>
  (await request<{ results: Fields }>('GET', base + id, { token })).body.results
/** Whether a secret is that of the client. */
async function isSecret(client_id: string, client_secret: string) {
  const body = new URLSearchParams({ client_id, client_secret, token: 'none' }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return (await request('POST', '/oauth/introspect', { headers, body })).status === 200
}

for (const name of ['cooks', 'kitchen']) await request('POST', '/api/group/', { token, body: { name } })
await newUser(token, { uid: 'rosalind', givenName: 'Rosalind', sn: 'Franklin' })
await request('PUT', '/api/group/cooks/rosalind', { token })
await request('PUT', '/api/group/kitchen/nested/cooks', { token })

await test('settings: every field is there, what was changed is sent and nothing else, and leaving unsaved asks', async (t) => {
  const { id } = await register({ name: 'Cookbook' })
  const { page, context, faults } = await openClient(id, 'Cookbook')
  await page.getByText('Everything is saved.').waitFor()
  const history = page.getByRole('link', { name: 'Its history' })
  t.equal(await history.getAttribute('href'), `/admin/audit?target=${id}`)
  t.strictSame(await axeFinds(page), [])
  await page.getByLabel('Description').fill('All that we know')
  await page.getByLabel('Refresh token, seconds').fill('5400')
  await page.getByText('1 hour 30 minutes').waitFor()
  await page.getByRole('radio', { name: 'Only some, by name' }).check()
  await page.getByLabel('Names of groups').fill('wiki-*')
  await page.getByText('3 changes are not saved.').waitFor()
  await page.getByRole('link', { name: 'Try it' }).click()
  const dialog = page.getByRole('dialog', { name: 'Leave without saving 3 changes?' })
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  const [sent] = await Promise.all([
    page.waitForRequest((asked) => asked.method() === 'PUT'),
    page.getByRole('button', { name: 'Save' }).click(),
  ])
  t.same(sent.postDataJSON(), {
    description: 'All that we know',
    token_lifetime: { refresh_token: 5400 },
    groups_claim: ['wiki-*'],
  })
  await page.getByText('The settings of Cookbook are saved.').waitFor()
  await page.getByText('Everything is saved.').waitFor()
  t.match(await one(id), { description: 'All that we know', token_lifetime: { refresh_token: 5400 } })
  t.strictSame(faults, [])
  await context.close()
})

await test('what somebody else changed in the meantime is told with their name, and both changes can be kept', async (t) => {
  const { id } = await register({ name: 'Forge' })
  const { page, context, faults } = await openClient(id, 'Forge')
  await page.getByLabel('Description').fill('Mine')
  await request('PUT', base + id, { token, body: { name: 'Smithy', require_pkce: false } })
  await page.getByRole('button', { name: 'Save' }).click()
  const alert = page.getByRole('alert').filter({ hasText: `${admin.uid} changed this application` })
  await alert.getByText('Changed since you opened it: Name and Require PKCE.').waitFor()
  await alert.getByText('You changed other settings: if you save, both stay.').waitFor()
  t.strictSame(await axeFinds(page), [])
  await alert.getByRole('button', { name: 'Save my changes' }).click()
  await page.getByText('The settings of Smithy are saved.').waitFor()
  await heading(page, 'Smithy')
  t.match(await one(id), { name: 'Smithy', description: 'Mine', require_pkce: false })
  t.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Smithy')
  t.strictSame(faults, [])
  await context.close()
})

await test('a secret is rotated by keyboard alone, after a question by name that says whom it concerns', async (t) => {
  const { id, secret } = await register({ name: 'Vault', allowed_groups: ['kitchen'] })
  const { page, context, faults } = await openClient(id, 'Vault', '/connect')
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'New secret…')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Make a new secret for Vault?' })
  await dialog.getByText('2 people in kitchen').waitFor()
  t.strictSame(await axeFinds(page), [])
  t.ok(await dialog.getByRole('button', { name: 'Make new secret' }).isDisabled())
  await tabTo(page, 'Type Vault to confirm')
  await page.keyboard.type('Vault')
  await page.keyboard.press('Enter')
  const done = page.getByRole('dialog', { name: 'The new secret of Vault' })
  const made = (await done.locator('code').textContent()) ?? ''
  t.notOk(await isSecret(id, secret), 'the old one is refused')
  t.ok(await isSecret(id, made), 'the new one is not')
  t.strictSame(await axeFinds(page), [])
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Leave without the secret of Vault?' }).waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog', { name: 'Leave without' }).waitFor({ state: 'detached' })
  await tabTo(page, 'Copy: Client secret')
  await copy(page, () => page.keyboard.press('Enter'))
  t.equal(await page.evaluate('navigator.clipboard.readText()'), made)
  await page.keyboard.press('Escape')
  await done.waitFor({ state: 'detached' })
  t.notOk((await page.content()).includes(made), 'it is nowhere any more')
  t.strictSame(faults, [])
  await context.close()
})

await test('switching off and deleting say what they do; a deleted application wants its name typed', async (t) => {
  const { id } = await register({
    name: 'Old shed',
    redirect_uris: ['https://a.example/', 'https://b.example/'],
  })
  const { page, context, faults } = await openClient(id, 'Old shed')
  const choose = async (action: string) => {
    await page.getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('menuitem', { name: action }).click()
    return page.getByRole('dialog')
  }
  let dialog = await choose('Switch off…')
  await dialog.getByText('Concerns everybody with an active account').waitFor()
  await dialog.getByRole('button', { name: 'Switch off' }).click()
  await page.getByText('This application is switched off').waitFor()
  t.match(await one(id), { is_valid: false })
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Switch on' }).click()
  await page.getByText('Old shed is switched on.').waitFor()
  t.match(await one(id), { is_valid: true })
  dialog = await choose('Delete application…')
  await dialog.getByText('At 2 addresses, among them https://a.example/').waitFor()
  t.strictSame(await axeFinds(page), [])
  t.ok(await dialog.getByRole('button', { name: 'Delete application' }).isDisabled())
  await dialog.getByLabel('Type Old shed to confirm').fill('Old shed')
  await dialog.getByRole('button', { name: 'Delete application' }).click()
  await page.getByText('Old shed is deleted.').waitFor()
  await page.waitForURL(`${url}/admin/applications`)
  t.match(await request('GET', base + id, { token }), { status: 404 })
  t.strictSame(faults, [])
  await context.close()
})
