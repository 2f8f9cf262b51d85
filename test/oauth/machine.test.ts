import tap, { test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { keysIn } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, token, userinfo, authorize, allow, asking } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const machine = (fields: Record<string, unknown> = {}) =>
  register({
    name: 'Machine',
    redirect_uris: [],
    grant_types: ['client_credentials'],
    scopes: ['openid', 'offline_access', 'profile', 'printing:read', 'printing:write'],
    ...fields,
  })
const ask = (client: Awaited<ReturnType<typeof machine>>, more: Record<string, unknown> = {}) =>
  token(client, { grant_type: 'client_credentials', ...more })

test('client credentials give a client a Bearer token of its own: a UUID, no refresh token, no ID token', async (t) => {
  const client = await machine()
  const { status, body, headers } = await ask(client)
  t.equal(status, 200)
  t.same(Object.keys(body).sort(), ['access_token', 'expires_in', 'scope', 'token_type'])
  t.match(body, { access_token: uuid, token_type: 'Bearer', expires_in: 3600 })
  t.equal(headers.get('cache-control'), 'no-store')
  const basic = `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`
  const form = await request('POST', '/oauth/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', authorization: basic },
    body: 'grant_type=client_credentials&scope=printing%3Aread',
  })
  t.match(form, { status: 200, body: { scope: 'printing:read' } })
})

test('client credentials give registered scopes only, and none of a person’s sign-in', async (t) => {
  const client = await machine()
  const scope = async (asked?: string) =>
    (await ask(client, asked === undefined ? {} : { scope: asked })).body.scope
  t.equal(await scope(), 'profile printing:read printing:write', 'without any its own are meant')
  t.equal(await scope('printing:read'), 'printing:read')
  t.equal(await scope('printing:read admin openid offline_access'), 'printing:read', 'others are dropped')
  const other = await machine({ scopes: ['admin'] })
  t.equal((await ask(other)).body.scope, 'admin', 'what one client registered is no other’s')
  for (const nothing of ['admin', 'openid', 'offline_access openid'])
    t.match(await ask(client, { scope: nothing }), {
      status: 400,
      body: { error: 'invalid_scope', name: 'InvalidInput' },
    })
  t.notOk('scope' in (await ask(await machine({ scopes: ['openid'] }))).body)
})

test('only a client that was registered for it gets tokens of its own, and only with its secret', async (t) => {
  t.match(await ask(await register()), { status: 400, body: { error: 'unauthorized_client' } })
  const client = await machine()
  t.match(await ask({ ...client, client_secret: 'wrong' }), {
    status: 401,
    body: { error: 'invalid_client' },
  })
  const both = await machine({
    redirect_uris: ['https://app.example/cb'],
    grant_types: ['authorization_code', 'client_credentials'],
  })
  t.equal((await ask(both)).status, 200)
  t.equal((await allow(asking(both, { scope: 'openid' }).asked, admin)).status, 200)
  await request('PUT', `/api/oauth/client/${client.client_id}`, { token: admin, body: { is_valid: false } })
  t.match(await ask(client), { status: 401, body: { error: 'invalid_client' } })
})

