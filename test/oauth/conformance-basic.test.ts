/** Modules of oidcc-basic-certification-test-plan on responses, userinfo, scopes and codes; the list is conformance.ts. */
import tap, { test } from 'tap'
import { pkce, relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { callback, moduleRun, refusal, registerForSuite } from './suite.ts'

const service = await startTestService({ app_onboarding__needs: '' })
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const spent = { error: 'invalid_grant', status: 400 }
const client = await registerForSuite(register)
const person = await newUser(admin, { givenName: 'Ada', sn: 'Lovelace' })
const run = () => moduleRun(service, client, person)

test('oidcc-server: a code, its state and iss, tokens that nobody caches, a verified ID token, userinfo of the same subject', async (t) => {
  const { happy } = await run()
  const { shown, params, asked, tokens, userinfo } = await happy()
  t.same(shown, ['login', 'consent'])
  t.equal(params?.get('state'), asked.state)
  t.equal(params?.get('iss'), service.url)
  t.equal(tokens.headers.get('cache-control'), 'no-store')
  t.match(tokens, { token_type: 'bearer', expires_in: 3600, scope: 'openid' })
  t.match(tokens.claims, { sub: person.uid, nonce: asked.nonce })
  t.same(userinfo, { sub: person.uid })
})

test('oidcc-response-type-missing: invalid_request or unsupported_response_type, at the client or on a page', async (t) => {
  const { authorize } = await run()
  const { params, asked } = await authorize({ response_type: undefined })
  t.match(params?.get('error'), /^(invalid_request|unsupported_response_type)$/)
  t.equal(params?.get('state'), asked.state)
})

test('oidcc-idtoken-signature: ID tokens name their key by kid, and the JWKS holds it', async (t) => {
  const { happy } = await run()
  const { tokens } = await happy()
  const { kid, alg } = JSON.parse(
    Buffer.from(String(tokens.id_token).split('.')[0] as string, 'base64url').toString(),
  )
  const { body } = await request<{ keys: object[] }>('GET', '/oauth/jwks')
  t.equal(alg, 'RS256')
  t.match(
    body.keys.filter((key) => (key as { kid: string }).kid === kid),
    [{ kty: 'RSA', use: 'sig', alg: 'RS256' }],
  )
})

test('oidcc-idtoken-unsigned: no ID token is unsigned; the metadata do not offer it, so that the suite skips the module, and no client can ask for it', async (t) => {
  const { server } = await run()
  t.notOk(server.id_token_signing_alg_values_supported?.includes('none'))
  const body = { name: 'x', redirect_uris: [callback], id_token_signed_response_alg: 'none' }
  t.equal((await request('POST', '/api/oauth/client/', { token: admin, body })).status, 400)
})

test('oidcc-userinfo-get, oidcc-userinfo-post-header, oidcc-userinfo-post-body: the token is taken in each of the three ways', async (t) => {
  const { happy } = await run()
  const { tokens } = await happy({ scope: 'openid email' })
  const authorization = `Bearer ${tokens.access_token}`
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const answers = [
    await request('GET', '/oauth/userinfo', { headers: { authorization } }),
    await request('POST', '/oauth/userinfo', { headers: { authorization, ...form }, body: '' }),
    await request('POST', '/oauth/userinfo', {
      headers: form,
      body: `access_token=${tokens.access_token}`,
    }),
  ]
  for (const { status, headers, body } of answers) {
    t.equal(status, 200)
    t.match(headers.get('content-type'), /^application\/json\b/)
    t.same(body, { sub: person.uid, email: person.mail })
  }
})

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow: no nonce is asked for and none is told', async (t) => {
  const { happy } = await run()
  const { tokens } = await happy({ nonce: undefined })
  t.equal(tokens.claims.nonce, undefined)
})

const profile = {
  ...{ preferred_username: person.uid, name: 'Ada Lovelace', given_name: 'Ada', family_name: 'Lovelace' },
}

test('oidcc-scope-profile, oidcc-scope-email: userinfo holds the claims of the scope', async (t) => {
  const { happy } = await run()
  const ofProfile = await happy({ scope: 'openid profile' })
  t.same(ofProfile.userinfo, { sub: person.uid, ...profile })
  const ofEmail = await happy({ scope: 'openid email' })
  t.same(ofEmail.userinfo, { sub: person.uid, email: person.mail })
  t.equal(ofEmail.tokens.scope, 'openid email')
})

