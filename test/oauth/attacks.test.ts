/** Rows 20 to 27 and 39 of the attacks, over HTTP, where the tests of the endpoints leave something out. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import tap, { test } from 'tap'
import { clientOf } from '#test/support/client.ts'
import { hostileUris, matched } from '#test/support/hostile-uris.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startPod } from '#test/support/pod.ts'
import { startTestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'

const service = await startTestService({ app_onboarding__needs: '' })
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, asking, authorize, allow, refresh, tokensFor, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())
const html = 'text/html'
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const form = { 'content-type': 'application/x-www-form-urlencoded' }

test('attack 20: the corpus of hostile URLs is refused in the browser, at the API, pushed and posted', async (t) => {
  const client = await register({ redirect_uris: matched, skip_consent: true })
  const { client_id, client_secret } = client
  for (const redirect_uri of hostileUris) {
    const { asked } = asking(client, { redirect_uri })
    const posted = await request('POST', '/oauth/authorize', {
      ...{ headers: form, body: new URLSearchParams(asked).toString() },
    })
    for (const answer of [
      await authorize(asked, admin, html),
      await authorize({ ...asked, response_mode: 'form_post' }, admin, html),
      await request('GET', String(posted.headers.get('location')), { token: admin }),
      await allow(asked, admin),
      await request('POST', '/oauth/par', { body: { ...asked, client_id, client_secret } }),
    ]) {
      t.equal(answer.status, 400, JSON.stringify(redirect_uri))
      t.equal(answer.headers.get('location'), null)
      t.notMatch(answer.text, '<form')
    }
  }
  const { asked } = asking(client, { redirect_uri: matched[2] })
  const twice = `${new URLSearchParams(asked)}&redirect_uri=https://evil.example/cb`
  const answer = await request('GET', `/oauth/authorize?${twice}`, { token: admin })
  t.equal(answer.status, 400, 'one that stands beside a right one')
  t.equal(answer.headers.get('location'), null)
})

test('attack 21: a redirect URI that is unregistered while somebody signs in is not followed, by a code or an error', async (t) => {
  const { uid, password } = await newUser(admin)
  const kept = 'https://app.example/cb'
  for (const end of ['sign in', 'cancel']) {
    const client = await register({ redirect_uris: [kept, 'https://sold.example/cb'], skip_consent: true })
    const { go, locationOf } = visitor(service)
    const { asked } = asking(client, { redirect_uri: 'https://sold.example/cb' })
    const page = locationOf(await go('GET', `/oauth/authorize?${new URLSearchParams(asked)}`))
    const changed = await request('PUT', `/api/oauth/client/${client.client_id}`, {
      ...{ token: admin, body: { redirect_uris: [kept] } },
    })
    t.equal(changed.status, 200)
    const done =
      end === 'cancel' ? await go('POST', `${page}/cancel`, {}) : await go('POST', page, { uid, password })
    const resumed = await go('GET', locationOf(done))
    t.equal(resumed.status, 400, end)
    t.equal(resumed.headers.get('location'), null)
    t.match(resumed.text, 'InvalidRedirectURI')
  }
})

test('attack 22: no spelling of a script can be registered as any address of a client, public or not', async (t) => {
  const scripts = [
    ...['javascript:alert(1)', 'JavaScript:alert(1)', ' javascript:alert(1)', 'java\tscript:alert(1)'],
    ...[
      'javascript://ok.example/%0aalert(1)',
      '\u0001javascript:alert(1)',
      'vbscript:x',
      'blob:https://ok.example/1',
    ],
    ...['data:text/html,x', 'DATA:text/html;base64,eA=='],
  ]
  const make = (fields: object) =>
    request('POST', '/api/oauth/client/', { token: admin, body: { name: 'Script', ...fields } })
  const redirect_uris = ['https://ok.example/cb']
  for (const uri of scripts)
    for (const [field, fields] of [
      ['redirect_uris', { redirect_uris: [uri] }],
      ['redirect_uris', { redirect_uris: `${redirect_uris}\n${uri}` }],
      ['redirect_uris', { redirect_uris: [uri], public: true }],
      ['post_logout_redirect_uris', { redirect_uris, post_logout_redirect_uris: [uri] }],
      ['logo_uri', { redirect_uris, logo_uri: uri }],
      ['backchannel_logout_uri', { redirect_uris, backchannel_logout_uri: uri }],
    ] as const)
      t.match(
        await make(fields),
        { status: 400, body: { name: 'InvalidInput', message: new RegExp(field) } },
        `${field} ${JSON.stringify(uri)}`,
      )
})

test('attack 25: a refresh token’s reuse revokes its family also after the service and Redis were restarted', async (t) => {
  await using stack = new AsyncDisposableStack()
  const client = await register()
  const first = await tokensFor(client, admin)
  const { body: second } = await refresh(client, first.refresh_token)
  await service.servers.redis.kill()
  await service.servers.redis.restart()
  const environment = await service.environmentOfPod({ app_log__level: 'info' })
  await startPod(environment, stack, { joins: true })
  const pod = relyingParty(clientOf(`http://127.0.0.1:${environment.app_listen__port}`), admin)
  await pause(3100)
  t.match(await pod.refresh(client, first.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
  t.match(await pod.refresh(client, second.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
  for (const at of [pod.userinfo, userinfo]) t.equal((await at(second.access_token)).status, 401)
})

test('attack 27: nothing that a client, a request or a token names is fetched', async (t) => {
  let connections = 0
  const trap = createServer((socket) => {
    connections++
    socket.destroy()
  }).listen(0, '127.0.0.1')
  t.teardown(() => trap.close())
  await once(trap, 'listening')
  const url = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/x`
  const secure = url.replace('http:', 'https:')
  await t.rejects(fetch(url))
  t.equal(connections, 1, 'the trap counts')
  const redirect_uris = ['https://app.example/cb']
  for (const field of [
    'jwks_uri',
    'sector_identifier_uri',
    'request_uris',
    'initiate_login_uri',
    'client_uri',
  ])
    t.match(
      await request('POST', '/api/oauth/client/', {
        token: admin,
        body: { name: 'Fetching', redirect_uris, [field]: field === 'request_uris' ? [secure] : secure },
      }),
      { status: 400, body: { name: 'InvalidInput', message: new RegExp(field) } },
    )
  t.equal(
    (await request('POST', '/oauth/register', { body: { redirect_uris, jwks_uri: secure } })).status,
    404,
  )
  const client = await register({ logo_uri: secure })
  const { client_id, client_secret, redirect_uri } = client
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const jwt = (more: object = {}) =>
    `${part({ alg: 'RS256', kid: 'k', jku: url, x5u: url, ...more })}.${part({ iss: client_id, sub: client_id, aud: service.url, exp: 9e9, jti: 'j' })}.AAAA`
  const named = [
    { request_uri: url },
    { request_uri: secure },
    { request: jwt() },
    { id_token_hint: jwt() },
    { registration: JSON.stringify({ jwks_uri: url }) },
    { client_metadata_uri: url },
    { resource: url },
  ]
  for (const changes of named) {
    const { asked } = asking(client, changes)
    await authorize(asked, admin, html)
    await allow(asked, admin)
    await request('POST', '/oauth/par', { body: { ...asked, client_id, client_secret } })
  }
  t.match(
    (await authorize(asking(client).asked, admin, html)).text,
    secure,
    'the logo is the browser’s to load',
  )
  const client_assertion = {
    client_assertion: jwt(),
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
  }
  const grant = { grant_type: 'authorization_code', code: 'x', redirect_uri }
  t.equal(
    (await request('POST', '/oauth/token', { body: { ...grant, client_id, ...client_assertion } })).status,
    401,
  )
  const dpop = jwt({ typ: 'dpop+jwt', jwk: { kty: 'RSA', x5u: url } })
  t.equal(
    (
      await request('POST', '/oauth/token', {
        headers: { dpop },
        body: { ...grant, client_id, client_secret },
      })
    ).status,
    400,
  )
  await request('POST', '/oauth/introspect', { body: { token: jwt(), client_id, client_secret } })
  await request('GET', `/oauth/logout?${new URLSearchParams({ id_token_hint: jwt(), client_id })}`, {
    token: admin,
  })
  t.equal(connections, 1)
})

test('attack 39: every form of a sign-in, a consent, a choice, a device and a logout refuses posts from another origin', async (t) => {
  const { uid, password, token } = await newUser(admin)
  const client = await register()
  const { go, jar } = visitor(service)
  const to = async (changes: object) => {
    const { headers, text } = await go(
      'GET',
      `/oauth/authorize?${new URLSearchParams(asking(client, { ...changes }).asked)}`,
    )
    return headers.get('location') ?? (/action="(\/oauth\/interaction\/[^"]+)"/.exec(text)?.[1] as string)
  }
  const signIn = await to({})
  jar.set('latchkey@/', { value: token, path: '/' })
  const [consent, choice] = [await to({}), await to({ prompt: 'select_account' })]
  const xsrf = /name="xsrf" value="(\w+)"/.exec((await go('GET', '/oauth/logout')).text)?.[1] as string
  const posts: [string, Record<string, string>][] = [
    [signIn, { uid, password }],
    [`${signIn}/cancel`, {}],
    [consent, { decision: 'allow' }],
    [consent, { decision: 'switch' }],
    [choice, { decision: 'continue' }],
    ['/oauth/device', { user_code: 'AAAA-AAAA' }],
    ['/oauth/logout/confirm', { xsrf, logout: 'yes' }],
    ['/login', { uid, password }],
    ['/logout', {}],
  ]
  t.match([signIn, consent, choice], [/\/login$/, /\/consent$/, /\/select_account$/])
  for (const [path, fields] of posts)
    for (const headers of [
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { origin: 'null', 'sec-fetch-site': 'cross-site' },
      { origin: `${service.url}.evil.example`, 'sec-fetch-site': 'same-site' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'same-origin' },
    ]) {
      const { status, text, headers: answered } = await go('POST', path, fields, headers)
      t.equal(status, 401, path)
      t.match(text, 'InsufficientPermission')
      t.equal(answered.get('location'), null)
      t.same(answered.getSetCookie(), [])
    }
  t.match(await request('GET', '/api/user/me', { token }), { status: 200, body: { uid } }, 'still signed in')
  t.equal((await go('POST', consent, { decision: 'allow' })).status, 303, 'our own form goes on')
  t.equal((await go('POST', '/oauth/logout/confirm', { xsrf, logout: 'yes' })).status, 303)
  t.equal((await request('GET', '/api/user/me', { token })).status, 401)
})
