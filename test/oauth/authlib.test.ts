import { test } from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { findAuthlib } from '#test/support/programs.ts'
import { startTestService } from '#test/support/service.ts'
import { shownAt, signIn, startParty } from './party.ts'

await using service = await startTestService({ app_onboarding__needs: '' })
await using browser = await openBrowser()
const adminToken = await service.login(service.admin.uid, service.admin.password)
const { register } = relyingParty(service, adminToken)

await test('Authlib, in Python, gets verified tokens: discovery, login, consent, code with PKCE, verified RS256 ID token, userinfo, refresh, introspection, revocation', async (t) => {
  const person = await service.newUser(adminToken)
  const python = { ...(await findAuthlib()), script: 'authlib-party.py' }
  await using party = await startParty(service.url, register, python, 'Serpent')
  const context = await browser.newContext({ extraHTTPHeaders: { 'x-forwarded-for': '198.51.100.10' } })
  const page = await context.newPage()
  const open = async (path: string) => {
    await page.goto(party.url + path)
    return shownAt(page, party.url + path)
  }

  await page.goto(party.url)
  await signIn(page, person, 'Serpent')
  const first = await shownAt(page, `${party.url}/cb`)
  t.match(first, {
    header: { alg: 'RS256', kid: String },
    claims: { iss: service.url, sub: person.uid, aud: party.client_id, nonce: String, email: person.mail },
    userinfo: { sub: person.uid, email: person.mail, groups: [] },
  })
  t.match(await open('/refresh'), { rotated: true, claims: { sub: person.uid }, userinfo: first.userinfo })
  t.match(await open('/introspect'), { active: true, sub: person.uid, client_id: party.client_id })
  t.same(await open('/revoke'), { revoked: 200, error: 'invalid_grant' })
  await context.close()
})
