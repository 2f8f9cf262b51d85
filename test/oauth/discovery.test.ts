import { randomBytes } from 'node:crypto'
import tap, { test } from 'tap'
import { claimsByScope } from '#src/oauth/claims.ts'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { keysIn } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService({
  app_oauth__token_lifetime__access_token: '1200',
  app_oauth__token_lifetime__refresh_token: '7200',
})
const { request, login, url } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, tokensFor, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

type Jwks = { keys: Record<string, string>[] }

test('GET /.well-known/openid-configuration advertises issuer, endpoints, scopes, token lifetimes and algorithms', async (t) => {
  for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
    const { status, body, headers } = await request('GET', path)
    t.equal(status, 200)
    t.equal(headers.get('access-control-allow-origin'), '*')
    t.match(body, {
      issuer: url,
      authorization_endpoint: `${url}/oauth/authorize`,
      token_endpoint: `${url}/oauth/token`,
      userinfo_endpoint: `${url}/oauth/userinfo`,
      end_session_endpoint: `${url}/oauth/logout`,
      jwks_uri: `${url}/oauth/jwks`,
      introspection_endpoint: `${url}/oauth/introspect`,
      revocation_endpoint: `${url}/oauth/revoke`,
      pushed_authorization_request_endpoint: `${url}/oauth/par`,
      scopes_supported: ['openid', 'offline_access', 'profile', 'email', 'groups'],
      response_types_supported: ['code'],
      response_modes_supported: ['query', 'form_post'],
      grant_types_supported: ['authorization_code', 'refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['RS256', 'ES256', 'EdDSA'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
      subject_types_supported: ['public'],
      claims_parameter_supported: true,
      dpop_signing_alg_values_supported: ['ES256', 'Ed25519', 'EdDSA'],
      authorization_response_iss_parameter_supported: true,
      access_token_lifetime: 1200,
      refresh_token_lifetime: 7200,
    })
  }
})

test('every endpoint that discovery names is there, and every claim is one of ours', async (t) => {
  const { body } = await request<Record<string, string>>('GET', '/.well-known/openid-configuration')
  const endpoints = Object.entries(body).filter(([name]) => /_(endpoint|uri)$/.test(name))
  t.ok(endpoints.length >= 8)
  for (const [name, at] of endpoints) {
    t.ok(at.startsWith(`${url}/oauth/`), name)
    const answers = [await request('GET', at), await request('POST', at)]
    t.ok(
      answers.some(({ status }) => ![404, 405].includes(status)),
      name,
    )
  }
  t.strictSame(body.claims_supported, Object.values(claimsByScope).flat().concat(['sid', 'auth_time', 'iss']))
  t.notOk(body.request_parameter_supported || body.request_uri_parameter_supported)
})

test('a global override of the token lifetimes exists through configuration', async (t) => {
  t.equal((await tokensFor(await register(), admin)).expires_in, 1200)
})

test('hostile Host and X-Forwarded-* change no address the provider names', async (t) => {
  const headers = {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example',
  }
  for (const path of [
    '/.well-known/openid-configuration',
    '/oauth/authorize?client_id=x',
    '/oauth/userinfo',
  ]) {
    const answer = await request('GET', path, { headers })
    t.notMatch(answer.text, 'evil.example')
    t.notMatch([...answer.headers.values()].join('\n'), 'evil.example')
  }
})

test('the JWKS is public at /oauth/jwks, and shows no private part', async (t) => {
  const { body, headers } = await request<Jwks>('GET', '/oauth/jwks')
  t.match(headers.get('content-type'), /json/)
  t.equal(headers.get('access-control-allow-origin'), '*')
  t.same(
    body.keys.map(({ alg }) => alg),
    ['RS256', 'ES256', 'EdDSA'],
  )
  for (const key of body.keys) {
    t.match(key, { kid: String, use: 'sig' })
    for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) t.notOk(secret in key)
  }
})

test('keys are made once, shared by all pods, sealed in Redis, and void with another signing secret', async (t) => {
  const jwks = async (ask: typeof request) => (await ask<Jwks>('GET', '/oauth/jwks')).text
  const pods = await Promise.all([service.secondPod(), service.secondPod()])
  for (const pod of pods) t.equal(await jwks(pod.request), await jwks(request))
  await Promise.all(pods.map((pod) => pod[Symbol.asyncDispose]()))

  const { redis } = service.deps.store
  const [key = ''] = await keysIn(redis, '*signing-keys*')
  for (const sealed of Object.values(await redis.hgetall(key)))
    t.notMatch(Buffer.from(sealed, 'base64url').toString('latin1'), 'kty')

  const client = await register()
  const { access_token } = await tokensFor(client, admin)
  await using other = await service.secondPod({ app_oauth__jwtSecret: randomBytes(40).toString('base64url') })
  t.not(await jwks(other.request), await jwks(request))
  t.equal(
    (await other.request('GET', '/oauth/userinfo', { headers: { authorization: `Bearer ${access_token}` } }))
      .status,
    401,
  )
  t.equal((await other.request('GET', '/api/user/me', { token: admin })).status, 401)
  t.equal((await userinfo(access_token)).status, 200)
  const again = relyingParty(other, await other.login(service.admin.uid, service.admin.password))
  t.ok(
    (await again.tokensFor(client, await other.login(service.admin.uid, service.admin.password))).id_token,
    'clients survive',
  )
})

test('ten pods that start first at once agree on one set of keys', async (t) => {
  // All ten share the event loop of this test, so that answers seem late.
  const secret = { app_oauth__jwtSecret: randomBytes(40).toString('base64url'), app_redis__timeout: '30000' }
  const pods = await Promise.all(Array.from({ length: 10 }, () => service.secondPod(secret)))
  const sets = await Promise.all(pods.map(async (pod) => (await pod.request('GET', '/oauth/jwks')).text))
  t.equal(new Set(sets).size, 1)
  await Promise.all(pods.map((pod) => pod[Symbol.asyncDispose]()))
})

test('setting oauth.subject to entryUUID gives the directory’s own identifier as sub', async (t) => {
  await using pod = await service.secondPod({ app_oauth__subject: 'entryUUID' })
  const there = relyingParty(pod, admin)
  const client = await there.register()
  const tokens = await there.tokensFor(client, admin)
  const { entryUUID } = (await service.deps.users.find(service.admin.uid)) ?? {}
  t.equal(payloadOf(tokens.id_token).sub, entryUUID)
  t.match((await there.userinfo(tokens.access_token)).body, {
    sub: entryUUID,
    preferred_username: service.admin.uid,
  })
  const { client_id, client_secret } = client
  const introspected = await pod.request('POST', '/oauth/introspect', {
    body: { token: tokens.access_token, client_id, client_secret },
  })
  t.equal(introspected.body.sub, entryUUID)
  const { asked } = there.asking(client, { id_token_hint: tokens.id_token, prompt: 'none' })
  t.match((await there.authorize(asked, admin)).headers.get('location'), /\?code=/)
})
