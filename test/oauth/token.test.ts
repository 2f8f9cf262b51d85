import tap, { test } from 'tap'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, codeFor, token, redeem } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const form = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  request('POST', '/oauth/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  })

test('POST /oauth/token answers access_token, token_type Bearer, expires_in, refresh_token, id_token', async (t) => {
  const client = await register()
  const answer = await redeem(client, await codeFor(client, admin))
  t.equal(answer.status, 200)
  t.match(answer.body, { access_token: uuid, refresh_token: uuid, token_type: 'Bearer', expires_in: 3600 })
  t.equal(answer.headers.get('cache-control'), 'no-store')
  const { iss, aud, sub, exp, iat } = payloadOf(answer.body.id_token)
  t.match({ iss, aud, sub }, { iss: service.url, aud: client.client_id, sub: service.admin.uid })
  t.equal(Number(exp) - Number(iat), 3600)
})

test('the client authenticates in the body or with HTTP Basic, as form or JSON', async (t) => {
  const client = await register()
  const { client_id, client_secret } = client
  const basic = `Basic ${btoa(`${client_id}:${client_secret}`)}`
  const grant_type = 'authorization_code'
  const code = () => codeFor(client, admin)
  t.equal((await form({ grant_type, client_id, client_secret, ...(await code()) })).status, 200, 'form, body')
  t.equal(
    (await form({ grant_type, ...(await code()) }, { authorization: basic })).status,
    200,
    'form, Basic',
  )
  t.equal((await token(client, { grant_type, ...(await code()) })).status, 200, 'JSON, body')
  const json = { headers: { authorization: basic }, body: { grant_type, ...(await code()) } }
  t.equal((await request('POST', '/oauth/token', json)).status, 200, 'JSON, Basic')
})

test('errors of the token endpoint carry error, error_description, name and message', async (t) => {
  const client = await register()
  const { client_id } = client
  const code = await codeFor(client, admin)
  const wrong = await redeem({ ...client, client_secret: 'wrong' }, code)
  t.equal(wrong.status, 401)
  t.match(wrong.body, {
    error: 'invalid_client',
    error_description: String,
    name: 'Unauthorized',
    message: String,
  })
  t.match(
    await form(
      { grant_type: 'authorization_code', ...code },
      { authorization: `Basic ${btoa(`${client_id}:wrong`)}` },
    ),
    { status: 401, body: { error: 'invalid_client' } },
  )
  const cases: [Record<string, unknown>, string][] = [
    [
      { grant_type: 'authorization_code', code: 'nonsense', redirect_uri: client.redirect_uri },
      'invalid_grant',
    ],
    [{ grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
    [{}, 'invalid_request'],
    [{ grant_type: 'authorization_code' }, 'invalid_request'],
    [{ grant_type: ['authorization_code', 'refresh_token'] }, 'invalid_request'],
    [{ grant_type: { $ne: 1 } }, 'invalid_request'],
  ]
  for (const [body, error] of cases)
    t.match(
      await token(client, body, { asJson: true }),
      { status: 400, body: { error, error_description: String, name: 'InvalidInput', message: String } },
      JSON.stringify(body),
    )
  t.equal((await redeem(client, code)).status, 200, 'none of it spent the code')
})

test('bodies that are no JSON object never give a 5xx', async (t) => {
  for (const body of [
    '{',
    '[]',
    '1',
    'null',
    '"x"',
    '[[[[]]]]',
    '{"__proto__":{"a":1}}',
    `{"code":"${'x'.repeat(200_000)}"}`,
  ]) {
    const answer = await request('POST', '/oauth/token', { body })
    t.ok(answer.status >= 400 && answer.status < 500, `${body.slice(0, 30)} ${answer.status}`)
    t.match(answer.body, { error: String, name: String, message: String })
  }
  const xml = { headers: { 'content-type': 'text/xml' }, body: '<a/>' }
  t.match(await request('POST', '/oauth/token', xml), { status: 400, body: { error: 'invalid_request' } })
  t.match(await request('GET', '/oauth/token'), { status: 405, body: { name: 'MethodNotAllowed' } })
  t.match(await request('GET', '/oauth/nothing'), { status: 404, body: { name: 'NotFound' } })
})

test('attack 24: a code is good for its client and redirect URI only', async (t) => {
  const redirect_uris = ['https://app.example/cb', 'https://app.example/other']
  const client = await register({ redirect_uris })
  const other = await register({ redirect_uris })
  const code = await codeFor(client, admin)
  t.match(await redeem(other, code), { status: 400, body: { error: 'invalid_grant' } })
  t.match(await redeem(client, { ...code, redirect_uri: redirect_uris[1] }), {
    status: 400,
    body: { error: 'invalid_grant' },
  })
  const { redirect_uri: _, ...without } = code
  t.match(await redeem(client, without), { status: 400, body: { error: 'invalid_request' } })
  t.equal((await redeem(client, code)).status, 200)
})

test('a public client has no secret, and its PKCE is always required', async (t) => {
  const redirect_uri = 'http://127.0.0.1/cb'
  const made = await request('POST', '/api/oauth/client/', {
    token: admin,
    body: { name: 'Command line', public: true, require_pkce: false, redirect_uris: [redirect_uri] },
  })
  t.notOk('client_secret' in made.body)
  const { client_id } = made.body.results as { client_id: string }
  const client = { client_id, client_secret: '', redirect_uri: 'http://127.0.0.1:41234/cb' }
  const code = await codeFor(client, admin)
  const answer = await request('POST', '/oauth/token', {
    body: { grant_type: 'authorization_code', client_id, ...code },
  })
  t.equal(answer.status, 200)
  await t.rejects(
    codeFor(client, admin, { code_challenge: undefined, code_challenge_method: undefined }),
    /PKCE/,
  )
})

test('round trips to Redis: four to redeem a code, four to refresh', async (t) => {
  const client = await register()
  const named = { client_id: client.client_id, client_secret: client.client_secret }
  const counted = async (fields: Record<string, string>) => {
    const before = (await service.roundTrips()).redis
    const { body, status } = await form({ ...fields, ...named })
    t.equal(status, 200)
    return { refresh_token: String(body.refresh_token), trips: (await service.roundTrips()).redis - before }
  }
  const code = await codeFor(client, admin)
  const first = await counted({ grant_type: 'authorization_code', ...(code as Record<string, string>) })
  const { refresh_token } = await counted({ grant_type: 'refresh_token', refresh_token: first.refresh_token })
  const again = await counted({ grant_type: 'refresh_token', refresh_token })
  t.equal(first.trips, 4, 'client and code, grant and session, what is given, use')
  t.equal(again.trips, 4, 'client and token, grant, what is given, use')
})
