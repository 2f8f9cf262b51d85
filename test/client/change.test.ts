import tap, { test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, codeFor, redeem, tokensFor, refresh, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

const base = '/api/oauth/client/'
const _make = (body: unknown, token = admin) => request('POST', base, { token, body })
const get = (id: string) => request('GET', base + id, { token: admin })
const put = (id: string, body: unknown) => request('PUT', base + id, { token: admin, body })
const _uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('PUT changes any subset and leaves the rest', async (t) => {
  const { client_id } = await register({
    description: 'first',
    allowed_groups: ['a'],
    logo_uri: 'https://app.example/logo.svg',
  })
  const before = (await get(client_id)).body.results as Record<string, unknown>
  const cases: [string, unknown][] = [
    ['name', 'Renamed'],
    ['description', 'second'],
    ['redirect_uris', ['https://new.example/cb']],
    ['scopes', ['openid']],
    ['allowed_groups', []],
    ['token_lifetime', { access_token: 60, refresh_token: 600 }],
    ['is_valid', false],
    ['require_pkce', false],
    ['skip_consent', true],
    ['post_logout_redirect_uris', ['https://new.example/bye']],
    ['backchannel_logout_uri', 'https://new.example/logout'],
    ['id_token_signed_response_alg', 'ES256'],
    ['grant_types', ['authorization_code']],
    ['grant_types', ['authorization_code', 'refresh_token', 'client_credentials']],
    ['logo_uri', 'https://new.example/logo.svg'],
    ['groups_claim', ['team-*']],
    ['groups_in_id_token', false],
  ]
  const expected = { ...before }
  for (const [field, value] of cases) {
    expected[field] = value
    const { status, body } = await put(client_id, { [field]: value })
    t.equal(status, 200, field)
    expected.updated_on = (body.results as { updated_on: number }).updated_on
    t.ok(Number(expected.updated_on) > Number(before.updated_on))
    t.same(body.results, expected)
    t.type(body.message, 'string')
    t.same((await get(client_id)).body.results, expected, 'and stays so')
  }
  const { logo_uri: _, backchannel_logout_uri: __, updated_on: ___, ...rest } = expected
  const cleared = (await put(client_id, { logo_uri: null, backchannel_logout_uri: null })).body.results
  t.same(cleared, { ...rest, updated_on: (cleared as { updated_on: number }).updated_on })
  const { token_lifetime } = (await put(client_id, { token_lifetime: { access_token: 90 } })).body
    .results as Record<string, unknown>
  t.same(token_lifetime, { access_token: 90, refresh_token: 2592000 }, 'in part: the default for the rest')
})

test('a change is refused with Conflict when the client was changed after what it was made from', async (t) => {
  const { client_id } = await register()
  const read = (await get(client_id)).body.results as { updated_on: number; updated_by: string }
  t.equal(read.updated_by, service.admin.uid)
  const given = (after: number, body: object) =>
    request('PUT', `${base}${client_id}?unless_after=${after}`, { token: admin, body })
  const first = await given(read.updated_on, { name: 'First' })
  t.equal(first.status, 200)
  const { updated_on } = first.body.results as { updated_on: number }
  t.ok(updated_on > read.updated_on)
  t.match(await given(read.updated_on, { name: 'Second' }), { status: 409, body: { name: 'Conflict' } })
  t.match((await get(client_id)).body.results, { name: 'First', updated_on })
  const racing = await Promise.all(['a', 'b', 'c', 'd'].map((name) => given(updated_on, { name })))
  t.same(racing.map(({ status }) => status).sort(), [200, 409, 409, 409], 'of several at once one is made')
  t.equal((await put(client_id, { description: 'Whatever came before' })).status, 200)
})

test('parallel changes of different fields are all kept', async (t) => {
  const { client_id } = await register()
  const changes = [
    { name: 'N' },
    { description: 'D' },
    { scopes: ['openid'] },
    { skip_consent: true },
    { allowed_groups: ['g'] },
  ]
  for (const { status } of await Promise.all(changes.map((change) => put(client_id, change))))
    t.equal(status, 200)
  t.match((await get(client_id)).body.results, Object.assign({}, ...changes))
})

test('rotate answers a new raw secret, and the old one is invalid at once, on every pod', async (t) => {
  const client = await register()
  await using pod = await service.secondPod()
  const there = relyingParty(pod, admin)
  await redeem(client, await codeFor(client, admin))
  await there.redeem(client, await there.codeFor(client, admin))
  for (let round = 0; round < 5; round++) {
    const { status, body } = await request('POST', `${base}${client.client_id}/rotate`, { token: admin })
    t.equal(status, 200)
    t.match(body, { client_secret: /^[\w-]{43}$/, message: String })
    const renewed = { ...client, client_secret: String(body.client_secret) }
    const code = await codeFor(client, admin)
    t.match(await there.redeem(client, code), { status: 401, body: { error: 'invalid_client' } })
    t.match(await redeem(client, code), { status: 401, body: { error: 'invalid_client' } })
    t.equal((await there.redeem(renewed, code)).status, 200)
    client.client_secret = renewed.client_secret
  }
})

test('is_valid false refuses the client and its tokens at once; true lets them live again', async (t) => {
  const client = await register()
  const { access_token, refresh_token } = await tokensFor(client, admin)
  await put(client.client_id, { is_valid: false })
  t.equal((await userinfo(access_token)).status, 401)
  t.match(await refresh(client, refresh_token), { status: 401, body: { error: 'invalid_client' } })
  await put(client.client_id, { is_valid: true })
  t.equal((await userinfo(access_token)).status, 200)
  t.equal((await refresh(client, refresh_token)).status, 200)
})

test('DELETE removes the client and its tokens', async (t) => {
  const client = await register()
  const { access_token } = await tokensFor(client, admin)
  const { status, body } = await request('DELETE', base + client.client_id, { token: admin })
  t.equal(status, 200)
  t.match(body, { client_id: client.client_id, message: String })
  t.equal((await get(client.client_id)).status, 404)
  t.equal((await userinfo(access_token)).status, 401)
  const list = await request<{ results: { client_id: string }[] }>('GET', base, { token: admin })
  t.notOk(list.body.results.some(({ client_id }) => client_id === client.client_id))
})

test('every change is an event of the audit log', async (t) => {
  const { client_id } = await register()
  await put(client_id, { name: 'Audited' })
  await request('POST', `${base}${client_id}/rotate`, { token: admin })
  await request('DELETE', base + client_id, { token: admin })
  await service.deps.audit.settled()
  const events = (await service.deps.audit.read()).filter(({ target }) => target === client_id)
  t.same(
    events.map(({ action }) => action),
    ['client.create', 'client.update', 'client.rotate', 'client.delete'],
  )
  for (const { actor, outcome } of events)
    t.match({ actor, outcome }, { actor: service.admin.uid, outcome: 'ok' })
})
