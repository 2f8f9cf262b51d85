import tap, { test } from 'tap'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, asking, authorize, allow, tokensFor } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())
const html = 'text/html,application/xhtml+xml'

test('only scopes the client is registered for are granted, even when more are requested', async (t) => {
  const client = await register({ scopes: 'openid email printing' })
  const tokens = await tokensFor(client, admin, { scope: 'openid profile email groups printing admin' })
  t.same(tokens.scope.split(' ').sort(), ['email', 'openid', 'printing'])
  const claims = payloadOf(tokens.id_token)
  t.equal(claims.email, service.admin.uid === 'admin' ? 'admin@localhost.localdomain' : claims.email)
  t.notOk('name' in claims || 'groups' in claims)
  const byDefault = await tokensFor(await register(), admin, { scope: undefined })
  t.same(byDefault.scope.split(' ').sort(), ['email', 'groups', 'openid', 'profile'])
})

test('a user outside allowed_groups is rejected with 403, on both paths, and told so on a page', async (t) => {
  const { uid, token } = await newUser(admin)
  const name = 'Wiki users'
  t.equal(
    (await request('POST', '/api/group/', { token: admin, body: { name, description: '' } })).status,
    200,
  )
  const client = await register({ allowed_groups: [name] })
  const { asked } = asking(client)
  for (const answer of [await allow(asked, token), await authorize(asked, token)]) {
    t.equal(answer.status, 403)
    t.equal(answer.body.name, 'GroupRequired')
    t.equal(answer.headers.get('location'), null)
  }
  const page = await authorize(asked, token, html)
  t.equal(page.status, 403)
  t.match(page.text, name)
  t.equal(
    (await request('PUT', `/api/group/${encodeURIComponent(name)}/${uid}`, { token: admin })).status,
    200,
  )
  t.equal((await allow(asked, token)).status, 200, 'at once after joining')
})

test('membership through a nested group counts for allowed_groups', async (t) => {
  const { uid, token } = await newUser(admin)
  for (const name of ['outer', 'inner'])
    t.equal(
      (await request('POST', '/api/group/', { token: admin, body: { name, description: '' } })).status,
      200,
    )
  await request('PUT', `/api/group/inner/${uid}`, { token: admin })
  const { asked } = asking(await register({ allowed_groups: ['outer'] }))
  t.equal((await allow(asked, token)).status, 403)
  t.equal((await request('PUT', '/api/group/outer/nested/inner', { token: admin })).status, 200)
  t.equal((await allow(asked, token)).status, 200)
})

test('consent is asked once per client and scope set, remembered, and anew for more scopes', async (t) => {
  const { token } = await newUser(admin)
  const client = await register()
  const small = () => asking(client, { scope: 'openid email' }).asked
  t.equal((await authorize(small(), token, html)).status, 200, 'asked')
  t.equal((await allow(small(), token)).status, 200)
  t.equal((await authorize(small(), token, html)).status, 303, 'not asked again')
  t.equal((await authorize(asking(client).asked, token, html)).status, 200, 'asked for more')
  t.equal((await authorize({ ...small(), prompt: 'consent' }, token, html)).status, 200, 'asked on demand')
  const trusted = await register({ skip_consent: true })
  t.equal((await authorize(asking(trusted).asked, token, html)).status, 303, 'skip_consent')
})

test('what a person allows through the API is remembered also of a client that asks nobody, and holds when it asks again', async (t) => {
  const { uid, token } = await newUser(admin)
  const client = await register({ skip_consent: true })
  const { asked } = asking(client)
  t.equal((await allow(asked, token)).status, 200)
  const { audit } = service.deps
  await audit.settled()
  const given = (await audit.read()).filter(({ action, actor }) => action === 'consent' && actor === uid)
  t.match(given, [{ target: client.client_id, outcome: 'ok' }])
  const path = `/api/oauth/client/${client.client_id}`
  t.equal((await request('PUT', path, { token: admin, body: { skip_consent: false } })).status, 200)
  t.match((await authorize(asked, token, html)).headers.get('location'), /[?&]code=/)
})

