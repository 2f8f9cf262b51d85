import { generateKeyPairSync } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { SignJWT } from 'jose'
import type { Test } from 'tap'
import { test } from 'tap'
import { payloadOf } from '#test/support/oauth.ts'
import { visitor } from '#test/support/visitor.ts'
import { startLogoutTests } from './support.ts'

// Beyond the OpenID Foundation's plan for RP-initiated logout, which is test/oauth/conformance-logout.test.ts.

const { admin, application, newUser, request, service, tellable, register, tokensFor, userinfo } =
  await startLogoutTests()
const bye = 'https://app.example/bye'

/** Somebody signed in at a client, in a browser. */
async function signedInAt(fields: Record<string, unknown> = {}) {
  const { token, uid } = await newUser(admin)
  const client = await tellable({ post_logout_redirect_uris: [bye], ...fields })
  const { id_token, access_token } = await tokensFor(client, token)
  const { go, jar } = visitor(service)
  jar.set('latchkey@/', { value: token, path: '/' })
  const alive = async () => (await request('GET', '/api/user/me', { token })).status === 200
  const ask = (params: Record<string, string>) => go('GET', `/oauth/logout?${new URLSearchParams(params)}`)
  const confirm = async (page: { text: string }) => {
    const xsrf = /name="xsrf" value="(\w+)"/.exec(page.text)?.[1] ?? ''
    return go('POST', '/oauth/logout/confirm', { xsrf, logout: 'yes' })
  }
  return { uid, client, id_token, access_token, go, ask, confirm, alive }
}
/** The person is asked, and the answer leads there. */
async function asksAndLeads(
  t: Test,
  { ask, confirm, alive }: Awaited<ReturnType<typeof signedInAt>>,
  params: Record<string, string>,
  target: string,
) {
  const page = await ask(params)
  t.equal(page.status, 200)
  t.equal(page.headers.get('location'), null, 'nobody is sent anywhere before they answered')
  t.equal(await alive(), true, 'a link alone signs nobody out')
  t.equal((await confirm(page)).headers.get('location'), target)
  t.equal(await alive(), false)
}

test('oidcc-rp-initiated-logout: asks, ends the session, tells the client and returns with state; then prompt=none is login_required', async (t) => {
  const at = await signedInAt()
  const asked = { id_token_hint: at.id_token, post_logout_redirect_uri: bye, state: 'a state & more' }
  await asksAndLeads(t, at, asked, `${bye}?state=a+state+%26+more`)
  t.match(await application.notice(at.client.name), { sub: at.uid, sid: payloadOf(at.id_token).sid })
  t.equal((await userinfo(at.access_token)).status, 401)
  const silent = await at.go(
    'GET',
    `/oauth/authorize?${new URLSearchParams({
      ...{ response_type: 'code', client_id: at.client.client_id, redirect_uri: at.client.redirect_uri },
      ...{ scope: 'openid', prompt: 'none', code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' },
    })}`,
  )
  t.match(silent.headers.get('location'), 'error=login_required')
})

test('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri and -query-added: an error page, and nobody is signed out', async (t) => {
  const at = await signedInAt()
  for (const uri of ['https://evil.example/', `${bye}?foo=bar`, `${bye}/`, 'https://app.example/cb']) {
    const page = await at.ask({ id_token_hint: at.id_token, post_logout_redirect_uri: uri })
    t.equal(page.status, 400, uri)
    t.equal(page.headers.get('location'), null)
  }
  t.equal(await at.alive(), true)
})

test('oidcc-rp-initiated-logout-modified-id-token-hint and -bad-id-token-hint: alg none, a foreign key, a changed claim, garbage', async (t) => {
  const at = await signedInAt()
  const [header = '', payload = '', signature = ''] = at.id_token.split('.')
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const foreign = new SignJWT(payloadOf(at.id_token)).setProtectedHeader({ alg: 'RS256' })
  const hints = [
    `${encoded({ alg: 'none' })}.${payload}.`,
    `${header}.${encoded({ ...payloadOf(at.id_token), sub: 'admin' })}.${signature}`,
    await foreign.sign(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey),
    'garbage',
  ]
  for (const id_token_hint of hints) {
    const page = await at.ask({ id_token_hint, post_logout_redirect_uri: bye })
    t.equal(page.status, 400, id_token_hint.slice(0, 30))
    t.equal(page.headers.get('location'), null)
  }
  t.equal(await at.alive(), true)
})

test('an expired hint is accepted; a hint of another client than client_id, and another client’s target, are refused', async (t) => {
  const at = await signedInAt({ token_lifetime: { access_token: 1 } })
  await setTimeout(2100)
  const { client_id } = await register({ post_logout_redirect_uris: ['https://other.example/bye'] })
  for (const params of [{ client_id }, { post_logout_redirect_uri: 'https://other.example/bye' }])
    t.equal((await at.ask({ id_token_hint: at.id_token, ...params } as never)).status, 400)
  await asksAndLeads(t, at, { id_token_hint: at.id_token, post_logout_redirect_uri: bye }, bye)
})

test('a hint of somebody else’s signs nobody out before they answer', async (t) => {
  const [at, somebody] = [await signedInAt(), await signedInAt()]
  t.equal((await at.ask({ id_token_hint: somebody.id_token })).status, 200)
  t.same([await at.alive(), await somebody.alive()], [true, true])
})

test('without post_logout_redirect_uris the origins of exact redirect URIs are targets, and no others', async (t) => {
  const at = await signedInAt({ post_logout_redirect_uris: [] })
  for (const uri of ['https://evil.example/', 'http://app.example/', 'https://app.example:444/'])
    t.equal((await at.ask({ id_token_hint: at.id_token, post_logout_redirect_uri: uri })).status, 400, uri)
  const target = 'https://app.example/anywhere'
  await asksAndLeads(t, at, { id_token_hint: at.id_token, post_logout_redirect_uri: target }, target)
})

test('POST is as good as GET: a form, which comes from another site without the cookie, goes on as a GET that brings it', async (t) => {
  const at = await signedInAt()
  const asked = { id_token_hint: at.id_token, post_logout_redirect_uri: bye, state: 's & t' }
  const { status, headers } = await request('POST', '/oauth/logout', {
    body: new URLSearchParams(asked).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', origin: 'https://app.example' },
  })
  t.equal(status, 303)
  const { origin, pathname, searchParams } = new URL(headers.get('location') as string, service.url)
  t.same([origin, pathname, Object.fromEntries(searchParams)], [service.url, '/oauth/logout', asked])
  await asksAndLeads(t, at, asked, `${bye}?state=s+%26+t`)
})
