import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'

const { url, token: admin, request, newUser, call } = await sharedDemo()
await using browser = await openBrowser()
// As a member of company she reaches what the demo opens to everybody; Expenses is for finance alone.
const person = await newUser(admin)
await call('PUT', `/api/group/company/${person.uid}`)
await call('POST', '/api/group/', { name: 'friends-of-zoe', description: '' })
await call('PUT', `/api/group/friends-of-zoe/${person.uid}`)
const { results: chat } = await call<{ results: { id: string } }>('POST', '/api/directory-admin/resources/', {
  ...{ kind: 'service', name: 'Zoë’s chat', description: '' },
  metadata: { address: 'https://chat.example.org', icon: 'chat' },
})
await call('POST', '/api/directory-admin/groups/', { resourceId: chat.id, groupCn: 'friends-of-zoe' })

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

await test('what was opened last stands on top in its order, for this person alone', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, person.token)
  // Apps of other machines: nothing is loaded from there.
  await context.route(/example\.org/, (route) => route.fulfill({ body: 'an app' }))
  await page.goto('/')
  const recent = page.getByRole('region', { name: 'Recently used' })
  for (const name of ['Intranet', 'Zoë’s chat']) {
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      page
        .getByRole('link', { name: RegExp(name) })
        .last()
        .click(),
    ])
    await opened.close()
    await recent.getByRole('link', { name: RegExp(name) }).waitFor()
  }
  await page.reload()
  await recent.waitFor()
  t.match(await recent.getByRole('link').allTextContents(), [/Zoë’s chat/, /Intranet/])
  const all = page.getByRole('region', { name: 'All apps' }).getByRole('link')
  t.notMatch((await all.allTextContents()).slice(0, 2), [/Zoë’s chat/, /Intranet/])
  await page.getByLabel('Order').selectOption('Last opened first')
  await page.waitForURL(`${url}/?sort=recent`)
  await all.first().filter({ hasText: 'Zoë’s chat' }).waitFor()
  t.match((await all.allTextContents()).slice(0, 2), [/Zoë’s chat/, /Intranet/])
  await context.clearCookies()
  const cookie = { name: 'latchkey', value: admin, url, httpOnly: true, sameSite: 'Lax' as const }
  await context.addCookies([cookie])
  await page.goto('/')
  await page.getByRole('link', { name: /Intranet/ }).waitFor()
  t.equal(await recent.count(), 0, 'another person at the same browser')
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
  await page.getByRole('tab', { name: 'Catalogue' }).click()
  await page.getByRole('button', { name: 'Request access to Expenses' }).waitFor()
  t.strictSame(faults, [])
  await context.close()
})

await call('DELETE', `/api/directory-admin/resources/${chat.id}`)
