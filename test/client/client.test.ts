import { createHash } from 'node:crypto'
import tap, { test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { everywhere, keysIn } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

const base = '/api/oauth/client/'
const make = (body: unknown, token = admin) => request('POST', base, { token, body })
const get = (id: string) => request('GET', base + id, { token: admin })
const put = (id: string, body: unknown) => request('PUT', base + id, { token: admin, body })
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

test('POST /api/oauth/client/ answers client_id, name and client_secret, raw only this once', async (t) => {
  const before = Date.now()
  const { status, body } = await make({
    name: 'Wiki',
    description: 'Ours',
    redirect_uris: ['https://wiki.example/cb'],
  })
  t.equal(status, 200)
  t.match(body, { results: { client_id: uuid, name: 'Wiki' }, client_secret: /^[\w-]{43}$/, message: String })
  const { client_id } = body.results as { client_id: string }
  const one = await get(client_id)
  t.match(one.body.results, {
    ...{ client_id, name: 'Wiki', description: 'Ours', redirect_uris: ['https://wiki.example/cb'] },
    scopes: ['openid', 'profile', 'email', 'groups'],
    allowed_groups: [],
    token_lifetime: { access_token: 3600, refresh_token: 2592000 },
    ...{
      is_valid: true,
      created_by: service.admin.uid,
      require_pkce: true,
      skip_consent: false,
      public: false,
    },
    ...{ id_token_signed_response_alg: 'RS256', groups_claim: 'all', groups_in_id_token: true },
  })
  const { created_on } = one.body.results as { created_on: number }
  t.ok(created_on >= before && created_on <= Date.now(), 'milliseconds')
})

test('the secret is stored hashed, and no answer or record shows it again', async (t) => {
  const { client_id, client_secret } = await register()
  const hash = createHash('sha256').update(client_secret).digest('base64url')
  const answers = [
    await request('GET', base, { token: admin }),
    await get(client_id),
    await put(client_id, { name: 'Other' }),
    await request('DELETE', base + client_id, { token: admin }),
  ]
  for (const { status, text } of answers) {
    t.equal(status, 200)
    t.notMatch(text, client_secret)
    t.notMatch(text, hash)
    t.notMatch(text, 'secret_hash')
  }
  const again = await register()
  const { redis } = service.deps.store
  await everywhere(redis, 'CONFIG', 'SET', 'rdbcompression', 'no')
  const keys = await keysIn(redis)
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)))
  t.notOk(dumps.some((dump) => dump?.includes(again.client_secret)))
})

test('GET /api/oauth/client/ answers an array of clients without the secret, whole or by pages', async (t) => {
  for (let n = 0; n < 5; n++) await register({ name: `Paged ${n}` })
  const all = (await request<{ results: { client_id: string }[] }>('GET', base, { token: admin })).body
    .results
  t.ok(all.length >= 5)
  const paged: string[] = []
  for (let cursor: string | undefined; ; ) {
    const query = new URLSearchParams({ limit: '2', ...(cursor ? { cursor } : {}) })
    const { body } = await request<{ results: { client_id: string }[]; next?: string }>(
      'GET',
      `${base}?${query}`,
      { token: admin },
    )
    paged.push(...body.results.map(({ client_id }) => client_id))
    cursor = body.next
    if (!cursor) break
  }
  t.same(
    paged,
    all.map(({ client_id }) => client_id),
  )
  t.equal((await request('GET', `${base}?limit=2&sort=created_on`, { token: admin })).status, 200)
  const found = await request<{ results: unknown[] }>('GET', `${base}?q=paged%203`, { token: admin })
  t.equal(found.body.results.length, 1)
  for (const query of ['cursor=forged&limit=2', 'limit=0', 'limit=x', 'sort=secret_hash'])
    t.match(await request('GET', `${base}?${query}`, { token: admin }), {
      status: 400,
      body: { name: 'InvalidInput' },
    })
})

test('redirect_uris as a newline-separated string and scopes as a space-separated string are accepted', async (t) => {
  const { body } = await make({
    name: 'Strings',
    redirect_uris: 'https://a.example/cb\n https://b.example/cb \r\n\nhttps://a.example/cb',
    scopes: 'openid  email openid',
  })
  const { client_id } = body.results as { client_id: string }
  t.match((await get(client_id)).body.results, {
    redirect_uris: ['https://a.example/cb', 'https://b.example/cb'],
    scopes: ['openid', 'email'],
  })
  await put(client_id, { scopes: 'openid', redirect_uris: 'https://c.example/cb' })
  t.match((await get(client_id)).body.results, {
    redirect_uris: ['https://c.example/cb'],
    scopes: ['openid'],
  })
})

test('attack 22: javascript: and data: cannot be registered, nor other URIs that lead elsewhere', async (t) => {
  const { client_id } = await register()
  for (const uri of [
    'javascript:alert(1)',
    'data:text/html,x',
    'https://app.example/cb#x',
    'https://user@app.example/cb',
    'https://*.example/cb',
    'https://*/cb',
    'https://app.example/*',
    'https://a*.app.example/cb',
    'com.example.app:/cb',
    'not a uri',
  ])
    for (const answer of [
      await make({ name: 'Bad', redirect_uris: [uri] }),
      await put(client_id, { redirect_uris: [uri] }),
      await put(client_id, { post_logout_redirect_uris: [uri] }),
    ]) {
      t.match(answer, { status: 400, body: { name: 'InvalidInput', message: /redirect_uris/ } }, uri)
    }
  t.same(((await get(client_id)).body.results as { redirect_uris: string[] }).redirect_uris, [
    'https://app.example/cb',
  ])
})

