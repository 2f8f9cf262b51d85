import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const { url, request, newUser } = service
const admin = await service.login(service.admin.uid, service.admin.password)
await request('POST', '/api/group/', { token: admin, body: { name: 'keepers', description: 'Lamps' } })

const described = async () =>
  (await request<{ results: { description: string } }>('GET', '/api/group/keepers', { token: admin })).body
    .results.description

await test('an owner says anew what a group is for, by keyboard alone, and the name stays', async (t) => {
  const owner = await newUser(admin)
  await request('PUT', `/api/group/owner/keepers/${owner.uid}`, { token: admin })
  const { page, context, faults } = await openPortal(browser, url, owner.token)
  await page.goto('/groups/keepers')
  await page.getByText('Lamps', { exact: true }).waitFor()
  await tabTo(page, 'Change description')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'What is keepers for?' })
  await dialog.locator('textarea:focus').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.keyboard.press('Control+A')
  await page.keyboard.type('Those who keep the lighthouse')
  await tabTo(page, 'Save')
  await page.keyboard.press('Enter')
  await page.getByText('The description of keepers was changed.').waitFor()
  await page.locator('main').getByText('Those who keep the lighthouse', { exact: true }).waitFor()
  t.equal(await described(), 'Those who keep the lighthouse')
  t.strictSame(faults, [])
  await context.close()
})

await test('who looks at a group and owns it not is not offered to describe it; what the service refuses is told in the dialog', async (t) => {
  const member = await newUser(admin)
  const { page, context } = await openPortal(browser, url, member.token)
  await page.goto('/groups/keepers')
  await page.getByText('You do not own this group').waitFor()
  t.equal(await page.getByRole('button', { name: 'Change description' }).count(), 0)
  await context.close()
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const opened = await openPortal(browser, url, admin, options)
  await opened.page.goto('/admin/groups/keepers')
  await opened.page.getByRole('button', { name: 'Beschreibung ändern' }).click()
  const dialog = opened.page.getByRole('dialog', { name: 'Wozu dient keepers?' })
  await dialog.getByRole('textbox').fill('x')
  await opened.page.route('**/api/group/keepers', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 401, json: { name: 'InsufficientPermission', message: 'no' } })
      : route.fallback(),
  )
  await dialog.getByRole('button', { name: 'Speichern' }).click()
  await dialog.getByRole('alert').getByText('Dazu sind Sie nicht berechtigt.').waitFor()
  t.ok((await overflow(opened.page)) <= 0)
  t.strictSame(await axeFinds(opened.page), [])
  await opened.context.close()
})

type Editor = { at: string; field: string; typed: string; away?: string }
const editors: Editor[] = [
  { at: '/admin/configuration?section=branding', field: 'branding.name', typed: 'Harbour' },
  { at: '/admin/notifications/new', field: 'Subject', typed: 'A storm comes' },
  { at: '/admin/terms/new', field: 'Text', typed: 'Keep the lamp lit.' },
  {
    at: '/admin/applications/new?recipe=grafana',
    field: 'Address of the application',
    typed: 'https://g.example',
  },
  { at: '/admin/plugins/new?type=discovery%2Fhttp-check', field: 'Name', typed: 'Watch' },
  { at: '/admin/webhooks/new', field: 'Name', typed: 'Office' },
]
const leave = (page: Page) => page.getByRole('dialog', { name: 'Leave without saving?' })

await test('whoever leaves an editor with something typed is asked first, by the portal and by the browser; staying keeps it', async (t) => {
  await request('PUT', '/api/group/app_sso_oauth_admin/admin', { token: admin })
  const { page, context, faults } = await openPortal(browser, url, admin)
  const asked: string[] = []
  page.on('dialog', (dialog) => {
    asked.push(dialog.type())
    return dialog.dismiss()
  })
  for (const { at, field, typed } of editors) {
    await page.goto(at)
    const input = page.getByRole('textbox', { name: field, exact: true })
    await input.fill(typed)
    const away = page.getByRole('navigation').getByRole('link', { name: 'My account' })
    await away.click()
    await leave(page).waitFor()
    t.strictSame(await axeFinds(page), [], at)
    await page.keyboard.press('Escape')
    await leave(page).waitFor({ state: 'detached' })
    t.equal(await input.inputValue(), typed, at)
    t.equal(new URL(page.url()).pathname, new URL(at, url).pathname)
    await Promise.all([page.waitForEvent('dialog'), page.evaluate('setTimeout(() => location.reload())')])
    t.strictSame(asked.splice(0), ['beforeunload'], at)
    await away.click()
    await leave(page).waitFor()
    await tabTo(page, 'Leave without saving')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'My account', level: 1 }).waitFor()
  }
  t.strictSame(faults, [])
  await context.close()
})

await test('settings that were changed and are not saved stay while one searches; saved ones, and terms published, let go', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, admin, { locale: 'de-DE' })
  await page.goto('/admin/configuration?section=branding')
  await page.getByLabel('branding.name', { exact: true }).fill('Leuchtturm')
  await page.getByRole('searchbox').fill('portal')
  await page.waitForURL(/q=portal/)
  await page.getByRole('link', { name: 'Mein Konto' }).click()
  const dialog = page.getByRole('dialog', { name: 'Gehen, ohne zu speichern?' })
  await dialog.getByText('1 geänderte Einstellung ist nicht gespeichert und bleibt, wie sie war.').waitFor()
  await dialog.getByRole('button', { name: 'Abbrechen' }).click()
  await page.getByRole('button', { name: 'Speichern…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Speichern', exact: true }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Mein Konto' }).click()
  await page.getByRole('heading', { name: 'Mein Konto', level: 1 }).waitFor()
  await page.goto('/admin/terms/new')
  await page.getByRole('textbox', { name: 'Text' }).fill('Die Lampe brennt.')
  await page.getByRole('button', { name: 'Fassung 1 veröffentlichen…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Veröffentlichen' }).click()
  await page.getByText('Fassung 1 ist in Kraft.').waitFor()
  await page.getByRole('heading', { name: 'Nutzungsbedingungen', level: 1 }).waitFor()
  t.match(page.url(), /\/admin\/terms$/)
  t.strictSame(faults, [])
  await context.close()
})
