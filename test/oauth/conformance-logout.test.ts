/**
 * Modules of oidcc-rp-initiated-logout-certification-test-plan and oidcc-backchannel-rp-initiated-logout-certification-
 * test-plan; the list is conformance.ts.
 */
import { randomBytes } from 'node:crypto'
import type { Test } from 'tap'
import tap, { test } from 'tap'
import { startApplication } from '#test/logout/application.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { afterLogout, moduleRun, registerForSuite } from './suite.ts'

const service = await startTestService({ app_onboarding__needs: '', app_egress__allow: '127.0.0.1' })
const { login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

const client = await registerForSuite(register)
const person = await newUser(admin)
const state = randomBytes(64).toString('hex')

/** A sign-in, and the parameters of a logout request that is right in every way. */
async function signedIn(as = client) {
  const run = await moduleRun(service, as, person)
  const { tokens } = await run.happy()
  const right = { id_token_hint: String(tokens.id_token), post_logout_redirect_uri: afterLogout, state }
  const errorNow = async () => (await run.authorize({ prompt: 'none' })).params?.get('error')
  return { ...run, tokens, right, errorNow }
}
type Signed = Awaited<ReturnType<typeof signedIn>>

/** The OP must not send anybody back; it shows an error, or asks and says that the person is signed out. */
async function staysHere(t: Test, { endSession }: Signed, params: Record<string, string>) {
  const { asked, done } = await endSession(params)
  for (const { headers, text } of [asked, done]) {
    t.notMatch(headers.get('location') ?? '', /^https:\/\/suite\.example/)
    t.match(headers.get('content-type'), 'text/html')
    t.notMatch(text, afterLogout)
  }
  return { asked, done }
}

test('oidcc-rp-initiated-logout: back at the registered URI with the long state untouched, and prompt=none asks for a sign-in', async (t) => {
  const { endSession, right, errorNow } = await signedIn()
  t.equal(await errorNow(), null)
  const { asked, done } = await endSession(right)
  t.equal(asked.status, 200)
  t.equal(done.headers.get('location'), `${afterLogout}?state=${state}`)
  t.equal(await errorNow(), 'login_required')
})

test('oidcc-rp-initiated-logout-no-state: back without a state', async (t) => {
  const { endSession, right, errorNow } = await signedIn()
  const { id_token_hint, post_logout_redirect_uri } = right
  const { done } = await endSession({ id_token_hint, post_logout_redirect_uri })
  t.equal(done.headers.get('location'), afterLogout)
  t.equal(await errorNow(), 'login_required')
})

test('oidcc-rp-initiated-logout-bad-post-logout-redirect-uri, oidcc-rp-initiated-logout-query-added-to-post-logout-redirect-uri: an error page, and still signed in', async (t) => {
  for (const uri of [`${afterLogout}/bad`, `${afterLogout}?foo=bar`]) {
    const signed = await signedIn()
    const { asked } = await staysHere(t, signed, { ...signed.right, post_logout_redirect_uri: uri })
    t.equal(asked.status, 400)
    t.match(asked.text, 'post_logout_redirect_uri')
    t.equal(await signed.errorNow(), null)
  }
})

test('oidcc-rp-initiated-logout-modified-id-token-hint, oidcc-rp-initiated-logout-bad-id-token-hint: an error page, and still signed in', async (t) => {
  const signed = await signedIn()
  const [head = '', body = '', signature = ''] = signed.right.id_token_hint.split('.')
  const claims = JSON.parse(Buffer.from(body, 'base64url').toString())
  const other = Buffer.from(JSON.stringify({ ...claims, sub: 'somebody' })).toString('base64url')
  for (const id_token_hint of [`${head}.${other}.${signature}`, `${head}.${body}.AAAA`, 'bad', 'a.b.c']) {
    const { asked } = await staysHere(t, signed, { ...signed.right, id_token_hint })
    t.equal(asked.status, 400)
    t.equal(await signed.errorNow(), null)
  }
})

test('oidcc-rp-initiated-logout-no-id-token-hint: the person is asked, and not sent back', async (t) => {
  const signed = await signedIn()
  const { asked, done } = await staysHere(t, signed, { post_logout_redirect_uri: afterLogout, state })
  t.match(asked.text, 'Sign out?')
  t.match(done.text, 'signed out')
})

test('oidcc-rp-initiated-logout-no-params, oidcc-rp-initiated-logout-only-state, oidcc-rp-initiated-logout-no-post-logout-redirect-uri: signed out, and told so on a page', async (t) => {
  for (const keep of [[], ['state'], ['id_token_hint', 'state']]) {
    const signed = await signedIn()
    const params = Object.fromEntries(Object.entries(signed.right).filter(([name]) => keep.includes(name)))
    const { done } = await staysHere(t, signed, params)
    t.equal(done.status, 200)
    t.match(done.text, 'signed out')
    t.equal(await signed.errorNow(), 'login_required')
  }
})

test('oidcc-backchannel-rp-initiated-logout: the application is told in a verified logout token with the sub and sid of the ID token, and the person comes back', async (t) => {
  await using application = await startApplication(() => service.url)
  const told = await registerForSuite(register, { backchannel_logout_uri: application.uriOf('suite') })
  application.expect('suite', told.client_id)
  const { endSession, right, tokens, errorNow } = await signedIn(told)
  const { sub, sid } = tokens.claims
  t.type(sid, 'string')
  const { done } = await endSession(right)
  t.equal(done.headers.get('location'), `${afterLogout}?state=${state}`)
  const notice = await application.notice('suite')
  t.match(notice, { sub, sid, iss: service.url, aud: told.client_id })
  t.same(application.refused, [])
  t.equal(await errorNow(), 'login_required')
})
