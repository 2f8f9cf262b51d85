import tap, { test } from 'tap'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, asking, authorize, allow, codeFor, redeem } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())
const html = 'text/html,application/xhtml+xml'

test('GET /oauth/authorize redirects to login when not authenticated, and renders the consent screen', async (t) => {
  const client = await register({ name: 'Wiki & <Co>' })
  const { asked } = asking(client)
  const anonymous = await authorize(asked, undefined, html)
  t.equal(anonymous.status, 303)
  t.match(anonymous.headers.get('location'), /^\/oauth\/interaction\/[\w-]{43}\/login$/)
  const page = await authorize(asked, admin, html)
  t.equal(page.status, 200)
  t.match(page.text, /Wiki &amp; &lt;Co&gt;/)
  t.match(page.text, /name="decision" value="allow"/)
  t.match(page.headers.get('content-security-policy'), /form-action 'self' https:\/\/app\.example;/)
  t.notMatch(page.headers.get('content-security-policy'), 'unsafe-inline')
  t.equal(page.headers.get('location'), null)
  t.match((await authorize(asked, admin, '*/*')).headers.get('content-type'), 'text/html')
})

test('POST /api/oauth/authorize answers redirect_url with code, and state returned unchanged', async (t) => {
  const client = await register()
  const state = ' ~/?&=+%ü"<state>'
  const { body, status } = await allow(asking(client, { state }).asked, admin)
  t.equal(status, 200)
  const url = new URL(String(body.redirect_url))
  t.equal(url.origin + url.pathname, client.redirect_uri)
  t.equal(url.searchParams.get('state'), state)
  t.equal(url.searchParams.get('iss'), service.url, 'RFC 9207')
  t.match(
    url.searchParams.get('code'),
    /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  )
})

test('POST /api/oauth/authorize needs auth-token', async (t) => {
  const { asked } = asking(await register())
  t.match(await request('POST', '/api/oauth/authorize', { body: asked }), {
    status: 401,
    body: { name: 'Unauthorized' },
  })
  t.match(await allow(asked, 'x'.repeat(43)), { status: 401, body: { name: 'Unauthorized' } })
})

test('an unmatched URI is rejected with the error name InvalidRedirectURI, on both paths, and never redirected to', async (t) => {
  const client = await register({ redirect_uris: ['https://app.example/cb', 'https://*.apps.example/cb'] })
  const ok = ['https://app.example/cb', 'https://one.apps.example/cb']
  for (const redirect_uri of ok)
    t.equal((await allow(asking(client, { redirect_uri }).asked, admin)).status, 200, redirect_uri)
  for (const redirect_uri of [
    'https://evil.example/cb',
    'https://app.example/cb/',
    'https://a.b.apps.example/cb',
    'https://apps.example/cb',
    'https://one.apps.example@evil.example/cb',
    'https://*.apps.example/cb',
    'https://one.apps.example.evil.example/cb',
    'javascript:alert(1)',
  ]) {
    const { asked } = asking(client, { redirect_uri })
    for (const answer of [await allow(asked, admin), await authorize(asked, admin), await authorize(asked)]) {
      t.equal(answer.status, 400, redirect_uri)
      t.equal(answer.body.name, 'InvalidRedirectURI')
      t.equal(answer.headers.get('location'), null)
    }
    const page = await authorize(asked, admin, html)
    t.equal(page.status, 400)
    t.match(page.headers.get('content-type'), 'text/html')
    t.match(page.text, 'InvalidRedirectURI')
    t.equal(page.headers.get('location'), null)
    t.notMatch(page.text, 'href="javascript')
  }
})

test('loopback ports are free for public clients only (RFC 8252)', async (t) => {
  const redirect_uri = 'http://127.0.0.1/cb'
  const [closed, native] = [
    await register({ redirect_uris: [redirect_uri] }),
    await register({ redirect_uris: [redirect_uri], public: true }),
  ]
  const { asked } = asking(closed, { redirect_uri: 'http://127.0.0.1:41234/cb' })
  for (const answer of [await allow(asked, admin), await authorize(asked, admin)])
    t.match(answer, { status: 400, body: { name: 'InvalidRedirectURI' } })
  const { client_id } = native
  t.equal((await allow({ ...asked, client_id }, admin)).status, 200)
})

test('attack 21: no error answer of GET /oauth/authorize redirects to an unregistered URI', async (t) => {
  const client = await register()
  const redirect_uri = 'https://evil.example/cb'
  for (const wrong of [
    { scope: 'unknown' },
    { response_type: 'token' },
    { response_type: undefined },
    { response_mode: 'form_post' },
    { response_mode: 'nonsense' },
    { code_challenge: undefined, code_challenge_method: undefined },
    { prompt: 'none' },
    { prompt: 'none login' },
    { max_age: '-1' },
    { request: 'a.b.c' },
    { request_uri: 'https://evil.example/request' },
    { registration: '{}' },
    { client_id: 'nobody' },
    { claims: '{' },
    { id_token_hint: 'a.b.c' },
    { state: 'x'.repeat(5000) },
  ]) {
    const { asked } = asking(client, { redirect_uri, ...wrong })
    for (const accept of ['application/json', html]) {
      const answer = await authorize(asked, admin, accept)
      t.equal(answer.status, 400, JSON.stringify(wrong))
      t.equal(answer.headers.get('location'), null)
    }
  }
})

