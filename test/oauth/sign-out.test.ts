import tap, { test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'
import { visitor } from '#test/support/visitor.ts'

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, asking, authorize, redeem, codeFor, refresh, tokensFor, userinfo } = relyingParty(
  service,
  admin,
)
tap.teardown(() => service[Symbol.asyncDispose]())
const html = 'text/html'

test('logout at the portal revokes the refresh and access tokens given in that session, and no others', async (t) => {
  const { uid, password, token } = await newUser(admin)
  const other = await login(uid, password)
  const client = await register({ scopes: 'openid profile offline_access' })
  const given = await tokensFor(client, token, { scope: 'openid profile' })
  const elsewhere = await tokensFor(client, other, { scope: 'openid profile' })
  const third = await login(uid, password)
  const offline = await tokensFor(client, third, {
    scope: 'openid profile offline_access',
    prompt: 'consent',
  })
  t.match(offline.scope, 'offline_access')
  const unspent = await codeFor(client, token)
  for (const each of [token, third]) await request('POST', '/api/auth/logout', { token: each })
  t.equal((await userinfo(given.access_token)).status, 401)
  t.equal((await refresh(client, given.refresh_token)).status, 400)
  t.equal((await redeem(client, unspent)).status, 400, 'a code of that session')
  t.equal((await userinfo(elsewhere.access_token)).status, 200)
  t.equal((await refresh(client, offline.refresh_token)).status, 200, 'offline_access outlives the session')
  await request('DELETE', `/api/user/${uid}`, { token: admin })
  t.equal((await refresh(client, elsewhere.refresh_token)).status, 400)
})

test('a code that is given while its session ends is good for nothing', async (t) => {
  const { uid, token } = await newUser(admin)
  const client = await register()
  const unspent = await codeFor(client, token)
  const { sessions, store } = service.deps
  const [session] = await sessions.list(uid)
  // As if the code came into being after the logout had looked for what was given in the session.
  t.equal(await store.redis.del(store.keys.voidable('session-grants', session?.id as string)), 1)
  await request('POST', '/api/auth/logout', { token })
  t.match(await redeem(client, unspent), { status: 400, body: { error: 'invalid_grant' } })
})

test('logout at the provider asks, ends the portal session too, and leads to a registered target with state', async (t) => {
  const { token } = await newUser(admin)
  const bye = 'https://app.example/bye'
  const client = await register({ post_logout_redirect_uris: [bye] })
  const { id_token, access_token } = await tokensFor(client, token)
  const { go, jar, session } = visitor(service)
  jar.set('latchkey@/', { value: token, path: '/' })
  const query = new URLSearchParams({ id_token_hint: id_token, post_logout_redirect_uri: bye, state: 's t' })
  const page = await go('GET', `/oauth/logout?${query}`)
  t.equal(page.status, 200)
  t.equal((await request('GET', '/api/user/me', { token })).status, 200, 'a link alone signs nobody out')
  const xsrf = /name="xsrf" value="(\w+)"/.exec(page.text)?.[1] as string
  t.equal((await go('POST', '/oauth/logout/confirm', { xsrf: 'wrong', logout: 'yes' })).status, 400)
  const done = await go('POST', '/oauth/logout/confirm', { xsrf, logout: 'yes' })
  t.equal(done.headers.get('location'), `${bye}?state=s+t`)
  t.equal(session(), undefined)
  t.equal((await request('GET', '/api/user/me', { token })).status, 401)
  t.equal((await userinfo(access_token)).status, 401)
  const again = await go('GET', `/oauth/logout?${query}`)
  t.equal(again.status, 303, 'who is signed out already is not asked')
  t.equal(again.headers.get('location'), `${bye}?state=s+t`)
})

test('attack 21: post_logout_redirect_uri likewise never leads to an unregistered URI', async (t) => {
  const listed = await register({ post_logout_redirect_uris: ['https://app.example/bye'] })
  const unlisted = await register()
  const ask = (client_id: string, post_logout_redirect_uri: string) =>
    request('GET', `/oauth/logout?${new URLSearchParams({ client_id, post_logout_redirect_uri })}`, {
      headers: { accept: html },
    })
  for (const [client, uri] of [
    [listed, 'https://evil.example/'],
    [listed, 'https://app.example/bye/'],
    [listed, 'https://app.example/cb'],
    [unlisted, 'https://evil.example/'],
    [unlisted, 'https://app.example@evil.example/'],
    [unlisted, 'http://app.example/'],
  ] as const) {
    const answer = await ask(client.client_id, uri)
    t.equal(answer.status, 400, uri)
    t.equal(answer.headers.get('location'), null)
  }
  t.equal(
    (await ask(unlisted.client_id, 'https://app.example/bye')).headers.get('location'),
    'https://app.example/bye',
  )
  const nameless = await request('GET', '/oauth/logout?post_logout_redirect_uri=https://evil.example/', {
    headers: { accept: html },
  })
  t.equal(nameless.headers.get('location'), null)
  t.match(nameless.text, 'signed out')
})

test('a password change ends the refresh tokens of that user', async (t) => {
  const { uid, token } = await newUser(admin)
  const client = await register()
  const { refresh_token } = await tokensFor(client, token)
  const password = `a new password of ${uid}`
  t.equal(
    (await request('PUT', '/api/user/password', { token, body: { password, confirm: password } })).status,
    200,
  )
  t.equal((await refresh(client, refresh_token)).status, 400)
})

test('a locked account passes no door of the provider', async (t) => {
  const { uid, password, token } = await newUser(admin)
  const client = await register({ skip_consent: true })
  await request('PUT', `/api/user/${uid}/active`, { token: admin, body: { active: false } })
  t.match((await authorize(asking(client).asked, token)).headers.get('location'), /\/login$/)
  const { go, locationOf, session } = visitor(service, '192.0.2.5')
  const page = locationOf(await go('GET', `/oauth/authorize?${new URLSearchParams(asking(client).asked)}`))
  t.equal((await go('POST', page, { uid, password })).status, 401)
  t.equal(session(), undefined)
})

test('Redis away: the provider answers 502 in our form in bounded time, and works again afterwards', async (t) => {
  const client = await register()
  const { access_token } = await tokensFor(client, admin)
  await service.servers.redis.kill()
  const began = Date.now()
  const answer = await userinfo(access_token)
  t.match(answer, {
    status: 502,
    body: { error: 'temporarily_unavailable', name: 'UpstreamFailure', message: String },
  })
  const page = await authorize(asking(client).asked, admin, html)
  t.equal(page.status, 502)
  t.match(page.text, 'UpstreamFailure')
  t.ok(Date.now() - began < 10_000)
  await service.servers.redis.restart()
  await until('Redis is back', async () => (await request('GET', '/readyz')).status === 200)
  t.equal((await userinfo(access_token)).status, 200, 'nothing lost')
})
