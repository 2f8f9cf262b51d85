import type { Page } from 'playwright-core'
import { test } from 'tap'
import { clients as ofDemo } from '#quickstart/demo-data.ts'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, copy, openPortal, tabTo } from '#test/support/portal.ts'
import { soon } from '#test/support/until.ts'

const { url, token, request, newUser } = await sharedDemo()
await using browser = await openBrowser()
const base = '/api/oauth/client/'
type Fields = Record<string, unknown>

async function register(fields: Fields) {
  const { body, text } = await request<{ results: { client_id: string } }>('POST', base, {
    token,
    body: { redirect_uris: ['https://app.example/cb'], ...fields },
  })
  if (!body.results) throw new Error(text)
  return body.results.client_id
}
const one = async (id: string) =>
  (await request<{ results: Fields }>('GET', base + id, { token })).body.results
const all = async () =>
  (await request<{ results: { name: string; client_id: string }[] }>('GET', base, { token })).body.results
const idOf = async (name: string) => {
  const found = (await all()).find((client) => client.name === name)
  if (!found) throw new Error(`no client ${name}`)
  return found.client_id
}
const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
async function open(path: string, options = {}) {
  const opened = await openPortal(browser, url, token, {
    permissions: ['clipboard-read', 'clipboard-write'],
    ...options,
  })
  await opened.page.goto(path)
  return opened
}
const clipboard = (page: Page) => page.evaluate('navigator.clipboard.readText()') as Promise<string>

await test('where no application is connected the list leads to the wizard; only members of app_sso_oauth_admin are shown the way', async (t) => {
  const somebody = await newUser(token)
  const other = await openPortal(browser, url, somebody.token)
  await other.page.goto('/')
  await heading(other.page, 'My apps')
  t.equal(await other.page.getByRole('link', { name: 'Applications' }).count(), 0)
  await other.page.goto('/admin/applications')
  await other.page.getByRole('alert').getByText('You are not allowed to do this.').waitFor()
  await other.context.close()
  for (const { client_id } of await all()) await request('DELETE', base + client_id, { token })
  const { page, context, faults } = await open('/')
  await page.getByRole('link', { name: 'Applications' }).click()
  await page.getByText('No application is connected yet').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('link', { name: 'Connect an application' }).last().click()
  await heading(page, 'Connect an application')
  t.strictSame(faults, [])
  await context.close()
  for (const client of ofDemo) await register(client)
})

await test('an application is connected with a recipe by keyboard alone, and its secret shown once', async (t) => {
  const { page, context, faults } = await open('/admin/applications/new')
  await heading(page, 'Connect an application')
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Grafana')
  await page.keyboard.press('Enter')
  await heading(page, 'Connect Grafana')
  await tabTo(page, 'Address of the application')
  await page.keyboard.type('https://metrics.example.net/')
  await page.keyboard.press('Enter')
  await page.getByLabel('Redirect URIs').waitFor()
  t.equal(
    await page.getByLabel('Redirect URIs').inputValue(),
    'https://metrics.example.net/login/generic_oauth',
  )
  t.strictSame(await axeFinds(page), [])
  await tabTo(page, 'Name')
  await page.keyboard.press('ControlOrMeta+a')
  await page.keyboard.type('Metrics')
  await page.keyboard.press('Enter')
  await heading(page, 'Metrics is registered')
  t.strictSame(await axeFinds(page), [])
  const id = await idOf('Metrics')
  t.match(await one(id), {
    name: 'Metrics',
    redirect_uris: ['https://metrics.example.net/login/generic_oauth'],
    post_logout_redirect_uris: ['https://metrics.example.net/login'],
    groups_claim: ['grafana-*'],
    skip_consent: true,
    require_pkce: true,
    allowed_groups: [],
  })
  await tabTo(page, 'Copy: Client ID')
  await copy(page, () => page.keyboard.press('Enter'))
  t.equal(await clipboard(page), id)
  const secret = page.getByRole('group', { name: 'Client secret', exact: true }).locator('code')
  const settings = (await page.getByRole('group', { name: 'grafana.ini' }).textContent()) ?? ''
  for (const value of [
    `client_id = ${id}`,
    `client_secret = ${await secret.textContent()}`,
    'root_url = https://metrics.example.net',
    `token_url = ${url}/oauth/token`,
  ])
    t.match(settings, value)
  await tabTo(page, 'Go to Metrics')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Leave without the secret of Metrics?' })
  await dialog.waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await tabTo(page, 'Copy: Client secret', 'Shift+Tab')
  await page.keyboard.press('Enter')
  await page.getByText('The secret is copied. It is not shown again.').waitFor()
  const copied = await clipboard(page)
  t.match(copied, /^[\w-]{43}$/)
  const credentials = new URLSearchParams({ client_id: id, client_secret: copied, token: 'none' })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const asked = await request('POST', '/oauth/introspect', { headers, body: credentials.toString() })
  t.equal(asked.status, 200, 'the secret is the right one')
  await tabTo(page, 'Go to Metrics')
  await page.keyboard.press('Enter')
  await heading(page, 'Metrics')
  t.equal(page.url(), `${url}/admin/applications/${id}`)
  t.notOk((await page.content()).includes(copied), 'it is nowhere any more')
  t.strictSame(faults, [])
  await context.close()
})

