/** OpenID Connect Core section 3.1.2.1 and RFC 9207, in the browser and at POST /api/oauth/authorize alike. */
import tap, { test } from 'tap'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'

const service = await startTestService({ app_onboarding__needs: '' })
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, asking, authorize, allow, redeem, tokensFor } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

type Fields = Record<string, unknown>

/** Where the browser path ends, at once: the parameters at the client, or the page it leads to. */
async function browser(asked: Record<string, string>, token?: string) {
  const { headers } = await authorize(asked, token, 'text/html')
  const location = String(headers.get('location'))
  const params = location.startsWith('https://app.example/cb?') ? new URL(location).searchParams : undefined
  return { params, page: params ? undefined : location.split('/').at(-1) }
}

test('iss stands in every answer that goes to the client, errors included, and the metadata say so (RFC 9207)', async (t) => {
  const { token } = await newUser(admin)
  const [client, trusted] = [await register(), await register({ skip_consent: true })]
  const errors: [string, Fields, string?][] = [
    ['login_required', { prompt: 'none' }],
    ['consent_required', { prompt: 'none' }, token],
    ['invalid_request', { prompt: 'none login' }, token],
    ['invalid_request', { code_challenge_method: 'plain' }, token],
    ['invalid_request', { max_age: '-1' }, token],
    ['invalid_scope', { scope: 'nothing registered' }, token],
    ['invalid_target', { resource: 'https://api.example' }, token],
    ['unsupported_response_type', { response_type: 'nonsense' }, token],
    ['unsupported_response_mode', { response_mode: 'fragment' }, token],
    ['request_not_supported', { request: 'e30.e30.' }, token],
    ['request_uri_not_supported', { request_uri: 'https://app.example/request' }, token],
  ]
  for (const [error, changes, who] of errors) {
    const { asked } = asking(client, changes)
    const { params } = await browser(asked, who)
    t.match(Object.fromEntries(params ?? []), { error, iss: service.url, state: asked.state }, error)
  }
  const { asked } = asking(trusted)
  const { params } = await browser(asked, token)
  t.match(Object.fromEntries(params ?? []), { code: String, iss: service.url, state: asked.state })
  const { go, locationOf } = visitor(service)
  const page = locationOf(await go('GET', `/oauth/authorize?${new URLSearchParams(asking(client).asked)}`))
  const refused = locationOf(await go('GET', locationOf(await go('POST', `${page}/cancel`, {}))))
  t.match(Object.fromEntries(new URL(refused).searchParams), { error: 'access_denied', iss: service.url })
  const { body } = await request('GET', '/.well-known/openid-configuration')
  t.equal(body.authorization_response_iss_parameter_supported, true)
  t.equal(body.issuer, service.url)
})

test('form_post tells an error with iss and state as well', async (t) => {
  const { asked } = asking(await register(), { prompt: 'none', response_mode: 'form_post' })
  const { text, status } = await authorize(asked, undefined, 'text/html')
  t.equal(status, 200)
  for (const [name, value] of [
    ['error', 'login_required'],
    ['iss', service.url],
    ['state', asked.state],
  ])
    t.match(text, `name="${name}" value="${value}"`)
})

test('each value of prompt, on both paths', async (t) => {
  const { token } = await newUser(admin)
  const client = await register()
  const both = async (prompt: string) => {
    const { asked } = asking(client, { prompt })
    const { page, params } = await browser(asked, token)
    const { status, body } = await allow(asked, token)
    return { page, error: params?.get('error'), code: params?.has('code'), status, name: body.name }
  }
  t.match(await both('consent'), { page: 'null', status: 200 }, 'asked in the browser, allowed by the call')
  t.match(await both('none'), { code: true, status: 200 })
  t.match(await both('login'), { page: 'login', status: 401, name: 'Unauthorized' })
  t.match(await both('select_account'), { page: 'select_account', status: 401, name: 'Unauthorized' })
  for (const wrong of ['none login', 'none consent', 'nonsense'])
    t.match(await both(wrong), { error: 'invalid_request', status: 400, name: 'InvalidInput' }, wrong)
  const other = asking(await register(), { prompt: 'none' }).asked
  t.equal((await browser(other, token)).params?.get('error'), 'consent_required')
  t.equal((await allow(other, token)).status, 200, 'the call is the consent')
})

