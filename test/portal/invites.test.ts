import { test } from 'tap'
import { overflow } from '#test/support/browser.ts'
import { axeFinds, openPortal } from '#test/support/portal.ts'
import { soon } from '#test/support/until.ts'
import { heading, openPortalInvites, row } from './invites-support.ts'

const { url, token, inviter, browser, messages, request, newUser, openRedis, listed, newInvite, open } =
  await openPortalInvites()
const nobody = await newUser(token)

await test('invites are for who may give them; without any it says how to begin', async (t) => {
  const { page, context } = await openPortal(browser, url, nobody.token)
  await page.goto('/')
  await heading(page, 'My apps')
  t.equal(await page.getByRole('link', { name: 'Invites' }).count(), 0)
  await page.goto('/admin/invites')
  await page.getByRole('alert').getByText('You are not allowed to do this.').waitFor()
  await context.close()
  const own = await openPortal(browser, url, inviter.token)
  await own.page.goto('/')
  await own.page.getByRole('link', { name: 'Invites' }).click()
  await own.page.getByText('No invites yet').waitFor()
  await own.page.getByText('Whom you invited, and what came of it.').waitFor()
  t.strictSame(await axeFinds(own.page), [])
  t.strictSame(own.faults, [])
  await own.context.close()
})

await test('an open invite is sent again and revoked after a question; a revoked one is made anew', async (t) => {
  const first = await newInvite({ mail: 'again@example.org', groups: ['web'] })
  const { page, context, faults } = await open('/admin/invites?q=again')
  const actions = page.getByRole('button', { name: 'Actions: again@example.org' })
  await actions.click()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('menuitem', { name: 'Send again' }).click()
  await page.getByText('A letter is on its way to again@example.org.').waitFor()
  await messages.mailTo('again@example.org', 2)
  await actions.click()
  await page.getByRole('menuitem', { name: 'Revoke…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Revoke the invite of again@example.org?' })
  await dialog.getByText('Every link that was mailed to again@example.org opens nothing').waitFor()
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Revoke' }).click()
  await page.getByText('The invite is revoked: again@example.org.').waitFor()
  await row(page, 'again@example.org').getByText('Revoked', { exact: true }).waitFor()
  t.match(await listed('?q=again'), [{ token: first, state: 'revoked' }])
  await actions.click()
  await page.getByRole('menuitem', { name: 'Invite again' }).click()
  await messages.mailTo('again@example.org', 3)
  await row(page, 'again@example.org').getByText('Sent', { exact: true }).waitFor()
  t.match(await listed('?q=again&state=valid'), [{ groups: '["web"]' }])
  t.strictSame(faults, [])
  await context.close()
})

/** The days of an invite have passed. */
async function runOut(invite: string) {
  using redis = openRedis()
  const key = `latchkey:{invite}:record:${invite}`
  const kept = JSON.parse((await redis.get(key)) ?? '')
  await redis.set(key, JSON.stringify({ ...kept, expires_at: Date.now() - 1 }))
}

await test('invites are searched and filtered by state in the address; a used one says by whom', async (t) => {
  const used = await newInvite({ mail: 'used@example.org' })
  const link = (await messages.mailTo('used@example.org')).text.match(/login\/invite\/\S+/)?.[0] ?? ''
  const body = { uid: 'katherine', password: 'password of hers', givenName: 'Katherine', sn: 'Johnson' }
  t.match(await request('POST', `/api/auth/${link.replace('login/', '')}`, { body }), { status: 200 })
  const expired = await newInvite({ mail: 'expired@example.org' })
  await runOut(expired)
  const { page, context, faults } = await open()
  await page.getByLabel('State').selectOption('Accepted')
  await page.waitForURL(`${url}/admin/invites?state=used`)
  await row(page, 'used@example.org').getByRole('link', { name: 'katherine' }).waitFor()
  t.equal(await soon(() => row(page, '').count(), 1), 1)
  await page.getByLabel('State').selectOption('Expired')
  await row(page, 'expired@example.org').getByText('Expired', { exact: true }).waitFor()
  t.equal(await row(page, '').count(), 1)
  await page.getByLabel('State').selectOption('All invites')
  await page.getByRole('searchbox').fill('EXPIRED@')
  await page.waitForURL(`${url}/admin/invites?q=EXPIRED%40`)
  await page.reload()
  await row(page, 'expired@example.org').waitFor()
  t.equal(await row(page, '').count(), 1)
  await page.getByRole('searchbox').fill('no such address')
  await page.getByText('Nothing found').waitFor()
  t.ok((await listed()).some((invite) => invite.token === used))
  t.strictSame(faults, [])
  await context.close()
})

await test('a list of invites that fails says so with the id of the log; more than a page loads when asked for', async (t) => {
  for (let nth = 0; nth < 51; nth++) await newInvite({}, inviter.token)
  const { page, context } = await openPortal(browser, url, inviter.token)
  await page.route('**/api/user/invite/?*', (route) =>
    route.fulfill({ status: 500, json: { name: 'InternalError', message: 'Failed.', id: 'the-id-of-it' } }),
  )
  await page.goto('/admin/invites')
  const alert = page.getByRole('alert')
  await alert.getByText('the-id-of-it').waitFor()
  await page.unroute('**/api/user/invite/?*')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await row(page, '').nth(49).waitFor()
  t.equal(await row(page, '').count(), 50, 'and only those of the inviter')
  await page.getByRole('button', { name: 'Show more' }).click()
  await row(page, '').nth(50).waitFor()
  t.equal(await row(page, '').count(), 51)
  await context.close()
})

await test('in German, on a phone, invites are no wider than the window', async (t) => {
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, token, options)
  await page.goto('/admin/invites')
  await heading(page, 'Einladungen')
  await page.getByRole('status').waitFor({ state: 'detached' })
  t.ok((await overflow(page)) <= 0)
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Einladen' }).click()
  await page.getByRole('dialog').getByLabel('E-Mail-Adressen').fill('falsch\nrichtig@example.org')
  await page.getByText('falsch – keine E-Mail-Adresse').waitFor()
  t.ok((await overflow(page)) <= 0)
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})