test('consent holds in the next session too', async (t) => {
  const { uid, password, token } = await newUser(admin)
  const client = await register()
  await allow(asking(client).asked, token)
  await request('POST', '/api/auth/logout', { token })
  const again = await login(uid, password)
  const answer = await authorize(asking(client).asked, again, html)
  t.equal(answer.status, 303)
  t.match(answer.headers.get('location'), /^https:\/\/app\.example\/cb\?code=/)
})

test('prompt=none and max_age are as the specification says', async (t) => {
  const { token } = await newUser(admin)
  const client = await register()
  const errorOf = async (changes: Record<string, string>, who?: string) =>
    new URL(
      String((await authorize(asking(client, changes).asked, who)).headers.get('location')),
    ).searchParams.get('error')
  t.equal(await errorOf({ prompt: 'none' }), 'login_required')
  t.equal(await errorOf({ prompt: 'none' }, token), 'consent_required')
  await allow(asking(client).asked, token)
  t.equal(await errorOf({ prompt: 'none' }, token), null)
  t.match(
    (await authorize(asking(client, { prompt: 'login' }).asked, token)).headers.get('location'),
    /\/login$/,
  )
  t.match(
    (await authorize(asking(client, { max_age: '0' }).asked, token)).headers.get('location'),
    /\/login$/,
  )
  t.equal((await authorize(asking(client, { max_age: '3600' }).asked, token)).status, 303)
  t.match(await allow({ ...asking(client).asked, prompt: 'login' }, token), {
    status: 401,
    body: { name: 'Unauthorized' },
  })
  t.match(await allow({ ...asking(client).asked, max_age: 0 }, token), {
    status: 401,
    body: { name: 'Unauthorized' },
  })
})

test('nonce and auth_time come back in the ID token', async (t) => {
  const client = await register()
  const { id_token } = await tokensFor(client, admin, { nonce: 'n-0S6_WzA2Mj', max_age: 1000 })
  t.match(payloadOf(id_token), {
    ...{ iss: service.url, aud: client.client_id, sub: service.admin.uid, nonce: 'n-0S6_WzA2Mj' },
    auth_time: Number,
  })
})

test('two tabs begin two sign-ins that do not disturb each other, and nobody else can go on with them', async (t) => {
  const client = await register()
  const begin = async () => {
    const answer = await authorize(asking(client).asked, undefined, html)
    const cookie = answer.headers
      .getSetCookie()
      .map((line) => line.split(';')[0])
      .join('; ')
    return { path: String(answer.headers.get('location')), cookie }
  }
  const [one, two] = [await begin(), await begin()]
  const get = (path: string, cookie?: string) =>
    request('GET', path, { headers: { accept: html, ...(cookie ? { cookie } : {}) } })
  t.equal((await get(one.path, one.cookie)).status, 200)
  t.equal((await get(two.path, two.cookie)).status, 200)
  t.equal((await get(one.path)).status, 400, 'without its cookie')
  t.equal((await get(one.path, two.cookie)).status, 400, 'with the cookie of another')
})

test('a grant, and a refused authorization of somebody signed in, are events of the audit log', async (t) => {
  const { uid, token } = await newUser(admin)
  const client = await register()
  await allow(asking(client).asked, token)
  await authorize(asking(client, { redirect_uri: 'https://evil.example/' }).asked, token)
  await service.deps.audit.settled()
  const events = (await service.deps.audit.read()).filter(
    ({ actor, target }) => actor === uid && target === client.client_id,
  )
  t.match(events, [
    { action: 'consent', outcome: 'ok', detail: { scopes: ['openid', 'profile', 'email', 'groups'] } },
    { action: 'authorize', outcome: 'refused', detail: { error: 'invalid_redirect_uri' } },
  ])
})
