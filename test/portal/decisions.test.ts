import { test } from 'tap'
import { directoryTools } from '#test/directory/support.ts'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const { url, request, newUser } = service
const { admin, newResource, newLink } = await directoryTools(service)
const ada = await newUser(admin, { uid: 'ada', givenName: 'Ada', sn: 'Lovelace' })
const alan = await newUser(admin, { uid: 'alan', givenName: 'Alan', sn: 'Turing' })
await request('POST', '/api/group/', { token: admin, body: { name: 'compilers', description: '' } })

/** Alan asks for something of Ada's. */
async function ask(name: string) {
  const resource = await newResource('service', { name, owner: 'ada', metadata: { requestable: true } })
  await newLink(resource.id, 'compilers')
  const body = { slug: resource.slug, note: `For ${name}` }
  const { status, text } = await request('POST', '/api/access-requests/', { token: alan.token, body })
  if (status !== 200) throw new Error(text)
}

await test('in German, on a phone, requests to decide are no wider than the window', async (t) => {
  await ask('Verwaltung der Rechenmaschinen')
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, ada.token, options)
  await page.goto('/decisions')
  await page.getByText('Alan Turing beantragt Verwaltung').waitFor()
  t.ok((await overflow(page)) <= 0)
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: /genehmigen$/ }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Genehmigen' }).click()
  await page.getByText('Nichts zu entscheiden').waitFor()
  t.strictSame(faults, [])
  await context.close()
  await request('DELETE', '/api/group/compilers/alan', { token: admin })
})

await test('requests wait with their number in the navigation; one is approved, one denied by keyboard alone', async (t) => {
  for (const name of ['Wiki', 'Payroll']) await ask(name)
  const { page, context, faults } = await openPortal(browser, url, ada.token)
  await page.goto('/')
  const way = page.getByRole('link', { name: /^To decide/ })
  await way.getByText('2').waitFor()
  await way.click()
  await page.getByRole('heading', { name: 'Requests to decide', level: 1 }).waitFor()
  await page.getByText('Alan Turing asks for Wiki').waitFor()
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Deny Payroll to alan')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Deny alan access to Payroll?' })
  await dialog.locator('textarea:focus').waitFor()
  await page.keyboard.type('Ask your lead')
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Deny')
  await page.keyboard.press('Enter')
  await page.getByText('The request of alan for Payroll was denied.').waitFor()
  await way.getByText('1').waitFor()
  await page.getByRole('button', { name: 'Approve Wiki for alan' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Approve' }).click()
  await page.getByText('alan has access to Wiki now, as a member of compilers.').waitFor()
  await page.getByText('Nothing to decide').waitFor()
  const group = await request('GET', '/api/group/compilers', { token: admin })
  t.match((group.body.results as { member: string[] }).member, [/^uid=admin,/, /^uid=alan,/])
  const mine = await request('GET', '/api/access-requests/mine', { token: alan.token })
  t.match(mine.text, '"decisionNote":"Ask your lead"')
  t.strictSame(faults, [])
  await context.close()
})
