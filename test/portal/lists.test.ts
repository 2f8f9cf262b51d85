import type { Page } from 'playwright-core'
import { test } from 'tap'
import { directoryTools } from '#test/directory/support.ts'
import { openBrowser } from '#test/support/browser.ts'
import { axeFinds, openPortal } from '#test/support/portal.ts'
import { startTestService } from '#test/support/service.ts'
import { sshKey } from '#test/support/ssh-keys.ts'
import { soon, until } from '#test/support/until.ts'
import { startReceiver } from '#test/webhook/receiver.ts'

await using receiver = await startReceiver()
await using service = await startTestService({
  app_onboarding__needs: '',
  app_egress__allow: '127.0.0.1',
})
await using browser = await openBrowser()
const { url, request, newUser } = service
const { admin, newResource, newLink } = await directoryTools(service)
const ada = await newUser(admin, { uid: 'ada', givenName: 'Ada', sn: 'Lovelace' })

async function done(method: string, path: string, body?: unknown, token = admin) {
  const answer = await request<{ results: { id: string } }>(method, path, { token, body })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.text}`)
  return answer.body.results
}

/** Two of everything there are lists of, which differ by a word. */
const agents = { harbour: 'Harbour/1.0', lighthouse: 'Lighthouse/2.0' }
for (const [word, agent] of Object.entries(agents)) {
  const signedIn = await request('POST', '/api/auth/login', {
    body: { uid: 'ada', password: ada.password },
    headers: { 'user-agent': agent },
  })
  if (signedIn.status !== 200) throw new Error(signedIn.text)
  await done('POST', '/api/user/key', { key: sshKey.ed25519(word) }, ada.token)
  await done('POST', '/api/api-token/', { name: word, scope: 'read', expires_in_days: 9 }, ada.token)
  await done('POST', '/api/group/', { name: word, description: '' })
  const resource = await newResource('service', {
    name: word,
    owner: 'admin',
    metadata: { requestable: true, isPublic: false },
  })
  await newLink(resource.id, word)
  await done('POST', '/api/access-requests/', { slug: resource.slug, note: '' }, ada.token)
  await done('PUT', `/api/group/${word}/ada`)
  await done('PUT', `/api/group/owner/${word}/ada`)
  await done('PUT', '/api/tos/', { text: `Terms of the ${word}` })
}
const [hook] = [
  await done('POST', '/api/webhooks/', { name: 'harbour', url: `${receiver.url}/x`, events: ['backup.*'] }),
  await done('POST', '/api/webhooks/', { name: 'lighthouse', url: receiver.url, events: ['backup.*'] }),
]
const check = (name: string, status: number) => ({
  ...{ pluginType: 'discovery/http-check', name },
  config: { url: `${receiver.url}/${name}`, status },
})
const [plugin] = [
  await done('POST', '/api/plugins/', check('harbour', 204)),
  await done('POST', '/api/plugins/', check('lighthouse', 204)),
]
const runs = `/api/plugins/${plugin.id}/runs`
const ended = async () => {
  const { body } = await request<{ results: { finished_at: number | null }[] }>('GET', runs, { token: admin })
  return body.results.filter(({ finished_at }) => finished_at !== null).length
}
for (const status of [204, 500]) {
  const before = await ended()
  await done('PUT', `/api/plugins/${plugin.id}`, { config: { url: `${receiver.url}/x`, status } })
  await done('POST', `/api/plugins/${plugin.id}/run`)
  await until('the run', async () => (await ended()) > before)
  await done('POST', `/api/webhooks/${hook.id}/test`)
}

type List = {
  at: string
  list: string
  /** Comes before `q` in the address. */
  as?: string
  as_admin?: true
  /** Where a screen has more than one. */
  within?: string
  /** What is searched for, what is found by it, and what is not. */
  q?: string
  found?: string
  other?: string
}
const lists: List[] = [
  { at: '/account/sessions', list: 'Sessions', found: 'Harbour/1.0', other: 'Lighthouse/2.0' },
  { at: '/account/security', list: 'SSH keys' },
  { at: '/account/connections', list: 'Personal access tokens', as: 'tokens-' },
  {
    at: '/account/activity',
    list: 'Activity',
    q: 'keys changed',
    found: 'SSH keys changed',
    other: 'Access token made',
  },
  { at: '/requests', list: 'My requests' },
  { at: '/groups', list: 'Groups' },
  { at: '/decisions', list: 'Requests', as_admin: true },
  { at: '/people/ada/groups', list: 'Groups', as_admin: true, within: 'In 2 groups' },
  { at: '/people/ada/groups', list: 'Groups owned', as: 'owned-', as_admin: true, within: 'Owns 2 groups' },
  { at: '/people/ada/access', list: 'Access', as_admin: true },
  {
    at: '/people/ada/sessions',
    list: 'Sessions',
    as_admin: true,
    found: 'Harbour/1.0',
    other: 'Lighthouse/2.0',
  },
  {
    at: '/people/ada/activity',
    list: 'Audit trail',
    as_admin: true,
    q: 'account created',
    found: 'Account created',
    other: 'SSH keys changed',
  },
  { at: '/admin/plugins', list: 'Plugins', as_admin: true },
  { at: '/admin/webhooks', list: 'Webhooks', as_admin: true },
  { at: '/admin/terms', list: 'Versions', as_admin: true, q: '1', found: 'Version 1', other: 'Version 2' },
  {
    at: `/admin/plugins/${plugin.id}`,
    list: 'Runs',
    as_admin: true,
    q: 'not 500',
    found: 'Failed',
    other: 'Done',
  },
]

/** The rows of the list; other words of the screen may be those of a row. */
const row = (page: Page, text: string, within?: string) =>
  (within ? page.getByRole('region', { name: within }) : page.locator('main'))
    .getByRole('listitem')
    .filter({ hasText: text })

await test('every list is searched as one types, the address keeps it, and says so where nothing is found', async (t) => {
  const sessions = {
    admin: await openPortal(browser, url, admin),
    ada: await openPortal(browser, url, ada.token),
  }
  for (const {
    at,
    list,
    as = '',
    as_admin,
    within,
    q = 'harbour',
    found = 'harbour',
    other = 'lighthouse',
  } of lists) {
    const { page } = sessions[as_admin ? 'admin' : 'ada']
    const shown = (text: string) => row(page, text, within)
    await page.goto(at)
    const search = page.getByRole('searchbox', { name: `Search ${list}`, exact: true })
    await shown(other).first().waitFor()
    await search.fill(q)
    await shown(other).first().waitFor({ state: 'detached' })
    await shown(found).first().waitFor()
    await page.waitForURL((address) => address.searchParams.get(`${as}q`) === q)
    await page.reload()
    await shown(found).first().waitFor()
    t.equal(await shown(other).count(), 0, `${at} after a reload`)
    t.equal(await search.inputValue(), q)
    await search.fill('nothing of the kind')
    await page.getByText('Nothing found').waitFor()
    // The same two parts everywhere.
    if (list === 'Sessions' || list === 'Activity') t.strictSame(await axeFinds(page), [], at)
    await search.fill('')
    await shown(other).first().waitFor()
    t.notOk(new URL(page.url()).searchParams.has(`${as}q`), at)
  }
  for (const { faults, context } of Object.values(sessions)) {
    t.strictSame(faults, [])
    await context.close()
  }
})

await test('order and filters stand in the address, an order or filter that there is not is none, and one press clears all', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, ada.token)
  const names = () => page.getByRole('listitem').getByRole('heading', { level: 2 }).allTextContents()
  await page.goto('/requests?sort=upside-down&state=unheard')
  await row(page, 'harbour').waitFor()
  t.strictSame(await names(), ['lighthouse', 'harbour'])
  await page.getByLabel('Order').selectOption('By name')
  await page.waitForURL(/sort=name/)
  const byName = ['harbour', 'lighthouse']
  t.strictSame(await soon(names, byName), byName)
  await page.getByLabel('State').selectOption('Approved')
  await page.getByText('Nothing found').waitFor()
  await page.waitForURL(/state=approved/)
  await page.getByRole('button', { name: 'Clear search and filters' }).click()
  await row(page, 'harbour').waitFor()
  t.strictSame(await names(), byName)
  t.notMatch(page.url(), /state=/)
  t.match(page.url(), /sort=name/)
  t.strictSame(faults, [])
  await context.close()
})

await test('a search of one’s activity is in the words of one’s language, and goes further back when asked', async (t) => {
  const bea = await newUser(admin, { uid: 'bea' })
  const more = 510
  for (let nth = 0; nth < more; nth++)
    service.deps.audit.append({
      ...{ actor: 'bea', action: 'user.update', target: 'bea', outcome: 'ok', address: '10.0.0.1' },
    })
  await service.deps.audit.settled()
  const { page, context, faults } = await openPortal(browser, url, bea.token, { locale: 'de-DE' })
  await page.goto('/account/activity')
  await row(page, 'Konto geändert').first().waitFor()
  await page.getByRole('searchbox', { name: 'Aktivität durchsuchen' }).fill('angelegt')
  await page.getByText('Durchsucht sind die neuesten 500 Einträge.').waitFor()
  await page.getByText('Nichts gefunden').waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('button', { name: 'Weiter zurück suchen' }).click()
  await row(page, 'Konto angelegt').waitFor()
  await page.getByLabel('Betrifft').selectOption('Gruppen')
  await page.waitForURL(/kind=group/)
  await page.getByText('Nichts gefunden').waitFor()
  t.strictSame(faults, [])
  await context.close()
})
