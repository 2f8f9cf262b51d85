import tap, { test } from 'tap'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, refresh, tokensFor, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

const _uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const _form = (fields: Record<string, string>, headers: Record<string, string> = {}) =>
  request('POST', '/oauth/token', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    body: new URLSearchParams(fields).toString(),
  })
const _count = (answers: { status: number }[], status: number) =>
  answers.filter((each) => each.status === status).length

test('attack 26: a deactivated user, a lost group, an invalid client: refresh, userinfo and introspection stop within a second', async (t) => {
  const group = 'attack26'
  await request('POST', '/api/group/', { token: admin, body: { name: group, description: '' } })
  const ends = {
    'deactivated user': (uid: string) =>
      request('PUT', `/api/user/${uid}/active`, { token: admin, body: { active: false } }),
    'user locked by another program': async (uid: string) => {
      await service.deps.users.setActive(uid, false)
      return { status: 200 }
    },
    'lost group': (uid: string) => request('DELETE', `/api/group/${group}/${uid}`, { token: admin }),
    'invalid client': (_uid: string, client_id: string) =>
      request('PUT', `/api/oauth/client/${client_id}`, { token: admin, body: { is_valid: false } }),
  }
  for (const [name, end] of Object.entries(ends)) {
    const { uid, token: userToken } = await newUser(admin)
    await request('PUT', `/api/group/${group}/${uid}`, { token: admin })
    const client = await register({ allowed_groups: [group] })
    const { client_id, client_secret } = client
    const { access_token, refresh_token } = await tokensFor(client, userToken)
    const introspect = () =>
      request('POST', '/oauth/introspect', { body: { token: access_token, client_id, client_secret } })
    t.equal((await userinfo(access_token)).status, 200)
    t.match((await introspect()).body, { active: true, sub: uid })
    t.equal((await end(uid, client_id)).status, 200, name)
    await pause(1000)
    t.equal((await userinfo(access_token)).status, 401, `${name}: userinfo`)
    t.ok([400, 401].includes((await refresh(client, refresh_token)).status), `${name}: refresh`)
    t.notMatch((await introspect()).body, { active: true }, `${name}: introspection`)
  }
})

test('scopes that are no longer registered are no longer told', async (t) => {
  const client = await register()
  const { access_token, refresh_token } = await tokensFor(client, admin)
  await request('PUT', `/api/oauth/client/${client.client_id}`, {
    token: admin,
    body: { scopes: ['openid', 'profile'] },
  })
  const { body } = await userinfo(access_token)
  t.ok('name' in body)
  t.notOk('email' in body || 'groups' in body)
  const next = await refresh(client, refresh_token)
  t.same(next.body.scope.split(' ').sort(), ['openid', 'profile'])
  t.notOk('email' in payloadOf(next.body.id_token))
})

test('a token without openid gives no ID token, and userinfo refuses it with 403 insufficient_scope', async (t) => {
  const client = await register()
  const tokens = await tokensFor(client, admin, { scope: 'profile email' })
  t.equal(tokens.id_token, undefined)
  const answer = await userinfo(tokens.access_token)
  t.match(answer, { status: 403, body: { error: 'insufficient_scope', name: 'InsufficientPermission' } })
})

test('userinfo without a token is 401 with WWW-Authenticate: Bearer', async (t) => {
  for (const headers of [
    {},
    { authorization: 'Bearer nonsense' },
    { authorization: 'Bearer ' },
    { authorization: 'Basic eDp5' },
  ] as Record<string, string>[]) {
    const answer = await request('GET', '/oauth/userinfo', { headers })
    t.ok([400, 401].includes(answer.status))
    t.match(answer.body, { error: String, error_description: String, name: String, message: String })
  }
  const answer = await request('GET', '/oauth/userinfo')
  t.equal(answer.status, 401)
  t.match(answer.headers.get('www-authenticate'), /^Bearer /)
  t.match(answer.body, { name: 'Unauthorized' })
})

