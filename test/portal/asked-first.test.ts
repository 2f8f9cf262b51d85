import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { copy, openPortal } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'
import { startSmtp } from '#test/support/smtp.ts'
import { clientScreens } from './clients-support.ts'

await using smtp = await startSmtp()
await using service = await startTestService({ ...smtp.settings, app_onboarding__needs: '' })
await using browser = await openBrowser()
const { url, admin, request, login, newUser } = service
const token = await login(admin.uid, admin.password)
const { register, openClient } = clientScreens(service, browser, token)
const ada = await newUser(token, { uid: 'ada', givenName: 'Ada', sn: 'Lovelace' })
const bob = await newUser(token, { uid: 'bob' })
const cid = await newUser(token, { uid: 'cid' })
for (const name of ['crew', 'staff', 'empty']) await request('POST', '/api/group/', { token, body: { name } })
for (const { uid } of [ada, bob]) await request('PUT', `/api/group/crew/${uid}`, { token })
await request('DELETE', `/api/group/crew/${admin.uid}`, { token })

await test('nothing of a group is changed before it is said who gains and who loses by it', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  const asked: string[] = []
  page.on('request', (one) => {
    if (one.method() !== 'GET') asked.push(`${one.method()} ${new URL(one.url()).pathname}`)
  })
  let held: (() => void)[] = []
  await page.route('**/api/group/staff/preview?*', async (route) => {
    await new Promise<void>((go) => held.push(go))
    await route.continue()
  })
  const release = () => {
    for (const go of held) go()
    held = []
  }
  const dialog = page.getByRole('dialog')
  const counted = dialog.getByRole('status', { name: 'Working out who is concerned' })
  await page.goto('/admin/groups/staff')
  await page.getByRole('button', { name: 'Add member' }).click()
  await dialog.getByLabel('Find a person').fill('lovel')
  await dialog.getByRole('button', { name: 'Add Ada Lovelace' }).click()
  await counted.waitFor()
  t.ok(await dialog.getByRole('button', { name: 'Add member' }).isDisabled())
  release()
  await dialog.getByText('1 person becomes a member of staff:').waitFor()
  t.ok(await dialog.getByRole('button', { name: 'Add member' }).isEnabled())
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Nest a group' }).click()
  await dialog.getByLabel('Find a group').fill('crew')
  await dialog.getByRole('button', { name: 'Choose crew' }).click()
  await counted.waitFor()
  t.ok(await dialog.getByRole('button', { name: 'Nest group' }).isDisabled())
  release()
  await dialog.getByText('2 people become members of staff:').waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Remove member admin' }).click()
  await counted.waitFor()
  t.ok(await dialog.getByRole('button', { name: 'Remove' }).isDisabled())
  release()
  await dialog.getByText('1 person stops being a member of staff:').waitFor()
  t.same(asked, [])
  t.strictSame(faults, [])
  await context.close()
})

await test('recipients are counted anew when one asks to send, without those who are left out', async (t) => {
  await request('PUT', '/api/user/bob/active', { token, body: { active: false } })
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/admin/notifications/new')
  await page.getByLabel('Members of groups').check()
  await page.getByRole('combobox', { name: 'Groups' }).fill('cre')
  await page.getByRole('option', { name: 'crew' }).click()
  await page.getByText('2 people get it').waitFor()
  await page.keyboard.press('Escape')
  await page.getByLabel('Leave out locked accounts').check()
  await page.getByText('1 person gets it').waitFor()
  await page.getByLabel('Subject').fill('The harbour is closed')
  await page.getByRole('textbox', { name: 'Message' }).fill('Until ten.')
  await request('PUT', `/api/group/crew/${cid.uid}`, { token })
  await page.getByRole('button', { name: 'Send…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Send to 2 people?' })
  await dialog.getByText('To the members of crew who are not locked').waitFor()
  t.same(smtp.taken, [], 'nothing before it is confirmed')
  await dialog.getByRole('button', { name: 'Send to 2 people' }).click()
  await page.getByText('The mail server took it for all 2 people.').waitFor()
  t.same(smtp.taken.map(({ to }) => String(to)).sort(), [ada.mail, cid.mail])
  t.strictSame(faults, [])
  await context.close()
})

await test('the redirect tester lets public applications alone use any port of this machine, as the service does', async (t) => {
  const redirect_uris = ['http://127.0.0.1:4000/cb']
  for (const [name, fields, verdict] of [
    ['Desktop', { public: true }, 'It is registered on this machine'],
    ['Daemon', {}, 'Only public applications may use any port on this machine.'],
  ] as const) {
    const { id } = await register({ name, redirect_uris, ...fields })
    const { page, context, faults } = await openClient(id, name, '/test')
    const panel = page.getByRole('region', { name: 'Redirect tester' })
    await panel.getByLabel('Redirect URI to test').fill('http://127.0.0.1:5000/cb')
    await panel.getByText(verdict).waitFor()
    const redirect_uri = encodeURIComponent('http://127.0.0.1:5000/cb')
    const asked = `client_id=${id}&response_type=code&scope=openid&redirect_uri=${redirect_uri}`
    const pkce = `&code_challenge=${'x'.repeat(43)}&code_challenge_method=S256`
    const { status } = await request('GET', `/oauth/authorize?${asked}${pkce}`)
    t.equal(status, name === 'Desktop' ? 303 : 400)
    t.strictSame(faults, [])
    await context.close()
  }
})

await test('a claim preview stays that of the person it was asked for; a new secret is gone when another is asked for', async (t) => {
  const { id } = await register({ name: 'Cellar', allowed_groups: ['empty'] })
  const { page, context, faults } = await openClient(id, 'Cellar', '/test')
  const panel = page.getByRole('region', { name: 'Claim preview' })
  const person = panel.getByRole('combobox', { name: 'Person' })
  await person.fill(admin.uid)
  await page.keyboard.press('Escape')
  await panel.getByRole('button', { name: 'Show claims' }).click()
  const said = panel.getByText(`${admin.uid} may use it.`)
  await said.waitFor()
  await person.fill('ada')
  await page.getByRole('option', { name: 'Ada Lovelace' }).waitFor()
  t.ok(await said.isVisible(), 'until it is asked for anew')
  t.equal(await panel.getByText('ada may use it.').count(), 0)
  await page.keyboard.press('Escape')
  await page.getByRole('link', { name: 'Values to enter' }).click()
  await page.getByRole('button', { name: 'New secret…' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Type Cellar to confirm').fill('Cellar')
  await dialog.getByRole('button', { name: 'Make new secret' }).click()
  const secret = (await dialog.locator('code').textContent()) ?? ''
  await copy(page, () => dialog.getByRole('button', { name: 'Copy: Client secret' }).click())
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'New secret…' }).click()
  await page.getByRole('dialog', { name: 'Make a new secret for Cellar?' }).waitFor()
  t.equal(await dialog.getByLabel('Type Cellar to confirm').inputValue(), '')
  t.notMatch(await page.content(), secret)
  t.strictSame(faults, [])
  await context.close()
})
