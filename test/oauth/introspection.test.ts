import tap, { test } from 'tap'
import type { Registered } from '#test/support/oauth.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, token, tokensFor } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const introspect = async ({ client_id, client_secret }: Registered, value: string) =>
  (await request('POST', '/oauth/introspect', { body: { token: value, client_id, client_secret } })).body
const change = (client: Registered, body: Record<string, unknown>) =>
  request('PUT', `/api/oauth/client/${client.client_id}`, { token: admin, body })
const scopes = ['openid', 'profile', 'email', 'printing:read', 'printing:write']
const machineFields = { redirect_uris: [], grant_types: ['client_credentials'] }

test('a client may introspect its own tokens: access, refresh and client credentials', async (t) => {
  const { uid, token: person } = await newUser(admin)
  const client = await register({ scopes })
  const { client_id } = client
  const given = await tokensFor(client, person, { scope: 'openid printing:read' })
  const expected = { active: true, client_id, sub: uid, iss: service.url, exp: Number, iat: Number }
  t.match(await introspect(client, given.access_token), {
    ...expected,
    ...{ token_type: 'Bearer', scope: 'openid printing:read' },
  })
  t.match(await introspect(client, given.refresh_token), expected)
  const machine = await register({ scopes, ...machineFields })
  const { access_token } = (await token(machine, { grant_type: 'client_credentials' })).body
  const own = await introspect(machine, access_token)
  t.match(own, {
    active: true,
    client_id: machine.client_id,
    scope: 'profile email printing:read printing:write',
  })
  t.notOk('sub' in own)
})

test('a resource server learns of access tokens with a scope of its own, and of the shared scopes only', async (t) => {
  const { uid, token: person } = await newUser(admin)
  const client = await register({ scopes })
  const server = await register({ scopes: ['openid', 'email', 'printing:read'], ...machineFields })
  const { access_token, refresh_token } = await tokensFor(client, person, {
    scope: 'openid email printing:read printing:write',
  })
  const { client_id } = client
  t.match(await introspect(server, access_token), {
    active: true,
    client_id,
    sub: uid,
    scope: /^printing:read$/,
  })
  t.same(await introspect(server, refresh_token), { active: false }, 'not of refresh tokens')
  const plain = await tokensFor(client, person, { scope: 'openid email' })
  t.same(
    await introspect(server, plain.access_token),
    { active: false },
    'scopes with claims are everybody’s',
  )
  const machine = await register({ scopes, ...machineFields })
  const given = await token(machine, { grant_type: 'client_credentials', scope: 'printing:read' })
  t.match(await introspect(server, given.body.access_token), { active: true, client_id: machine.client_id })
})

test('nobody else may: not a client without a shared scope, not a public client, not without the secret', async (t) => {
  const client = await register({ scopes })
  const { access_token } = await tokensFor(client, admin, { scope: 'openid printing:read' })
  t.same(await introspect(await register(), access_token), { active: false })
  const open = await register({ scopes, public: true })
  t.same(
    (await request('POST', '/oauth/introspect', { body: { token: access_token, client_id: open.client_id } }))
      .body,
    { active: false },
  )
  const wrong = { token: access_token, client_id: client.client_id, client_secret: 'wrong' }
  t.match(await request('POST', '/oauth/introspect', { body: wrong }), {
    status: 401,
    body: { error: 'invalid_client' },
  })
  t.same(await introspect(client, 'nonsense'), { active: false })
})

test('attack 26: a resource server too is told within a second what no longer stands', async (t) => {
  const ends = {
    'the client is invalid': (client: Registered) => change(client, { is_valid: false }),
    'its scope is no longer registered': (client: Registered) => change(client, { scopes: ['openid'] }),
    'it has an allowed group now': (client: Registered) =>
      change(client, { allowed_groups: ['app_sso_invite'] }),
    'the person is locked': (_client: Registered, uid: string) =>
      request('PUT', `/api/user/${uid}/active`, { token: admin, body: { active: false } }),
  }
  const server = await register({ scopes: ['printing:read'], ...machineFields })
  for (const [name, end] of Object.entries(ends)) {
    const { uid, token: person } = await newUser(admin)
    const client = await register({ scopes })
    const { access_token } = await tokensFor(client, person, { scope: 'openid printing:read' })
    t.match(await introspect(server, access_token), { active: true })
    t.equal((await end(client, uid)).status, 200)
    await pause(1000)
    t.same(await introspect(server, access_token), { active: false }, name)
  }
})

test('a client that may no longer have tokens of its own has none', async (t) => {
  const client = await register({ grant_types: ['authorization_code', 'client_credentials'] })
  const { access_token } = (await token(client, { grant_type: 'client_credentials' })).body
  t.match(await introspect(client, access_token), { active: true })
  await change(client, { grant_types: ['authorization_code'] })
  t.same(await introspect(client, access_token), { active: false })
})
