/** Modules of oidcc-basic-certification-test-plan on what a request may ask; the list is conformance.ts. */
import tap, { test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { callback, moduleRun, registerForSuite } from './suite.ts'

const service = await startTestService({ app_onboarding__needs: '' })
const { login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const client = await registerForSuite(register)
const person = await newUser(admin)
const run = () => moduleRun(service, client, person)

test('oidcc-display-page, oidcc-display-popup, oidcc-ui-locales, oidcc-claims-locales, oidcc-ensure-request-with-acr-values-succeeds, oidcc-ensure-request-with-unknown-parameter-succeeds: wishes that are not fulfilled are no errors', async (t) => {
  for (const wish of [
    { display: 'page' },
    { display: 'popup' },
    { ui_locales: 'se' },
    { claims_locales: 'se' },
    { acr_values: '1 2' },
    { extra: 'foobar' },
  ]) {
    const { happy } = await run()
    const { shown, tokens } = await happy(wish)
    t.equal(shown[0], 'login', JSON.stringify(wish))
    t.equal(tokens.claims.sub, person.uid)
  }
})

test('oidcc-prompt-login: who is signed in signs in again, and auth_time is that of the second time', async (t) => {
  const { happy } = await run()
  const first = await happy({ max_age: '10000' })
  await pause(1100)
  const second = await happy({ prompt: 'login' })
  t.match(second.shown, ['login'])
  const third = await happy({ max_age: '10000' })
  t.same(third.shown, [])
  t.ok(Number(third.tokens.claims.auth_time) > Number(first.tokens.claims.auth_time))
})

test('oidcc-prompt-none-not-logged-in: login_required at the client, and no page', async (t) => {
  const { authorize } = await run()
  const { params, shown, asked } = await authorize({ prompt: 'none' })
  t.same(shown, [])
  t.equal(params?.get('error'), 'login_required')
  t.equal(params?.get('state'), asked.state)
})

test('oidcc-prompt-none-logged-in: a code without a page, of the same subject and sign-in', async (t) => {
  const { happy } = await run()
  const first = await happy({ max_age: '10000' })
  const second = await happy({ prompt: 'none', max_age: '10000' })
  t.same(second.shown, [])
  const { sub, auth_time } = first.tokens.claims
  t.match(second.tokens.claims, { sub, auth_time })
})

test('oidcc-max-age-1: a sign-in older than a second is asked for anew, and auth_time tells it', async (t) => {
  const { happy } = await run()
  const first = await happy({ max_age: '1' })
  await pause(2100)
  const second = await happy({ max_age: '1' })
  t.match(second.shown, ['login'])
  t.ok(Number(second.tokens.claims.auth_time) > Number(first.tokens.claims.auth_time))
})

test('oidcc-max-age-10000: a younger sign-in holds, and auth_time tells it', async (t) => {
  const { happy } = await run()
  const first = await happy({ max_age: '10000' })
  await pause(1100)
  const second = await happy({ max_age: '10000' })
  t.same(second.shown, [])
  t.equal(second.tokens.claims.auth_time, first.tokens.claims.auth_time)
  t.type(second.tokens.claims.auth_time, 'number')
})

test('oidcc-id-token-hint: with prompt=none the person of the hint gets a code without a page, anybody else login_required', async (t) => {
  const { happy } = await run()
  const first = await happy()
  const id_token_hint = String(first.tokens.id_token)
  const second = await happy({ prompt: 'none', id_token_hint })
  t.same(second.shown, [])
  t.equal(second.tokens.claims.sub, first.tokens.claims.sub)
  const other = await moduleRun(service, client, await newUser(admin))
  await other.happy()
  const { params } = await other.authorize({ prompt: 'none', id_token_hint })
  t.equal(params?.get('error'), 'login_required')
})

test('oidcc-login-hint: the hint is no error, and stands in the sign-in form', async (t) => {
  const { happy, go, asking } = await run()
  const asked = asking({ login_hint: `buffy@${new URL(service.url).hostname}` })
  const begun = await go('GET', `/oauth/authorize?${new URLSearchParams(asked)}`)
  const page = await go('GET', new URL(String(begun.headers.get('location')), service.url).pathname)
  t.match(page.text, `value="${asked.login_hint}"`)
  t.equal((await happy({ login_hint: person.uid })).tokens.claims.sub, person.uid)
})

test('oidcc-request-uri-unsigned-supported-correctly-or-rejected-as-unsupported: rejected as the error of its name, at the client', async (t) => {
  const { authorize } = await run()
  const { params, asked } = await authorize({ request_uri: 'https://suite.example/request.jwt' })
  t.equal(params?.get('error'), 'request_uri_not_supported')
  t.equal(params?.get('state'), asked.state)
})

/** The parameters as an unsigned request object (OpenID Connect Core section 6.1). */
function unsigned(claims: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part(claims)}.`
}

test('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported: rejected as the error of its name, at the client', async (t) => {
  const { authorize, asking } = await run()
  const { params } = await authorize({ request: unsigned(asking()) })
  t.equal(params?.get('error'), 'request_not_supported')
})

test('oidcc-ensure-request-object-with-redirect-uri: nothing goes to the URI beside the request object', async (t) => {
  const { authorize, asking } = await run()
  const { answer, params } = await authorize({
    request: unsigned(asking()),
    redirect_uri: `${callback}/invalid`,
  })
  t.equal(params, undefined)
  t.equal(answer.status, 400)
  t.equal(answer.headers.get('location'), null)
})

test('oidcc-claims-essential: name asked for as essential stands in userinfo, and not in the ID token', async (t) => {
  const { happy } = await run()
  const claims = JSON.stringify({ userinfo: { name: { essential: true } } })
  const { tokens, userinfo } = await happy({ claims })
  t.same(userinfo, { sub: person.uid, name: 'Given Family' })
  t.notOk('name' in tokens.claims)
})

test('oidcc-ensure-post-request-succeeds: the authorization request as a form, from another site, long or short', async (t) => {
  for (const state of ['short', 'long'.repeat(500)]) {
    const { happy } = await run()
    const { shown, params, tokens } = await happy({ state }, 'POST')
    t.equal(shown[0], 'login')
    t.equal(params?.get('state'), state)
    t.equal(tokens.claims.sub, person.uid)
  }
})
