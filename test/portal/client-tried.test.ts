import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds } from '#test/support/portal.ts'
import { soon } from '#test/support/until.ts'
import { base, clientScreens } from './clients-support.ts'

const demo = await sharedDemo()
await using browser = await openBrowser()
const { url, token, request, newUser } = demo
const { register, openClient } = clientScreens(demo, browser, token)

for (const name of ['gardeners', 'estate']) await request('POST', '/api/group/', { token, body: { name } })
await newUser(token, { uid: 'barbara', givenName: 'Barbara', sn: 'McClintock' })
await newUser(token, { uid: 'lise', givenName: 'Lise', sn: 'Meitner' })
await request('PUT', '/api/group/gardeners/barbara', { token })
await request('PUT', '/api/group/estate/nested/gardeners', { token })

await test('the redirect tester says which pattern matches, or why none does', async (t) => {
  const redirect_uris = ['https://app.example/cb', 'https://*.apps.example/cb']
  const { id } = await register({ name: 'Tools', redirect_uris })
  const { page, context, faults } = await openClient(id, 'Tools', '/test')
  const panel = page.getByRole('region', { name: 'Redirect tester' })
  const type = (uri: string) => panel.getByLabel('Redirect URI to test').fill(uri)
  await type('https://one.apps.example/cb')
  await panel.getByText('It fits the pattern: https://*.apps.example/cb').waitFor()
  t.strictSame(await axeFinds(page), [])
  await type('http://app.example:8080/cb/')
  await panel.getByText('This redirect URI is refused').waitFor()
  const nearest = panel.getByRole('list', { name: 'Why the registered ones' }).locator('> li').first()
  t.match(await nearest.textContent(), 'https://app.example/cb')
  for (const why of [
    'The scheme is http, registered is https.',
    'The port is 8080, registered is (nothing).',
    'The path is /cb/, registered is /cb. Only the slash at the end is different, and it counts.',
  ])
    await nearest.getByText(why).waitFor()
  t.strictSame(await axeFinds(page), [])
  await type('https://a.b.apps.example/cb')
  await panel.getByText('Each * stands for exactly one part between dots.').waitFor()
  await type('https://ONE.apps.example/cb')
  await panel.getByText('The right spelling is: https://one.apps.example/cb').waitFor()
  await type('https://one.apps.example/cb#top')
  await panel.getByText('It has a fragment').waitFor()
  t.strictSame(faults, [])
  await context.close()
})

await test('the claim preview answers claims, or the refusal and its reason in words', async (t) => {
  const { id } = await register({ name: 'Cellar', allowed_groups: ['estate'] })
  const { page, context, faults } = await openClient(id, 'Cellar', '/test')
  const panel = page.getByRole('region', { name: 'Claim preview' })
  await panel.getByRole('combobox', { name: 'Person' }).fill('mcclin')
  await page.getByRole('option', { name: 'Barbara McClintock' }).click()
  await panel.getByLabel('Scopes').fill('openid profile groups wine')
  await panel.getByRole('button', { name: 'Show claims' }).click()
  await panel.getByText('Dropped, since not registered: wine.').waitFor()
  const row = (name: string) => panel.getByRole('row').filter({ hasText: name })
  t.match(await row('groups').textContent(), /gardeners, estate|estate, gardeners/)
  t.match(await row('given_name').textContent(), /Barbara.*ID token.*Userinfo/s)
  t.strictSame(await axeFinds(page), [])
  await panel.getByRole('combobox', { name: 'Person' }).fill('lise')
  await page.keyboard.press('Escape')
  await panel.getByRole('button', { name: 'Show claims' }).click()
  await panel.getByText('lise may not use Cellar: membership in estate is needed.').waitFor()
  t.strictSame(await axeFinds(page), [])
  await panel.getByRole('combobox', { name: 'Person' }).fill('nobody')
  await page.keyboard.press('Enter')
  await panel.getByText('Nobody has the username nobody.').waitFor()
  t.strictSame(faults, [])
  await context.close()
})

