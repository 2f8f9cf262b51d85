import { createHash } from 'node:crypto'
import tap, { test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import type { Resource } from './support.ts'
import { base, directoryTools } from './support.ts'

const service = await startTestService()
const { request } = service
const { ask, admin, keeper, newResource, newGroup, newLink, read, audited } = await directoryTools(service)
const { register, redeem, codeFor, tokensFor, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

const clients = '/api/oauth/client/'
const client = async (id: string) =>
  (await request<{ results: Resource }>('GET', clients + id, { token: admin })).body?.results

test('a client and a resource of kind oauth are one object, whichever door made it', async (t) => {
  const parent = await newResource('service')
  const body = {
    kind: 'oauth',
    name: 'Wiki',
    parentId: parent.id,
    redirect_uris: ['https://wiki.example/cb'],
  }
  const made = await ask('POST', 'resources', {
    ...body,
    scopes: 'openid email',
    metadata: { tagline: 'Read' },
  })
  t.equal(made.status, 200)
  t.match(made.body, {
    client_secret: /^[\w-]{43}$/,
    results: { kind: 'oauth', name: 'Wiki', scopes: ['openid', 'email'] },
  })
  const { id } = made.body.results
  t.equal(made.body.results.client_id, id)
  t.match(await client(id), {
    client_id: id,
    name: 'Wiki',
    scopes: ['openid', 'email'],
    created_by: keeper.uid,
  })
  t.notOk('kind' in ((await client(id)) ?? {}), 'the interface of clients is as it was')
  const wiki = {
    client_id: id,
    client_secret: String(made.body.client_secret),
    redirect_uri: body.redirect_uris[0] as string,
  }
  t.equal((await redeem(wiki, await codeFor(wiki, admin))).status, 200)

  const { client_id } = await register({ name: 'By the other door' })
  const other = await read(client_id)
  t.match(other, {
    id: client_id,
    kind: 'oauth',
    name: 'By the other door',
    slug: 'by-the-other-door',
    owner: null,
  })
  t.match(other.token_lifetime, { access_token: 3600 })

  await ask('PUT', `resources/${client_id}`, {
    redirect_uris: ['https://new.example/cb'],
    token_lifetime: { access_token: 60 },
  })
  t.match(await client(client_id), {
    redirect_uris: ['https://new.example/cb'],
    token_lifetime: { access_token: 60 },
  })
  await request('PUT', clients + client_id, {
    token: admin,
    body: { name: 'Renamed', allowed_groups: ['a'] },
  })
  t.match(await read(client_id), {
    name: 'Renamed',
    allowed_groups: ['a'],
    slug: 'by-the-other-door',
    updated_by: service.admin.uid,
  })
})

test('a client made without a parent hangs under the service applications, made once at first need', async (t) => {
  const made = await Promise.all([
    ...Array.from({ length: 10 }, (_, n) => register({ name: `At once ${n}` })),
    ...Array.from({ length: 10 }, () => newResource('oauth')),
  ])
  const found = (await ask<{ results: Resource[] }>('GET', 'resources?q=applications')).body.results
  const home = found.filter(({ slug }) => slug === 'applications')
  t.equal(home.length, 1)
  t.match(home[0], { kind: 'service', parents: [] })
  for (const each of made) {
    const { parents } = await read('client_id' in each ? String(each.client_id) : each.id)
    t.same(parents, [home[0]?.id])
  }
  t.match(await ask('DELETE', `resources/${home[0]?.id}`), { status: 409, body: { name: 'Conflict' } })
})

test('what a client may not have is refused at both doors', async (t) => {
  const { id } = await newResource('oauth')
  for (const fields of [
    { redirect_uris: ['javascript:alert(1)'] },
    { redirect_uris: [] },
    { scopes: ['a"b'] },
    { redirect_uris: ['https://a.example/cb'], grant_types: ['refresh_token'] },
    { redirect_uris: ['https://a.example/cb'], token_lifetime: { access_token: 0 } },
    { redirect_uris: ['https://a.example/cb'], secret_hash: 'x' },
    { redirect_uris: ['https://a.example/cb'], client_id: 'x' },
  ])
    for (const answer of [
      await ask('POST', 'resources', { kind: 'oauth', name: 'Bad', ...fields }),
      await ask('PUT', `resources/${id}`, fields),
      await request('POST', clients, { token: admin, body: { name: 'Bad', ...fields } }),
    ])
      t.match(answer, { status: 400, body: { name: 'InvalidInput' } }, JSON.stringify(fields))
  t.same((await read(id)).redirect_uris, ['https://app.example/cb'])
})

test('POST /api/directory-admin/resources/:id/rotate-secret answers a new secret this once, and the old one is invalid at once', async (t) => {
  const old = await register()
  const { status, body } = await ask('POST', `resources/${old.client_id}/rotate-secret`)
  t.equal(status, 200)
  t.match(body, { results: { id: old.client_id }, client_secret: /^[\w-]{43}$/, message: String })
  const code = await codeFor(old, admin)
  t.match(await redeem(old, code), { status: 401, body: { error: 'invalid_client' } })
  t.equal((await redeem({ ...old, client_secret: String(body.client_secret) }, code)).status, 200)
  const host = await newResource('host')
  t.match(await ask('POST', `resources/${host.id}/rotate-secret`), {
    status: 400,
    body: { name: 'InvalidInput' },
  })
  t.match(await ask('POST', 'resources/nobody/rotate-secret'), { status: 404, body: { name: 'NotFound' } })
  t.same((await audited(old.client_id)).slice(0, 2), ['client.create', 'client.rotate'])
})

test('no answer of the directory shows a secret or its hash', async (t) => {
  const { body } = await ask('POST', 'resources', {
    kind: 'oauth',
    name: 'Secretive',
    redirect_uris: ['https://a.example/cb'],
  })
  const { id } = body.results
  const secret = String(body.client_secret)
  const hash = createHash('sha256').update(secret).digest('base64url')
  for (const answer of [
    await ask('GET', 'resources'),
    await ask('GET', 'resources?limit=1000'),
    await ask('GET', `resources/${id}`),
    await ask('PUT', `resources/${id}`, { name: 'Other' }),
    await ask('DELETE', `resources/${id}`),
  ]) {
    t.equal(answer.status, 200)
    for (const text of [secret, hash, 'secret_hash']) t.notOk(answer.text.includes(text))
  }
})

test('deleting a client at either door takes its edges, links and tokens with it', async (t) => {
  for (const door of [clients, `${base}resources/`]) {
    const app = await register()
    await newLink(app.client_id, await newGroup())
    const { access_token } = await tokensFor(app, admin)
    const token = door === clients ? admin : keeper.token
    t.equal((await request('DELETE', door + app.client_id, { token })).status, 200)
    t.match(await ask('GET', `resources/${app.client_id}`), { status: 404 })
    t.equal(await client(app.client_id), undefined)
    for (const list of ['edges', 'groups'])
      t.same((await ask('GET', `${list}?resourceId=${app.client_id}`)).body.results, [])
    t.equal((await userinfo(access_token)).status, 401)
  }
})

test('deleting a client at either door cancels what was asked of it', async (t) => {
  const { token } = await service.newUser(admin)
  const asked = async (path = '', body?: unknown) =>
    request<{ results: { slug: string; state: string }[] }>(
      body ? 'POST' : 'GET',
      `/api/access-requests${path}`,
      { token, ...(body ? { body } : {}) },
    )
  for (const door of [clients, `${base}resources/`]) {
    const { id, slug } = await newResource('oauth', { metadata: { requestable: true } })
    await newLink(id, await newGroup())
    t.equal((await asked('', { slug })).status, 200)
    t.equal(
      (await request('DELETE', door + id, { token: door === clients ? admin : keeper.token })).status,
      200,
    )
    const { results } = (await asked('/mine')).body
    t.match(
      results.find((each) => each.slug === slug),
      { state: 'cancelled' },
      door,
    )
  }
})

test('the door of clients knows no resource of another kind', async (t) => {
  const { id } = await newResource('service')
  for (const [method, path, body] of [
    ['GET', id],
    ['PUT', id, { name: 'N' }],
    ['DELETE', id],
    ['POST', `${id}/rotate`],
  ] as const)
    t.match(await request(method, clients + path, { token: admin, ...(body ? { body } : {}) }), {
      status: 404,
      body: { name: 'NotFound' },
    })
  t.equal((await read(id)).id, id)
})
