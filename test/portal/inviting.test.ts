import type { Page } from 'playwright-core'
import { test } from 'tap'
import { axeFinds, tabTo } from '#test/support/portal.ts'
import { until } from '#test/support/until.ts'
import { openPortalInvites, row } from './invites-support.ts'

const { url, inviter, messages, call, listed, open } = await openPortalInvites()
const addresses = (page: Page) => page.getByRole('dialog').getByLabel('Mail addresses')

await test('one person is invited by keyboard alone, with a group, and gets a letter', async (t) => {
  const { page, context, faults } = await open()
  await tabTo(page, 'Invite people')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Invite people' })
  await dialog.locator('textarea:focus').waitFor()
  await page.keyboard.type('ada@harbour.example')
  await dialog.getByText('1 address can be invited.').waitFor()
  await tabTo(page, 'Groups')
  await page.keyboard.type('payr')
  await page.getByRole('option', { name: 'payroll' }).waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await dialog.getByText('payroll').first().waitFor()
  await page.keyboard.type('oauth_ad')
  await page.getByRole('option', { name: 'app_sso_oauth_admin' }).waitFor()
  await page.keyboard.press('ArrowDown')
  await page.keyboard.press('Enter')
  await dialog.getByText('Members of app_sso_oauth_admin may administer this service.').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.keyboard.press('Backspace')
  await tabTo(page, 'Send 1 invite')
  await page.keyboard.press('Enter')
  await page.getByText('ada@harbour.example is invited.').waitFor()
  await dialog.waitFor({ state: 'detached' })
  await row(page, 'ada@harbour.example').getByText('joins payroll').waitFor()
  await row(page, 'ada@harbour.example').getByText('Sent').waitFor()
  t.match(await listed('?q=ada@harbour'), [
    { mail: 'ada@harbour.example', groups: '["payroll"]', state: 'valid' },
  ])
  await messages.mailTo('ada@harbour.example')
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})

await test('many are invited as pasted: what is no address or has an open invite is named and stays in the field', async (t) => {
  const { page, context, faults } = await open()
  await page.getByRole('button', { name: 'Invite people' }).click()
  const pasted =
    'Grace Hopper <grace@harbour.example>, alan@harbour.example; alan@harbour.example\nkarl(at)example.org\nADA@harbour.example'
  await addresses(page).fill(pasted)
  const dialog = page.getByRole('dialog')
  await dialog.getByText('2 addresses can be invited.').waitFor()
  await dialog.getByText('karl(at)example.org – not a mail address').waitFor()
  await dialog.getByText('ADA@harbour.example – has an open invite already').waitFor()
  t.strictSame(await axeFinds(page), [])
  await dialog.getByLabel('Can be accepted for').selectOption('30 days')
  await dialog.getByRole('button', { name: 'Send 2 invites' }).click()
  await page.getByText('2 people are invited.').waitFor()
  t.equal(await addresses(page).inputValue(), 'karl(at)example.org\nADA@harbour.example')
  t.ok(await dialog.getByRole('button', { name: 'Send invite' }).isDisabled())
  const made = await listed('?q=harbour.example&state=valid')
  t.strictSame(made.map(({ mail }) => mail).sort(), [
    'ada@harbour.example',
    'alan@harbour.example',
    'grace@harbour.example',
  ])
  const alan = made.find(({ mail }) => mail === 'alan@harbour.example')
  t.ok((alan?.expires_at ?? 0) > Date.now() + 29 * 86_400_000)
  for (const mail of ['grace@harbour.example', 'alan@harbour.example']) await messages.mailTo(mail)
  t.strictSame(faults, [])
  await context.close()
})