await test('a test sign-in opens in a new tab, and ends with a code at the registered address that was chosen', async (t) => {
  const redirect_uris = ['https://*.apps.example/cb', `${url}/healthz`]
  const { id, secret } = await register({ name: 'Orchard', redirect_uris })
  const { page, context, faults } = await openClient(id, 'Orchard', '/test')
  const panel = page.getByRole('region', { name: 'Test sign-in' })
  const [opened] = await Promise.all([
    context.waitForEvent('page'),
    panel.getByRole('link', { name: 'Open test sign-in' }).click(),
  ])
  await opened.getByRole('button', { name: 'Allow' }).click()
  await opened.waitForURL(`${url}/healthz?**`)
  const code = new URL(opened.url()).searchParams.get('code') ?? ''
  t.match(code, /^[\w-]{20,}$/)
  await panel.getByText('Get tokens with the code').click()
  const command = (await panel.getByRole('group', { name: 'Get tokens with the code' }).textContent()) ?? ''
  const fields = [...command.matchAll(/--data-urlencode '([^=]+)=([^']*)'/g)].map(([, name, value]) => [
    name,
    value?.replace('<code>', code).replace('<client_secret>', secret),
  ])
  t.match(command, `curl ${url}/oauth/token`)
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams(fields as [string, string][]).toString()
  t.match(await request('POST', '/oauth/token', { headers, body }), { status: 200 })
  t.strictSame(faults, [])
  await request('PUT', base + id, { token, body: { redirect_uris: ['https://*.apps.example/cb'] } })
  await page.reload()
  await panel.getByText('Only patterns are registered').waitFor()
  t.strictSame(await axeFinds(page), [])
  await context.close()
})

await test('who has access is listed with the way of groups, searched and filtered in the address', async (t) => {
  const { id } = await register({ name: 'Archive', allowed_groups: ['estate', 'gardeners', 'gone'] })
  const { page, context, faults } = await openClient(id, 'Archive', '/access')
  await page.getByRole('region', { name: '2 people have access' }).waitFor()
  await page.getByText('There is no group gone any more').waitFor()
  const people = page.getByRole('list', { name: 'People with access' }).locator('> li')
  t.same(
    await people
      .filter({ hasText: 'barbara' })
      .getByRole('list', { name: 'Has access through' })
      .allTextContents(),
    ['estategardeners', 'gardeners'],
  )
  t.strictSame(await axeFinds(page), [])
  const inDirectory = page.getByRole('link', { name: 'Open it in the directory' })
  t.equal(await inDirectory.getAttribute('href'), `/admin/directory?id=${id}`)
  await page.getByRole('button', { name: 'gardeners: 2 people' }).click()
  await page.waitForURL(/group=gardeners/)
  await page.getByRole('searchbox').fill('BARBARA')
  await page.waitForURL(/q=BARBARA/)
  t.equal(await soon(() => people.count(), 1), 1)
  await request('PUT', base + id, { token, body: { allowed_groups: [] } })
  await page.reload()
  await page.getByText('Everybody may use it').waitFor()
  t.strictSame(faults, [])
  await context.close()
})

await test('a member of app_sso_oauth_admin alone manages applications, and finds people by their whole username', async (t) => {
  const keeper = await newUser(token)
  await request('PUT', `/api/group/app_sso_oauth_admin/${keeper.uid}`, { token })
  const { id } = await register({ name: 'Library', allowed_groups: ['estate'] })
  const { page, context, faults } = await openClient(id, 'Library', '/test', keeper.token)
  const panel = page.getByRole('region', { name: 'Claim preview' })
  await panel.getByText('The whole username.').waitFor()
  await panel.getByRole('combobox', { name: 'Person' }).fill('barbara')
  await page.getByRole('option', { name: 'Barbara McClintock' }).click()
  await panel.getByRole('button', { name: 'Show claims' }).click()
  await panel.getByText('barbara may use it. Granted: openid profile email groups.').waitFor()
  await page.getByRole('link', { name: 'Who has access' }).click()
  await page.getByRole('list', { name: 'People with access' }).getByText('Barbara McClintock').waitFor()
  t.equal(
    await page.getByRole('link', { name: 'Barbara McClintock' }).count(),
    0,
    'people are not theirs to open',
  )
  await page.getByText('That is for members of app_sso_directory_admin.').waitFor()
  t.strictSame(faults, [])
  await context.close()
})
