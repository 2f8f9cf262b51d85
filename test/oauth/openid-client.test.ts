import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { shownAt, signIn, startParty } from './party.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const adminToken = await service.login(service.admin.uid, service.admin.password)
const { register } = relyingParty(service, adminToken)

const program = { path: process.execPath, env: {}, script: 'relying-party.ts' }

await test('openid-client gets verified tokens: discovery, login, consent, code with PKCE, verified RS256 ID token, userinfo, refresh', async (t) => {
  const { uid, password, mail } = await service.newUser(adminToken, { givenName: 'Grace', sn: 'Hopper' })
  await service.request('POST', '/api/group/', { token: adminToken, body: { name: 'navy', description: '' } })
  await service.request('PUT', `/api/group/navy/${uid}`, { token: adminToken })
  await using party = await startParty(service.url, register, program)
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '198.51.100.7' } })
  const page = await context.newPage()

  await page.goto(party.url)
  await signIn(page, { uid, password }, 'Relying party')
  const result = await shownAt(page, `${party.url}/cb`)
  const person = {
    ...{
      sub: uid,
      preferred_username: uid,
      name: 'Grace Hopper',
      given_name: 'Grace',
      family_name: 'Hopper',
    },
    ...{ email: mail, groups: ['navy'] },
  }
  t.match(result.header, { alg: 'RS256', kid: String })
  t.match(result.claims, { ...person, iss: service.url, aud: party.client_id })
  t.same(result.userinfo, person)

  await page.goto(`${party.url}/refresh`)
  const refreshed = await shownAt(page, `${party.url}/refresh`)
  t.equal(refreshed.rotated, true)
  t.match(refreshed.claims, { sub: uid, aud: party.client_id })
  t.same(refreshed.userinfo, person)

  await page.goto(party.url)
  await page.waitForURL((at) => at.href.startsWith(`${party.url}/cb`))
  t.match(await page.locator('body').textContent(), uid, 'the second time nobody is asked anything')
  await context.close()
})