test('what is missing, wrong or unknown is refused by name, and nothing is stored', async (t) => {
  const count = async () =>
    ((await request<{ results: unknown[] }>('GET', base, { token: admin })).body.results ?? []).length
  const before = await count()
  const good = { name: 'Good', redirect_uris: ['https://good.example/cb'] }
  const cases: [object, RegExp][] = [
    [{ redirect_uris: good.redirect_uris }, /name/],
    [{ name: good.name }, /redirect_uris/],
    [{ ...good, redirect_uris: [] }, /redirect_uris/],
    [{ ...good, redirect_uris: '' }, /redirect_uris/],
    [{ ...good, redirect_uris: [1] }, /redirect_uris/],
    [{ ...good, scopes: [] }, /scopes/],
    [{ ...good, scopes: ['a b'] }, /scopes/],
    [{ ...good, name: '' }, /name/],
    [{ ...good, name: 5 }, /name/],
    [{ ...good, name: 'a\nb' }, /name/],
    [{ ...good, allowed_groups: 'x' }, /allowed_groups/],
    [{ ...good, token_lifetime: { access_token: 0 } }, /token_lifetime/],
    [{ ...good, token_lifetime: { access_token: '60' } }, /token_lifetime/],
    [{ ...good, token_lifetime: { id_token: 60 } }, /id_token/],
    [{ ...good, client_id: 'mine' }, /client_id/],
    [{ ...good, client_secret: 'mine' }, /client_secret/],
    [{ ...good, secret_hash: 'mine' }, /secret_hash/],
    [{ ...good, created_by: 'somebody' }, /created_by/],
    [{ ...good, is_valid: false }, /is_valid/],
    [{ ...good, grant_types: ['implicit'] }, /grant_types/],
    [{ ...good, grant_types: ['refresh_token'] }, /grant_types/],
    [{ ...good, grant_types: [] }, /grant_types/],
    [{ ...good, grant_types: ['client_credentials', 'refresh_token'] }, /grant_types/],
    [{ ...good, grant_types: ['client_credentials'], public: true }, /grant_types/],
    [{ name: good.name, grant_types: ['authorization_code', 'client_credentials'] }, /redirect_uris/],
    [{ ...good, id_token_signed_response_alg: 'HS256' }, /id_token_signed_response_alg/],
    [{ ...good, id_token_signed_response_alg: 'none' }, /id_token_signed_response_alg/],
    [{ ...good, logo_uri: 'javascript:alert(1)' }, /logo_uri/],
    [{ ...good, backchannel_logout_uri: 'ftp://x.example/' }, /backchannel_logout_uri/],
  ]
  for (const [body, message] of cases)
    t.match(await make(body), { status: 400, body: { name: 'InvalidInput', message } }, JSON.stringify(body))
  t.equal(await count(), before)
})

test('an unknown client is 404 on every row', async (t) => {
  const id = '00000000-0000-4000-8000-000000000000'
  for (const [method, path, body] of [
    ['GET', id],
    ['PUT', id, { name: 'x' }],
    ['DELETE', id],
    ['POST', `${id}/rotate`],
    ['GET', 'a%00b%0d%0a%2a'],
  ] as const)
    t.match(await request(method, base + path, { token: admin, ...(body ? { body } : {}) }), {
      status: 404,
      body: { name: 'NotFound' },
    })
})

test('all need app_sso_oauth_admin: app_sso_admin is not enough, nor is being signed in', async (t) => {
  const { client_id } = await register()
  const plain = await newUser(admin)
  const boss = await newUser(admin)
  const keeper = await newUser(admin)
  const join = (group: string, uid: string) => request('PUT', `/api/group/${group}/${uid}`, { token: admin })
  await join('app_sso_admin', boss.uid)
  await join('app_sso_oauth_admin', keeper.uid)
  for (const [method, path, body] of [
    ['GET', ''],
    ['POST', '', { name: 'x', redirect_uris: ['https://x.example/cb'] }],
    ['GET', client_id],
    ['PUT', client_id, { name: 'x' }],
    ['POST', `${client_id}/rotate`],
    ['DELETE', client_id],
  ] as const) {
    const ask = (token?: string) =>
      request(method, base + path, { ...(token ? { token } : {}), ...(body ? { body } : {}) })
    t.match(await ask(), { status: 401, body: { name: 'Unauthorized' } }, `${method} ${path}`)
    for (const { token } of [plain, boss])
      t.match(await ask(token), { status: 401, body: { name: 'InsufficientPermission' } })
    t.equal((await ask(keeper.token)).status, 200, `${method} ${path}`)
  }
})

test('http redirect URIs are allowed for intranets unless oauth.http_redirects is loopback', async (t) => {
  t.equal((await make({ name: 'Intranet', redirect_uris: ['http://intranet/cb'] })).status, 200)
  await using strict = await service.secondPod({ app_oauth__http_redirects: 'loopback' })
  const ask = (uri: string) =>
    strict.request('POST', base, { token: admin, body: { name: 'x', redirect_uris: [uri] } })
  t.match(await ask('http://intranet/cb'), { status: 400, body: { name: 'InvalidInput' } })
  t.equal((await ask('http://127.0.0.1:8080/cb')).status, 200)
})