test('max_age on both paths: zero asks for a sign-in, an older limit does not, and what is no age is refused', async (t) => {
  const { token } = await newUser(admin)
  const client = await register({ skip_consent: true })
  const fresh = asking(client, { max_age: '0' }).asked
  t.equal((await browser(fresh, token)).page, 'login')
  t.match(await allow(fresh, token), { status: 401, body: { name: 'Unauthorized' } })
  const young = asking(client, { max_age: '3600' })
  t.ok((await browser(young.asked, token)).params?.has('code'))
  const { body } = await allow(young.asked, token)
  const code = new URL(String(body.redirect_url)).searchParams.get('code')
  const { code_verifier } = young
  const tokens = await redeem(client, { code, code_verifier, redirect_uri: client.redirect_uri })
  t.type(payloadOf(tokens.body.id_token).auth_time, 'number', 'auth_time is told where max_age is asked')
  for (const max_age of ['-1', 'young', '1.5']) {
    const { asked } = asking(client, { max_age })
    t.equal((await browser(asked, token)).params?.get('error'), 'invalid_request', max_age)
    t.match(await allow(asked, token), { status: 400, body: { name: 'InvalidInput' } }, max_age)
  }
})

test('nonce comes back in the ID token from both paths, whatever is in it', async (t) => {
  const { token } = await newUser(admin)
  const client = await register({ skip_consent: true })
  const nonce = ' "n&=+%ü<\u{1f511}>'
  const { asked, code_verifier } = asking(client, { nonce })
  const codes = [
    (await browser(asked, token)).params?.get('code'),
    new URL(String((await allow(asked, token)).body.redirect_url)).searchParams.get('code'),
  ]
  for (const code of codes) {
    const { body } = await redeem(client, { code, code_verifier, redirect_uri: client.redirect_uri })
    t.equal(payloadOf(body.id_token).nonce, nonce)
  }
})

test('id_token_hint: its person goes on, anybody else signs in; one of another client or of nobody is refused', async (t) => {
  const [one, two] = [await newUser(admin), await newUser(admin)]
  const [client, other] = [await register({ skip_consent: true }), await register()]
  const { id_token } = await tokensFor(client, one.token)
  const asked = (id_token_hint: string, more: Fields = {}) => asking(client, { id_token_hint, ...more }).asked
  t.ok((await browser(asked(id_token), one.token)).params?.has('code'))
  t.equal((await browser(asked(id_token), two.token)).page, 'login')
  t.equal((await browser(asked(id_token))).page, 'login')
  t.equal(
    (await browser(asked(id_token, { prompt: 'none' }), two.token)).params?.get('error'),
    'login_required',
  )
  const [head, body, signature] = id_token.split('.')
  const changed = Buffer.from(JSON.stringify({ ...payloadOf(id_token), sub: two.uid })).toString('base64url')
  for (const forged of [
    (await tokensFor(other, one.token)).id_token,
    `${head}.${changed}.${signature}`,
    `${btoa('{"alg":"none"}')}.${body}.`,
    'a.b.c',
    'garbage',
  ])
    t.equal(
      (await browser(asked(forged), two.token)).params?.get('error'),
      'invalid_request',
      forged.slice(0, 20),
    )
})

test('POST /api/oauth/authorize takes id_token_hint in a pushed request only, and heeds it', async (t) => {
  const [one, two] = [await newUser(admin), await newUser(admin)]
  const client = await register()
  const { client_id, client_secret } = client
  const { id_token } = await tokensFor(client, one.token)
  const { asked } = asking(client, { id_token_hint: id_token })
  t.match(await allow(asked, one.token), {
    status: 400,
    body: { name: 'InvalidInput', message: /id_token_hint/ },
  })
  for (const [person, status] of [
    [two, 401],
    [one, 200],
  ] as const) {
    const { body } = await request('POST', '/oauth/par', { body: { ...asked, client_id, client_secret } })
    t.equal((await allow({ client_id, request_uri: body.request_uri }, person.token)).status, status)
  }
})
