import { test } from 'tap'
import { freePort } from '#quickstart/child.ts'
import { bareClient } from '#test/ldap/support.ts'
import { openBrowser } from '#test/support/browser.ts'
import { clientOf } from '#test/support/client.ts'
import { startNginx } from '#test/support/nginx.ts'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'
import { startApache } from './apache.ts'
import { signIn } from './party.ts'

const port = await freePort()
await using service = await startTestService({
  app_onboarding__needs: '',
  app_oauth__issuer: `http://127.0.0.1:${port}`,
})
await using nginx = await startNginx([service.url], port)
await using browser = await openBrowser()
const { login, newUser, request } = clientOf(nginx.url)
const adminToken = await login(service.admin.uid, service.admin.password)
const { register, asking, authorize, tokensFor, userinfo } = relyingParty({ request }, adminToken)

const person = await newUser(adminToken)
const groups = Array.from({ length: 500 }, (_, n) => `department-of-many-${String(n).padStart(3, '0')}`)
const directory = await bareClient(service.servers.ldap)
for (const cn of groups)
  await directory.add(`cn=${cn},ou=groups,${service.servers.ldap.base}`, {
    objectClass: 'groupOfNames',
    cn,
    member: person.dn,
  })
await directory.unbind()
const groupsIn = (claims: Record<string, unknown>) => [...((claims.groups ?? []) as string[])].sort()

await test('nginx with its own buffer sizes lets everything of a person in 500 groups through: code, tokens, userinfo, pages, a long state', async (t) => {
  const client = await register()
  const state = 'x'.repeat(2000)
  const { asked } = asking(client, { state })
  const page = await authorize(asked, person.token, 'text/html')
  t.equal(page.status, 200, 'the consent page')
  const tokens = await tokensFor(client, person.token, { state })
  t.same(groupsIn(payloadOf(tokens.id_token)), groups)
  const { status, body } = await userinfo(tokens.access_token)
  t.equal(status, 200)
  t.same(groupsIn(body), groups)
  const again = await authorize(asked, person.token)
  t.match(again.headers.get('location'), state, 'the code in a redirect')
  const posted = await request('POST', '/oauth/authorize', {
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...asked, state: 'x'.repeat(7000) }).toString(),
  })
  t.equal(posted.status, 303, 'a long request by POST')
  t.equal((await request('GET', '/api/user/me', { token: person.token })).status, 200)
  t.equal(await nginx.log(), '', 'nothing was too large for it')
})

await test('a logout request by POST with an ID token of 500 groups passes nginx, and leads back to its client', async (t) => {
  const bye = 'https://app.example/bye'
  const client = await register({ post_logout_redirect_uris: [bye] })
  const token = await login(person.uid, person.password)
  const { id_token } = await tokensFor(client, token)
  const { go, jar, locationOf } = visitor({ request, url: nginx.url })
  jar.set('latchkey@/', { value: token, path: '/' })
  const asked = { id_token_hint: id_token, post_logout_redirect_uri: bye, state: 'far away' }
  const posted = await go('POST', '/oauth/logout', asked)
  t.equal(posted.status, 303)
  const page = await go('GET', locationOf(posted))
  t.equal(page.status, 200)
  const xsrf = /name="xsrf" value="(\w+)"/.exec(page.text)?.[1] as string
  const done = await go('POST', '/oauth/logout/confirm', { xsrf, logout: 'yes' })
  t.equal(done.headers.get('location'), `${bye}?state=far+away`)
  t.equal((await request('GET', '/api/user/me', { token })).status, 401)
  t.equal(
    (await go('POST', '/oauth/logout', { id_token_hint: 'x'.repeat(9000) })).status,
    303,
    'nonsense too',
  )
  t.equal(await nginx.log(), '')
})

await test('groups_claim allowed tells a client its own groups only, groups_in_id_token false keeps them out of the ID token, so that it fits into a logout link', async (t) => {
  const allowed_groups = groups.slice(0, 3)
  const own = await register({ groups_claim: 'allowed', allowed_groups })
  const brief = await register({ groups_in_id_token: false })
  for (const [client, inToken, inUserinfo] of [
    [own, allowed_groups, allowed_groups],
    [brief, [], groups],
  ] as const) {
    const { id_token, access_token } = await tokensFor(client, person.token)
    t.same(groupsIn(payloadOf(id_token)), inToken)
    t.same(groupsIn((await userinfo(access_token)).body), inUserinfo)
    const logout = `/oauth/logout?${new URLSearchParams({ id_token_hint: id_token })}`
    t.equal((await request('GET', logout, { headers: { accept: 'text/html' } })).status, 200)
  }
})

/** Signs the person in at a fresh httpd, through nginx, and answers the groups that its application is told. */
async function groupsAtApache(fields: Record<string, unknown>, more = '') {
  const port = await freePort()
  const redirect_uri = `http://127.0.0.1:${port}/secure/redirect_uri`
  const client = await register({ name: 'Apache', redirect_uris: [redirect_uri], ...fields })
  await using apache = await startApache(nginx.url, port, client, { group: groups[0] as string, more })
  const context = await browser.newContext()
  const page = await context.newPage()
  const secure = `${apache.url}/secure/`
  await page.goto(secure)
  const arrived = page.waitForResponse((response) => response.url() === secure && response.status() === 200)
  await signIn(page, person, 'Apache')
  const response = await arrived.catch(async (error) => {
    throw new Error(`${error}\n${await apache.log()}`)
  })
  const told = (await response.allHeaders())['x-groups'] ?? ''
  await context.close()
  return told.split(',').sort()
}

await test('mod_auth_openidc behind nginx hands its application all 500 groups: with groups in userinfo only by its own settings, with groups in both by a larger cache entry', async (t) => {
  t.same(await groupsAtApache({ groups_in_id_token: false }), groups)
  t.same(await groupsAtApache({}, 'OIDCCacheShmEntrySizeMax 65536'), groups)
  const allowed_groups = groups.slice(0, 3)
  t.same(await groupsAtApache({ groups_claim: 'allowed', allowed_groups }), allowed_groups)
})
