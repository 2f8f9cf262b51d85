import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { shownAt, signIn, startParty } from './party.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const adminToken = await service.login(service.admin.uid, service.admin.password)
const { register } = relyingParty(service, adminToken)

await test('oauth4webapi, strict by design, accepts discovery, code with PKCE, ID token and its signature, userinfo, refresh, introspection and revocation', async (t) => {
  const person = await service.newUser(adminToken)
  const program = { path: process.execPath, env: {}, script: 'oauth4webapi-party.ts' }
  await using party = await startParty(service.url, register, program, 'Strict one')
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '198.51.100.9' } })
  const page = await context.newPage()
  const open = async (path: string) => {
    await page.goto(party.url + path)
    return shownAt(page, party.url + path)
  }

  await page.goto(party.url)
  await signIn(page, person, 'Strict one')
  const first = await shownAt(page, `${party.url}/cb`)
  t.match(first, {
    claims: { iss: service.url, sub: person.uid, aud: party.client_id, nonce: String, email: person.mail },
    userinfo: { sub: person.uid, email: person.mail, groups: [] },
  })
  const refreshed = await open('/refresh')
  t.match(refreshed, { rotated: true, claims: { sub: person.uid }, userinfo: first.userinfo })
  t.match(await open('/introspect'), {
    ...{ active: true, sub: person.uid, client_id: party.client_id, iss: service.url },
    ...{ scope: 'openid profile email groups', token_type: 'Bearer', exp: Number },
  })
  t.same(await open('/revoke'), { error: 'invalid_grant', status: 400 })
  await context.close()
})