test('response_type must be code, errors go to the registered URI with state', async (t) => {
  const client = await register()
  for (const [wrong, error] of [
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: 'id_token' }, 'unsupported_response_type'],
    [{ scope: 'nothing registered' }, 'invalid_scope'],
  ] as const) {
    const { asked } = asking(client, wrong)
    const answer = await authorize(asked, admin)
    const url = new URL(String(answer.headers.get('location')))
    t.equal(answer.status, 303)
    t.equal(url.origin + url.pathname, client.redirect_uri)
    const at = url.hash ? new URLSearchParams(url.hash.slice(1)) : url.searchParams
    t.equal(at.get('error'), error)
    t.equal(at.get('state'), asked.state)
    t.match(await allow(asked, admin), { status: 400, body: { name: 'InvalidInput', message: error } })
  }
})

test('attack 23: no challenge and plain are refused, on both paths', async (t) => {
  const client = await register()
  for (const wrong of [
    { code_challenge: undefined, code_challenge_method: undefined },
    { code_challenge: undefined },
    { code_challenge_method: undefined },
    { code_challenge_method: 'plain' },
    { code_challenge: 'short' },
  ]) {
    const { asked } = asking(client, wrong)
    t.match(await allow(asked, admin), { status: 400, body: { name: 'InvalidInput' } }, JSON.stringify(wrong))
    const location = new URL(String((await authorize(asked, admin)).headers.get('location')))
    t.equal(location.searchParams.get('error'), 'invalid_request')
    t.equal(location.searchParams.get('code'), null)
  }
})

test('attack 23: challenge without verifier, verifier without challenge and a wrong verifier are refused', async (t) => {
  const client = await register()
  const free = await register({ require_pkce: false })
  const { code_verifier: _, ...without } = await codeFor(client, admin)
  t.match(await redeem(client, without), { status: 400, body: { error: 'invalid_grant' } })
  const other = { ...(await codeFor(client, admin)), code_verifier: asking(client).code_verifier }
  t.match(await redeem(client, other), { status: 400, body: { error: 'invalid_grant' } })
  const none = { code_challenge: undefined, code_challenge_method: undefined }
  t.match(await redeem(free, await codeFor(free, admin, none)), {
    status: 400,
    body: { error: 'invalid_grant' },
  })
  const { code_verifier: __, ...plain } = await codeFor(free, admin, none)
  t.equal((await redeem(free, plain)).status, 200, 'a client may be marked require_pkce: false')
  const { code_verifier: ___, ...kept } = await codeFor(free, admin)
  t.equal((await redeem(free, kept)).status, 400, 'but a challenge that was sent is checked')
})

test('unknown fields of POST /api/oauth/authorize are refused by name; on /oauth/* they are ignored', async (t) => {
  const { asked } = asking(await register())
  t.match(await allow({ ...asked, admin: true }, admin), {
    status: 400,
    body: { name: 'InvalidInput', message: 'admin' },
  })
  t.equal((await authorize({ ...asked, admin: 'true' }, admin, html)).status, 200)
})

test('POST /api/oauth/authorize takes the OpenID parameters: nonce, claims, max_age, login_hint, ui_locales, acr_values', async (t) => {
  const client = await register()
  const code = await codeFor(client, admin, {
    scope: 'openid',
    nonce: 'n-0S6_WzA2Mj',
    claims: JSON.stringify({ id_token: { auth_time: { essential: true } }, userinfo: {} }),
    ...{ max_age: 3600, login_hint: service.admin.uid, ui_locales: 'de en', acr_values: '0' },
  })
  const { status, body } = await redeem(client, code)
  t.equal(status, 200)
  t.match(payloadOf(body.id_token), { nonce: 'n-0S6_WzA2Mj', auth_time: Number })
  t.match(await allow({ ...asking(client).asked, nonce: 5 }, admin), {
    status: 400,
    body: { name: 'InvalidInput', message: /nonce/ },
  })
})

test('login_hint fills the sign-in form, and nothing of it is taken for markup', async (t) => {
  const client = await register()
  const hint = '"><b>ada@example.org'
  const begun = await authorize(asking(client, { login_hint: hint }).asked, undefined, html)
  const cookie = begun.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ')
  const page = await request('GET', String(begun.headers.get('location')), {
    headers: { accept: html, cookie },
  })
  t.equal(page.status, 200)
  t.match(page.text, 'value="&quot;&gt;&lt;b&gt;ada@example.org"')
})

test('an unknown or invalid client is refused without a redirect', async (t) => {
  const client = await register()
  const { asked } = asking(client)
  t.match(await authorize({ ...asked, client_id: 'nobody' }, admin), {
    status: 400,
    body: { error: 'invalid_client', name: 'InvalidInput' },
  })
  await request('PUT', `/api/oauth/client/${client.client_id}`, { token: admin, body: { is_valid: false } })
  t.match(await allow(asked, admin), { status: 400, body: { name: 'InvalidInput' } })
  t.equal((await authorize(asked, admin)).headers.get('location'), null)
})

test('parameters that would make the service fetch a URL are refused (attack 27)', async (t) => {
  const client = await register()
  for (const wrong of [{ request_uri: 'http://127.0.0.1:1/' }, { request: 'e30.e30.' }]) {
    const location = new URL(
      String((await authorize(asking(client, wrong).asked, admin)).headers.get('location')),
    )
    t.match(location.searchParams.get('error'), /^request(_uri)?_not_supported$/)
  }
})