test('a client without authorization_code signs nobody in', async (t) => {
  const client = await machine({ redirect_uris: ['https://app.example/cb'] })
  const { asked } = asking(client, { scope: 'openid' })
  t.match(await allow(asked, admin), {
    status: 400,
    body: { name: 'InvalidInput', message: /^unauthorized_client/ },
  })
  const { headers } = await authorize(asked, admin)
  const { origin, searchParams } = new URL(String(headers.get('location')))
  t.equal(origin, 'https://app.example')
  t.match(Object.fromEntries(searchParams), { error: 'unauthorized_client', state: asked.state })
  const refused = { status: 400, body: { error: 'unauthorized_client', name: 'InvalidInput' } }
  const { client_id, client_secret } = client
  const post = (path: string, body: object) =>
    request('POST', path, { body: { ...body, client_id, client_secret } })
  t.match(await post('/oauth/par', asked), refused)
  t.match(await post('/oauth/device/authorize', { scope: 'openid' }), refused)
  for (const used of [
    { grant_type: 'refresh_token', refresh_token: 'x' },
    { grant_type: 'authorization_code', code: 'x', redirect_uri: asked.redirect_uri },
    { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x' },
  ])
    t.match(await token(client, used), refused, used.grant_type)
})

test('lifetimes of a client’s own tokens are the client’s', async (t) => {
  const client = await machine({ token_lifetime: { access_token: 77 } })
  t.equal((await ask(client)).body.expires_in, 77)
})

test('userinfo refuses a token that stands for no person', async (t) => {
  const { access_token } = (await ask(await machine({ scopes: ['openid', 'profile'] }))).body
  t.match(await userinfo(access_token), {
    status: 401,
    body: { error: 'invalid_token', name: 'Unauthorized' },
  })
  const posted = await request('POST', '/oauth/userinfo', {
    headers: { authorization: `Bearer ${access_token}` },
  })
  t.equal(posted.status, 401)
})

test('a client may revoke its own tokens', async (t) => {
  const client = await machine()
  const { client_id, client_secret } = client
  const { access_token } = (await ask(client)).body
  const introspect = async () =>
    (await request('POST', '/oauth/introspect', { body: { token: access_token, client_id, client_secret } }))
      .body
  t.match(await introspect(), { active: true, client_id, token_type: 'Bearer' })
  const other = await machine()
  const revoke = (by: typeof client) =>
    request('POST', '/oauth/revoke', {
      body: { token: access_token, client_id: by.client_id, client_secret: by.client_secret },
    })
  await revoke(other)
  t.match(await introspect(), { active: true }, 'and no other’s')
  t.equal((await revoke(client)).status, 200)
  t.same(await introspect(), { active: false })
})

test('a token of client credentials lies in Redis as a hash only, until it ends, and costs two round trips', async (t) => {
  const client = await machine({ token_lifetime: { access_token: 50 } })
  await ask(client)
  const before = (await service.roundTrips()).redis
  const { access_token } = (await ask(client)).body
  t.equal((await service.roundTrips()).redis - before, 2, 'the client, the token')
  const { redis } = service.deps.store
  const keys = await keysIn(redis, '*client-token*')
  for (const key of keys) {
    t.notMatch(`${key} ${await redis.get(key)}`, access_token)
    t.ok((await redis.ttl(key)) > 0)
  }
  t.ok(keys.length >= 2)
})

test('a plain request for a client’s own token and one with an Origin, which goes through the library, are answered alike', async (t) => {
  const client = await machine({
    redirect_uris: ['https://app.example/cb'],
    grant_types: ['authorization_code', 'client_credentials'],
  })
  const basic = `Basic ${btoa(`${client.client_id}:${client.client_secret}`)}`
  const padded = basic.endsWith('=') ? `${basic}=` : `${basic}==`
  const form = (body: string, headers: Record<string, string> = {}) =>
    request('POST', '/oauth/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body,
    })
  const inForm = `client_id=${client.client_id}&client_secret=${client.client_secret}`
  const grant = 'grant_type=client_credentials'
  const asked: [body: string, headers?: Record<string, string>][] = [
    [grant, { authorization: basic }],
    [`${grant}&scope=printing:read+profile+admin`, { authorization: basic }],
    [`scope=printing%3Aread%20nothing&${grant}&${inForm}`],
    [`${grant}&client_id=${client.client_id}`, { authorization: basic }],
    // Refused on both ways.
    [`${grant}&scope=admin`, { authorization: basic }],
    [`${grant}&${grant}`, { authorization: basic }],
    [`${grant}&client_id=another`, { authorization: basic }],
    [`${grant}&${inForm}`, { authorization: basic }],
    [`${grant}&client_id=${client.client_id}`],
    [`${grant}&client_id=${client.client_id}&client_secret=wrong`],
    [grant, { authorization: `${basic}x` }],
    [grant, { authorization: `Basic ${btoa(`${client.client_id}:`)}` }],
    [`${grant}&scope=`, { authorization: basic }],
    [`${grant}&scope=a"b`, { authorization: basic }],
    [`${grant}&scope=printing:read++profile`, { authorization: basic }],
    [`${grant}&scope=+profile`, { authorization: basic }],
    [grant, { authorization: padded }],
    [grant, { authorization: basic, 'oauth-client-attestation': 'x' }],
    [grant, { authorization: basic, dpop: 'x' }],
  ]
  for (const [body, headers] of asked) {
    const [plain, through] = await Promise.all([
      form(body, headers),
      form(body, { ...headers, origin: 'https://app.example' }),
    ])
    const shown = ({ status, body, headers }: typeof plain) => ({
      status,
      body: { ...body, access_token: uuid.test(String(body.access_token)), at: undefined },
      ...Object.fromEntries(
        ['cache-control', 'content-type', 'vary', 'x-content-type-options'].map((name) => [
          name,
          headers.get(name),
        ]),
      ),
    })
    t.same(shown(plain), shown(through), body)
  }
  const other = { resource: 'https://api.example', audience: 'x', unknown: 'x' }
  t.equal(
    (await form(`${grant}&${new URLSearchParams(other)}`, { authorization: basic })).status,
    200,
    'what nobody knows is ignored',
  )
})

test('the plain way asks all that the library asks: the grant, the secret and the validity of now, a known origin, no proof', async (t) => {
  const client = await machine({
    redirect_uris: ['https://app.example/cb'],
    grant_types: ['authorization_code', 'client_credentials'],
  })
  const path = `/api/oauth/client/${client.client_id}`
  const form = ({ client_id, client_secret } = client, headers: Record<string, string> = {}) =>
    request('POST', '/oauth/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
      body: new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString(),
    })
  const change = (body: object) => request('PUT', path, { token: admin, body })
  t.equal((await form()).status, 200)
  const before = (await service.roundTrips()).redis
  t.equal((await form()).status, 200)
  t.equal((await service.roundTrips()).redis - before, 2, 'its record is read each time')
  t.match(await form(client, { origin: 'https://evil.example' }), { status: 400 })
  t.match(await form(client, { dpop: 'no proof' }), { status: 400, body: { error: 'invalid_dpop_proof' } })

  await change({ grant_types: ['authorization_code'] })
  t.match(await form(), { status: 400, body: { error: 'unauthorized_client' } })
  await change({ grant_types: ['authorization_code', 'client_credentials'], is_valid: false })
  t.match(await form(), { status: 401, body: { error: 'invalid_client' } })
  await change({ is_valid: true })
  const { body } = await request('POST', `${path}/rotate`, { token: admin })
  t.match(await form(), { status: 401, body: { error: 'invalid_client' } })
  t.equal((await form({ ...client, client_secret: String(body.client_secret) })).status, 200)
})