test('oidcc-scope-address, oidcc-scope-phone: neither is offered, so that the suite skips them; asked for all the same they are dropped', async (t) => {
  const { happy, server } = await run()
  t.same(
    server.scopes_supported?.filter((scope) => /address|phone/.test(scope)),
    [],
  )
  for (const scope of ['address', 'phone']) {
    const { tokens, userinfo } = await happy({ scope: `openid ${scope}` })
    t.equal(tokens.scope, 'openid')
    t.same(userinfo, { sub: person.uid })
  }
})

test('oidcc-scope-all, oidcc-ensure-other-scope-order-succeeds, oidcc-alternate-happy-flow: all scopes at once, in any order of scopes and parameters', async (t) => {
  const { happy, asking, go, exchange } = await run()
  const all = { sub: person.uid, ...profile, email: person.mail, groups: [] }
  for (const scope of ['openid profile email address phone groups', 'groups email profile openid'])
    t.same((await happy({ scope })).userinfo, all)
  const asked = asking({ scope: 'email openid' })
  const reordered = new URLSearchParams(Object.entries(asked).reverse())
  const answer = await go('GET', `/oauth/authorize?${reordered}`)
  const params = new URL(String(answer.headers.get('location'))).searchParams
  t.equal((await exchange({ asked, shown: [], params, answer })).claims.sub, person.uid)
})

test('oidcc-codereuse: a code used a second time is invalid_grant', async (t) => {
  const { authorize, exchange } = await run()
  const ending = await authorize()
  await exchange(ending)
  t.match(await refusal(exchange(ending)), spent)
})

test('oidcc-codereuse-30seconds: a code used again later is invalid_grant, and its access token is revoked', async (t) => {
  const { authorize, exchange } = await run()
  const ending = await authorize()
  const { access_token } = await exchange(ending)
  // What comes within 3 s is taken for a race; all that comes later is treated like what comes after 30.
  await pause(3100)
  t.match(await refusal(exchange(ending)), spent)
  t.equal((await userinfo(access_token)).status, 401)
})

test('oidcc-ensure-registered-redirect-uri: another URI is answered with an error page, never with a redirect', async (t) => {
  const { authorize } = await run()
  for (const redirect_uri of [`${callback}/other`, `${callback}?added=1`, 'https://evil.example/']) {
    const { answer, params } = await authorize({ redirect_uri })
    t.equal(params, undefined)
    t.equal(answer.status, 400)
    t.match(answer.headers.get('content-type'), 'text/html')
    t.match(answer.text, 'redirect_uri')
  }
})

test('oidcc-server-client-secret-post: the same client authenticates in the body of the token request', async (t) => {
  const { authorize, exchange, post } = await run()
  t.equal((await exchange(await authorize(), post)).claims.sub, person.uid)
})

test('oidcc-refresh-token: a refreshed ID token is of the same subject and sign-in, and another client’s refresh token is refused', async (t) => {
  const { happy, refresh } = await run()
  const { tokens } = await happy({
    ...{ scope: 'openid offline_access', prompt: 'consent', max_age: '10000' },
  })
  t.match(tokens.scope, 'offline_access')
  const renewed = await refresh(String(tokens.refresh_token))
  t.not(renewed.access_token, tokens.access_token)
  const { iss, sub, aud, auth_time } = tokens.claims
  t.match(renewed.claims, { iss, sub, aud, auth_time })
  t.type(auth_time, 'number')
  t.ok(renewed.claims.iat >= tokens.claims.iat)
  t.equal((await userinfo(renewed.access_token)).status, 200)
  const other = await moduleRun(service, await registerForSuite(register), person)
  t.match(await refusal(other.refresh(String(renewed.refresh_token))), spent)
})

test('oidcc-ensure-request-with-valid-pkce-succeeds: a client that need not use PKCE may, and is then held to it', async (t) => {
  const { authorize, exchange } = await run()
  const { code_verifier, code_challenge } = pkce()
  const changes = { code_challenge, code_challenge_method: 'S256' }
  t.equal((await exchange(await authorize(changes), undefined, code_verifier)).claims.sub, person.uid)
  t.match(await refusal(exchange(await authorize(changes))), spent)
})
