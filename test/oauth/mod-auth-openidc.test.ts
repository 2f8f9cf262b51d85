import { test } from 'tap'
import { freePort } from '#quickstart/child.ts'
import { openBrowser } from '#test/support/browser.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'
import { startApache } from './apache.ts'
import { signIn } from './party.ts'

await using service = await startTestService({ app_onboarding__needs: '', app_egress__allow: '127.0.0.1' })
await using browser = await openBrowser()
const adminToken = await service.login(service.admin.uid, service.admin.password)
const { register, userinfo } = relyingParty(service, adminToken)

await test('Apache’s mod_auth_openidc gets verified tokens: discovery, login, consent, code with PKCE, verified RS256 ID token, userinfo, refresh, required group, logout', async (t) => {
  const { uid, password, mail } = await service.newUser(adminToken)
  await service.request('POST', '/api/group/', {
    token: adminToken,
    body: { name: 'webmasters', description: '' },
  })
  await service.request('PUT', `/api/group/webmasters/${uid}`, { token: adminToken })
  const port = await freePort()
  const redirect_uri = `http://127.0.0.1:${port}/secure/redirect_uri`
  const home = `http://127.0.0.1:${port}/`
  const client = await register({
    name: 'Apache',
    redirect_uris: [redirect_uri],
    post_logout_redirect_uris: [home],
  })
  await using apache = await startApache(service.url, port, client)
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '198.51.100.8' } })
  const page = await context.newPage()
  const secure = `${apache.url}/secure/`

  await page.goto(secure)
  const arrived = page.waitForResponse((response) => response.url() === secure && response.status() === 200)
  await signIn(page, { uid, password }, 'Apache')
  const response = await arrived.catch(async (error) => {
    throw new Error(`${error}\n${await apache.log()}`)
  })
  await page.getByRole('heading', { name: 'Guarded page' }).waitFor()
  const headers = await response.allHeaders()
  t.equal(headers['x-user'], uid)
  t.equal(headers['x-email'], mail)
  t.equal(headers['x-groups'], 'webmasters')

  const info = async () =>
    JSON.parse((await (await context.request.get(`${redirect_uri}?info=json`)).text()) || '{}')
  const before = await info()
  t.match(before, {
    id_token: { iss: service.url, sub: uid, aud: client.client_id },
    userinfo: { sub: uid, email: mail },
  })

  const hook = new URLSearchParams({ refresh: secure, access_token: before.access_token })
  const refreshed = await context.request.get(`${redirect_uri}?${hook}`)
  t.equal(refreshed.url(), secure, 'without an error')
  const after = await info()
  t.not(after.access_token, before.access_token)
  t.not(after.refresh_token, before.refresh_token)
  t.match((await userinfo(after.access_token)).body, { sub: uid })

  await page.goto(`${redirect_uri}?${new URLSearchParams({ logout: home })}`)
  await page.locator('button[name=logout][value=yes]').click()
  await page.waitForURL(home)
  t.equal((await userinfo(after.access_token)).status, 401)
  await page.goto(secure)
  await page.locator('input[name=password]').waitFor()

  const other = await service.newUser(adminToken)
  const refusal = page.waitForResponse((answer) => answer.url() === secure)
  await signIn(page, other, 'Apache')
  t.equal((await refusal).status(), 401, 'who is not in the group')
  await context.close()
})

await test('mod_auth_openidc is told by the back channel of a logout at the portal, and ends its session', async (t) => {
  const person = await service.newUser(adminToken)
  await service.request('PUT', `/api/group/webmasters/${person.uid}`, { token: adminToken })
  const port = await freePort()
  const redirect_uri = `http://127.0.0.1:${port}/secure/redirect_uri`
  const backchannel_logout_uri = `${redirect_uri}?logout=backchannel`
  const client = await register({ name: 'Apache', redirect_uris: [redirect_uri], backchannel_logout_uri })
  await using apache = await startApache(service.url, port, client)
  const context = await browser.newContext()
  const page = await context.newPage()
  const secure = `${apache.url}/secure/`
  const letIn = async () => (await context.request.get(secure, { maxRedirects: 0 })).status() === 200
  await page.goto(secure)
  await signIn(page, person, 'Apache')
  await page.waitForURL(secure)
  t.equal(await letIn(), true)
  await page.goto(`${service.url}/logout`)
  await page.getByRole('button', { name: 'Sign out' }).first().click()
  await until('the session at Apache ends', async () => !(await letIn()))
  t.notMatch(await apache.log(), /auth_openidc:error/)
  await context.close()
})
