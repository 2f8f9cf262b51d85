import tap, { test } from 'tap'
import type { Registered } from '#test/support/oauth.ts'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { keysIn } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, asking, authorize, allow, redeem } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())
const html = 'text/html,application/xhtml+xml'

type Pushed = { request_uri: string; expires_in: number; error?: string; name?: string }
const push = ({ client_id, client_secret }: Registered, asked: Record<string, unknown>) =>
  request<Pushed>('POST', '/oauth/par', { body: { ...asked, client_id, client_secret } })

test('POST /oauth/par takes a request as form or JSON, and answers 201 with request_uri and expires_in', async (t) => {
  const client = await register()
  const json = await push(client, asking(client).asked)
  t.match(json, {
    status: 201,
    body: { request_uri: /^urn:ietf:params:oauth:request_uri:[\w-]{43}$/, expires_in: 60 },
  })
  t.match(json.headers.get('cache-control'), 'no-store')
  const form = await request('POST', '/oauth/par', {
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`,
    },
    body: new URLSearchParams(asking(client).asked).toString(),
  })
  t.match(form, { status: 201, body: { request_uri: String } })
  const claims = { id_token: { email: null } }
  t.equal((await push(client, { ...asking(client).asked, claims })).status, 201, 'claims as JSON in JSON')
})

test('a pushed request works in the browser, once', async (t) => {
  const client = await register({ skip_consent: true })
  const { asked, code_verifier } = asking(client, { nonce: 'pushed nonce' })
  const { request_uri } = (await push(client, asked)).body
  const { client_id, redirect_uri } = client
  const answer = await authorize({ client_id, request_uri }, admin, html)
  t.equal(answer.status, 303)
  const target = new URL(String(answer.headers.get('location')))
  t.equal(target.origin + target.pathname, redirect_uri)
  t.equal(target.searchParams.get('state'), asked.state)
  const code = { code: target.searchParams.get('code'), code_verifier, redirect_uri }
  t.match(payloadOf((await redeem(client, code)).body.id_token), { nonce: 'pushed nonce' })
  for (const again of [
    await authorize({ client_id, request_uri }, admin, html),
    await authorize({ client_id, request_uri }, admin),
    await allow({ client_id, request_uri }, admin),
  ]) {
    t.equal(again.status, 400)
    t.equal(again.headers.get('location'), null)
  }
})

test('a pushed request works at POST /api/oauth/authorize, and what stands beside request_uri counts for nothing', async (t) => {
  const client = await register()
  const { asked, code_verifier } = asking(client, { scope: 'openid email' })
  const { request_uri } = (await push(client, asked)).body
  const { client_id, redirect_uri } = client
  const { body, status } = await allow(
    { client_id, request_uri, scope: 'openid groups', state: 'other' },
    admin,
  )
  t.equal(status, 200)
  const target = new URL(String(body.redirect_url))
  t.equal(target.searchParams.get('state'), asked.state)
  const tokens = await redeem(client, { code: target.searchParams.get('code'), code_verifier, redirect_uri })
  t.equal(tokens.body.scope, 'openid email')
})

test('of twenty uses of one request_uri at once exactly one gets a code', async (t) => {
  const client = await register()
  const { client_id } = client
  const { request_uri } = (await push(client, asking(client).asked)).body
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => allow({ client_id, request_uri }, admin)),
  )
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.equal(answers.filter(({ status }) => status === 400).length, 19)
})

test('a request_uri is good for its client only, and for a minute', async (t) => {
  const [client, other] = [await register(), await register()]
  const { request_uri } = (await push(client, asking(client).asked)).body
  t.equal((await allow({ client_id: other.client_id, request_uri }, admin)).status, 400)
  const { redis } = service.deps.store
  const keys = await keysIn(redis, '*pushed-request*')
  for (const key of keys) {
    t.notMatch(key, request_uri.split(':').at(-1) ?? '')
    t.ok((await redis.pttl(key)) <= 60_000)
    t.ok((await redis.pttl(key)) > 0)
  }
  await Promise.all(keys.map((key) => redis.del(key)))
  t.equal((await allow({ client_id: client.client_id, request_uri }, admin)).status, 400, 'expired')
})

test('a pushed request is checked when it is pushed: client, redirect URI, PKCE, scopes', async (t) => {
  const client = await register({ scopes: ['openid', 'email'] })
  const { asked } = asking(client)
  for (const [wrong, error, name] of [
    [{ redirect_uri: 'https://evil.example/cb' }, 'invalid_request', 'InvalidRedirectURI'],
    [{ code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request', 'InvalidInput'],
    [{ code_challenge_method: 'plain' }, 'invalid_request', 'InvalidInput'],
    [{ scope: 'groups' }, 'invalid_scope', 'InvalidInput'],
    [{ response_type: 'token' }, 'unsupported_response_type', 'InvalidInput'],
    [{ resource: 'https://api.example' }, 'invalid_target', 'InvalidInput'],
    [{ request_uri: 'https://evil.example/request' }, 'request_uri_not_supported', 'InvalidInput'],
    [{ request: 'e30.e30.' }, 'request_not_supported', 'InvalidInput'],
    [{ claims: '[' }, 'invalid_request', 'InvalidInput'],
  ] as const)
    t.match(
      await push(client, { ...asked, ...wrong }),
      { status: 400, body: { error, name } },
      JSON.stringify(wrong),
    )
  t.match(await push({ ...client, client_secret: 'wrong' }, asked), {
    status: 401,
    body: { error: 'invalid_client' },
  })
  t.equal((await request('POST', '/oauth/par', { body: asked })).status, 401, 'without the secret')
  for (const body of ['{', '[]', 'null', '"x"'])
    t.equal((await request('POST', '/oauth/par', { body })).status, 400)
  t.equal((await request('GET', '/oauth/par')).status, 405)
})

test('scopes that are not registered are dropped from a pushed request', async (t) => {
  const client = await register({ scopes: ['openid', 'email'] })
  const { asked, code_verifier } = asking(client)
  const { request_uri } = (await push(client, asked)).body
  const { body } = await allow({ client_id: client.client_id, request_uri }, admin)
  const code = new URL(String(body.redirect_url)).searchParams.get('code')
  const tokens = await redeem(client, { code, code_verifier, redirect_uri: client.redirect_uri })
  t.equal(tokens.body.scope, 'openid email')
})

test('a page of the client’s own origin may push its request; no other may', async (t) => {
  const client = await register({ public: true })
  const body = asking(client).asked
  const call = (origin: string) => request('POST', '/oauth/par', { body, headers: { origin } })
  const own = await call('https://app.example')
  t.equal(own.status, 201)
  t.equal(own.headers.get('access-control-allow-origin'), 'https://app.example')
  const foreign = await call('https://evil.example')
  t.equal(foreign.status, 400)
  t.equal(foreign.headers.get('access-control-allow-origin'), null)
  const before = await request('OPTIONS', '/oauth/par', {
    headers: {
      ...{ origin: 'https://app.example', 'access-control-request-method': 'POST' },
      'access-control-request-headers': 'dpop,content-type',
    },
  })
  t.equal(before.status, 204)
  t.match(before.headers.get('access-control-allow-headers'), /dpop/)
})

test('pushing costs two round trips to Redis', async (t) => {
  const client = await register()
  await push(client, asking(client).asked)
  const before = (await service.roundTrips()).redis
  t.equal((await push(client, asking(client).asked)).status, 201)
  t.equal((await service.roundTrips()).redis - before, 2, 'the client, the request')
})