await test('while many are sent it tells how far it is; who failed is told with the reason and left to try again', async (t) => {
  const { page, context, faults } = await open()
  let held: (() => void)[] = []
  const failing = new Set(['m3@harbour.example', 'm5@harbour.example'])
  await page.route('**/api/user/invite/', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback()
    const { mail } = route.request().postDataJSON()
    if (mail === 'm6@harbour.example') await new Promise<void>((go) => held.push(go))
    if (!failing.has(mail)) return route.fallback()
    await route.fulfill({
      status: 500,
      json: { name: 'InternalError', message: 'It failed.', id: `id-of-${mail}` },
    })
  })
  await page.getByRole('button', { name: 'Invite people' }).click()
  await addresses(page).fill(Array.from({ length: 6 }, (_, nth) => `m${nth + 1}@harbour.example`).join('\n'))
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Send 6 invites' }).click()
  await dialog.getByText('5 of 6').waitFor()
  await dialog.getByRole('progressbar', { name: 'Invites sent' }).waitFor()
  t.strictSame(await axeFinds(page), [])
  for (const go of held) go()
  held = []
  await dialog.getByText('2 could not be invited').waitFor()
  for (const mail of failing)
    await dialog.getByText(`${mail} – Something went wrong on our side. Request id-of-${mail}`).waitFor()
  t.strictSame((await addresses(page).inputValue()).split('\n').sort(), [...failing])
  t.strictSame(await axeFinds(page), [])
  failing.clear()
  await dialog.getByRole('button', { name: 'Send 2 invites' }).click()
  await dialog.waitFor({ state: 'detached' })
  t.equal(
    (await listed('?q=harbour.example&state=valid')).filter(({ mail }) => /^m\d@/.test(mail ?? '')).length,
    6,
  )
  t.strictSame(faults, [])
  await context.close()
})

await test('the sending of many is stopped between two of them; whoever was not invited stays in the field', async (t) => {
  const { page, context, faults } = await open()
  const held: (() => void)[] = []
  await page.route('**/api/user/invite/', async (route) => {
    if (route.request().method() === 'POST') await new Promise<void>((go) => held.push(go))
    await route.continue()
  })
  await page.getByRole('button', { name: 'Invite people' }).click()
  const mails = Array.from({ length: 5 }, (_, nth) => `stopped${nth + 1}@harbour.example`)
  await addresses(page).fill(mails.join('\n'))
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Send 5 invites' }).click()
  await until('a few are under way', async () => held.length === 3)
  await dialog.getByRole('button', { name: 'Stop' }).click()
  for (const go of held) go()
  await page.getByText('3 people are invited.').waitFor()
  t.equal(await addresses(page).inputValue(), mails.slice(3).join('\n'))
  const made = (await listed('?q=stopped')).map(({ mail }) => mail)
  t.strictSame(made.sort(), mails.slice(0, 3))
  t.strictSame(faults, [])
  await context.close()
})

await test('a letter that the mail server does not take is told of, and its link is there to hand on', async (t) => {
  await call('POST', '/api/conf/', { smtp: { host: '' } })
  const { page, context } = await open()
  await page.getByRole('button', { name: 'Invite people' }).click()
  await addresses(page).fill('unmailed@harbour.example')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Send 1 invite' }).click()
  await dialog.getByText('1 invite is made, but its letter was not taken').waitFor()
  const [made] = await listed('?q=unmailed')
  await dialog.getByText(`${url}/login/invite/${made?.token}`).waitFor()
  await dialog.getByRole('group', { name: 'Link for unmailed@harbour.example' }).getByRole('button').waitFor()
  t.strictSame(await axeFinds(page), [])
  await call('POST', '/api/conf/', { smtp: { host: null } })
  await context.close()
})

await test('a link without an address is made, shown, and opens the page of invites', async (t) => {
  const { page, context, faults } = await open('/admin/invites', inviter.token)
  await page.getByRole('button', { name: 'Make a link' }).click()
  const dialog = page.getByRole('dialog', { name: 'Make a link' })
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Make link' }).click()
  const link = await dialog.locator('.copy-line code').textContent()
  t.match(link, new RegExp(`^${url}/login/invite/[\\w-]{43}$`))
  t.strictSame(await axeFinds(page), [])
  await dialog.getByRole('button', { name: 'Close' }).last().click()
  await row(page, 'Link without an address').getByText('Open link').waitFor()
  await page.getByRole('button', { name: 'Actions: Link without an address' }).click()
  await page.getByRole('menuitem', { name: 'Show link' }).click()
  t.equal(await page.getByRole('dialog').locator('.copy-line code').textContent(), link)
  t.strictSame(faults, [])
  await context.close()
  t.equal((await fetch(link as string)).status, 200)
})