await test('another application is connected by pointer: adjusted, for a group, refused with a sentence that names the field', async (t) => {
  await request('POST', '/api/group/', { token, body: { name: 'boarders', description: 'On board' } })
  const { page, context, faults } = await open('/admin/applications/new')
  await page.getByRole('searchbox').fill('no such thing')
  await page.getByRole('link', { name: 'Another application' }).click()
  await heading(page, 'Connect another application')
  await page.getByLabel('Name', { exact: true }).fill('Phone app')
  await page.getByLabel('Redirect URIs').fill('https://*.example/cb')
  await page.getByRole('radio', { name: 'Public' }).check()
  t.ok(await page.getByRole('switch', { name: 'Require PKCE' }).isDisabled())
  await page.getByRole('combobox', { name: 'Groups' }).fill('board')
  await page.getByRole('option', { name: 'boarders' }).click()
  await page.keyboard.press('Escape')
  await page.getByRole('checkbox', { name: 'offline_access' }).check()
  await page.getByRole('button', { name: 'Create' }).click()
  const why = 'Redirect URIs: "https://*.example/cb" must end in a domain of its own'
  await page.getByRole('alert').getByText(why).waitFor()
  t.strictSame(await axeFinds(page), [])
  await page
    .getByRole('textbox', { name: 'Redirect URIs' })
    .fill('com.example.app:/cb\nhttps://app.example/cb')
  await page.getByRole('button', { name: 'Create' }).click()
  await heading(page, 'Phone app is registered')
  t.equal(await page.getByRole('group', { name: 'Client secret' }).count(), 0)
  t.match(await one(await idOf('Phone app')), {
    public: true,
    redirect_uris: ['com.example.app:/cb', 'https://app.example/cb'],
    allowed_groups: ['boarders'],
    scopes: ['openid', 'profile', 'email', 'groups', 'offline_access'],
  })
  await page.getByRole('link', { name: 'Go to Phone app' }).click()
  await heading(page, 'Phone app')
  t.strictSame(faults, [])
  await context.close()
})

await test('the list is searched, sorted and filtered in the address', async (t) => {
  await register({ name: 'Zebra', description: 'Stripes', allowed_groups: ['boarders', 'app_sso_admin'] })
  const off = await register({ name: 'Attic' })
  await request('PUT', base + off, { token, body: { is_valid: false } })
  const { page, context, faults } = await open('/admin/applications')
  await page.getByText('9 applications are connected, 1 of them switched off.').waitFor()
  const names = async () =>
    (await page.getByRole('table').getByRole('link').allTextContents()).map((name) => name.trim())
  const later = ['Attic', 'Zebra', 'Phone app', 'Metrics']
  const before = ofDemo.map(({ name }) => name).toReversed()
  t.same(await names(), [...later, ...before].sort())
  t.strictSame(await axeFinds(page), [])
  const filtered = async (label: string, option: string, query: string, expected: string[]) => {
    await page.getByLabel(label, { exact: true }).selectOption(option)
    await page.waitForURL(`${url}/admin/applications${query}`)
    t.same(await soon(names, expected), expected, option)
  }
  await filtered('Order', 'Last changed first', '?sort=changed', [...later, ...before])
  await filtered('Kind', 'Public', '?sort=changed&kind=public', ['Phone app'])
  await filtered('Kind', 'Any kind', '?sort=changed', [...later, ...before])
  await filtered('Who may use it', 'For groups only', '?sort=changed&door=groups', [
    ...['Zebra', 'Phone app', 'Preview deployments', 'Payroll', 'Code review'],
  ])
  await page.getByRole('searchbox').fill('stripes')
  await page.waitForURL(/q=stripes/)
  await page.reload()
  await page.getByRole('link', { name: 'Zebra' }).waitFor()
  t.same(await names(), ['Zebra'])
  await page.getByLabel('State', { exact: true }).selectOption('Switched off')
  await page.getByText('No application found').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Clear search and filters' }).click()
  await page.waitForURL(`${url}/admin/applications`)
  t.equal(await soon(async () => (await names()).length, 9), 9)
  t.strictSame(faults, [])
  await context.close()
})

await test('a list that fails says so with the id of the log, and is asked for again', async () => {
  const { page, context } = await open('/')
  await page.route('**/api/oauth/client/', (route) =>
    route.fulfill({
      status: 500,
      json: { name: 'InternalError', message: 'It failed.', id: 'the-id-of-it' },
    }),
  )
  await page.goto('/admin/applications')
  const alert = page.getByRole('alert')
  await alert.getByText('the-id-of-it').waitFor()
  await page.unroute('**/api/oauth/client/')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('link', { name: 'Zebra' }).waitFor()
  await context.close()
})

await test('in German, on a phone, no screen of an application is wider than the window', async (t) => {
  const id = await idOf('Zebra')
  const { page, context, faults } = await open('/admin/applications', {
    locale: 'de-DE',
    viewport: { width: 360, height: 720 },
  })
  for (const [path, title] of [
    ['', 'Anwendungen'],
    ['/new', 'Anwendung anbinden'],
    ['/new?recipe=argo-cd-command-line', 'Argo CD command line anbinden'],
    [`/${id}`, 'Zebra'],
    [`/${id}/connect`, 'Zebra'],
    [`/${id}/test`, 'Zebra'],
    [`/${id}/access`, 'Zebra'],
  ] as const) {
    await page.goto(`/admin/applications${path}`)
    await heading(page, title)
    await page.getByRole('status').waitFor({ state: 'detached' })
    t.ok((await overflow(page)) <= 0, path)
    t.strictSame(await axeFinds(page), [], path)
  }
  t.strictSame(faults, [])
  await context.close()
})
