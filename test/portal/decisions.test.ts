import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'

const { url, token: admin, request, newUser, call } = await sharedDemo()
await using browser = await openBrowser()
const mary = await newUser(admin, { uid: 'mary', givenName: 'Mary', sn: 'Somerville' })
const charles = await newUser(admin, { uid: 'charles', givenName: 'Charles', sn: 'Babbage' })
await call('POST', '/api/group/', { name: 'looms', description: '' })

const made: string[] = []

/** Charles asks for something of Mary's. */
async function ask(name: string) {
  const resource = { kind: 'service', name, owner: 'mary', metadata: { requestable: true } }
  const { results } = await call<{ results: { id: string; slug: string } }>(
    'POST',
    '/api/directory-admin/resources/',
    resource,
  )
  await call('POST', '/api/directory-admin/groups/', { resourceId: results.id, groupCn: 'looms' })
  made.push(results.id)
  const asked = { slug: results.slug, note: `For ${name}` }
  await call('POST', '/api/access-requests/', asked, charles.token)
}

await test('in German, on a phone, requests to decide are no wider than the window', async (t) => {
  await ask('Verwaltung der Rechenmaschinen')
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, mary.token, options)
  await page.goto('/decisions')
  await page.getByText('Charles Babbage beantragt Verwaltung').waitFor()
  t.ok((await overflow(page)) <= 0)
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: /genehmigen$/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Genehmigen' }).click()
  await page.getByText('Nichts zu entscheiden').waitFor()
  t.strictSame(faults, [])
  await context.close()
  await request('DELETE', '/api/group/looms/charles', { token: admin })
})

await test('requests wait with their number in the navigation; one is approved, one denied by keyboard alone', async (t) => {
  for (const name of ['Card file', 'Loom ledger']) await ask(name)
  const { page, context, faults } = await openPortal(browser, url, mary.token)
  await page.goto('/')
  const way = page.getByRole('link', { name: /^To decide/ })
  await way.getByText('2').waitFor()
  await way.click()
  await page.getByRole('heading', { name: 'Requests to decide', level: 1 }).waitFor()
  await page.getByText('Charles Babbage asks for Card file').waitFor()
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Deny Loom ledger to charles')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Deny charles access to Loom ledger?' })
  await dialog.locator('textarea:focus').waitFor()
  await page.keyboard.type('Ask your lead')
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Deny')
  await page.keyboard.press('Enter')
  await page.getByText('The request of charles for Loom ledger was denied.').waitFor()
  await way.getByText('1').waitFor()
  await page.getByRole('button', { name: 'Approve Card file for charles' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await page.getByText('charles has access to Card file now, as a member of looms.').waitFor()
  await page.getByText('Nothing to decide').waitFor()
  const group = await request('GET', '/api/group/looms', { token: admin })
  t.match((group.body.results as { member: string[] }).member, [/^uid=admin,/, /^uid=charles,/])
  const mine = await request('GET', '/api/access-requests/mine', { token: charles.token })
  t.match(mine.text, '"decisionNote":"Ask your lead"')
  t.strictSame(faults, [])
  await context.close()
})

for (const id of made) await call('DELETE', `/api/directory-admin/resources/${id}`)