test('userinfo claims vary by the scopes granted', async (t) => {
  const { uid, mail, token: userToken } = await newUser(admin, { givenName: 'Ada', sn: 'Lovelace' })
  const client = await register()
  const claims = async (scope: string) =>
    (await userinfo((await tokensFor(client, userToken, { scope })).access_token)).body
  t.same(await claims('openid'), { sub: uid })
  t.same(await claims('openid profile'), {
    ...{
      sub: uid,
      preferred_username: uid,
      name: 'Ada Lovelace',
      given_name: 'Ada',
      family_name: 'Lovelace',
    },
  })
  t.same(await claims('openid email'), { sub: uid, email: mail })
  t.same(await claims('openid groups'), { sub: uid, groups: [] })
  await service.deps.store.verification.confirm(uid, 'mail', mail)
  await pause(1000)
  t.same(await claims('openid email'), { sub: uid, email: mail, email_verified: true })
})

test('userinfo answers the same whichever way it goes: plain, with an Origin, by POST', async (t) => {
  const { token: userToken } = await newUser(admin)
  for (const [fields, scope] of [
    [{}, 'openid profile email groups'],
    [{}, 'openid email'],
    [{ scopes: ['openid', 'groups'], groups_claim: ['none-*'] }, 'openid profile groups'],
    [{ groups_in_id_token: false }, 'openid groups'],
  ] as const) {
    const { access_token } = await tokensFor(await register(fields), userToken, { scope })
    const authorization = `Bearer ${access_token}`
    const plain = await userinfo(access_token)
    const viaLibrary = [
      await request('GET', '/oauth/userinfo', { headers: { authorization, origin: 'https://app.example' } }),
      await request('POST', '/oauth/userinfo', { headers: { authorization } }),
      await request('GET', '/oauth/userinfo?x=1', { headers: { authorization } }),
    ]
    t.equal(plain.status, 200)
    t.equal(plain.headers.get('cache-control'), 'no-store')
    for (const { status, body, headers } of viaLibrary) {
      t.equal(status, 200)
      t.same(body, plain.body)
      t.equal(headers.get('content-type'), plain.headers.get('content-type'))
    }
  }
})

test('groups is the list of cn of all groups the user is effectively in, as far as groups_claim tells', async (t) => {
  const { uid, token: userToken } = await newUser(admin)
  for (const name of ['team-a', 'team-b', 'all-staff'])
    await request('POST', '/api/group/', { token: admin, body: { name, description: '' } })
  await request('PUT', `/api/group/team-a/${uid}`, { token: admin })
  await request('PUT', '/api/group/all-staff/nested/team-a', { token: admin })
  const groups = async (fields: Record<string, unknown>) => {
    const client = await register(fields)
    const { id_token, access_token } = await tokensFor(client, userToken)
    const { body } = await userinfo(access_token)
    return [payloadOf(id_token).groups, body.groups].map((each) => (each as string[] | undefined)?.sort())
  }
  const all = ['all-staff', 'team-a']
  t.same(await groups({}), [all, all])
  t.same(await groups({ groups_claim: 'allowed', allowed_groups: ['all-staff'] }), [
    ['all-staff'],
    ['all-staff'],
  ])
  t.same(await groups({ groups_claim: ['team-*'] }), [['team-a'], ['team-a']])
  t.same(await groups({ groups_in_id_token: false }), [undefined, all])
})

test('ES256 and EdDSA sign for clients that ask for them', async (t) => {
  for (const alg of ['ES256', 'EdDSA', 'RS256']) {
    const { id_token } = await tokensFor(await register({ id_token_signed_response_alg: alg }), admin)
    t.equal(JSON.parse(Buffer.from(id_token.split('.')[0] as string, 'base64url').toString()).alg, alg)
  }
})

test('a page of the client’s own origin may call the token endpoint and userinfo; no other may', async (t) => {
  const client = await register({ redirect_uris: ['https://app.example/cb', 'https://*.apps.example/cb'] })
  const { access_token } = await tokensFor(client, admin)
  const call = (origin: string) =>
    request('GET', '/oauth/userinfo', { headers: { authorization: `Bearer ${access_token}`, origin } })
  for (const origin of ['https://app.example', 'https://one.apps.example'])
    t.equal((await call(origin)).headers.get('access-control-allow-origin'), origin)
  for (const origin of ['https://evil.example', 'https://a.b.apps.example', 'null']) {
    const answer = await call(origin)
    t.equal(answer.headers.get('access-control-allow-origin'), null, origin)
    t.equal(answer.status, 400)
  }
})
