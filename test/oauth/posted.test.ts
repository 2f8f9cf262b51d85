import tap, { test } from 'tap'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { keysOfRequests } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'

const service = await startTestService({ app_onboarding__needs: '' })
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, asking, authorize, allow, redeem, tokensFor } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())
const html = 'text/html,application/xhtml+xml'

const post = (asked: Record<string, string>) =>
  request('POST', '/oauth/authorize', {
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: html },
    body: new URLSearchParams(asked).toString(),
  })
const follow = (location: string | null) =>
  request('GET', String(location), { token: admin, headers: { accept: html } })

test('POST /oauth/authorize sends the browser to the same request as a GET, however long it is', async (t) => {
  const client = await register({ skip_consent: true })
  for (const length of [10, 30_000]) {
    const { asked, code_verifier } = asking(client, { nonce: 'n'.repeat(length) })
    const first = await post(asked)
    t.equal(first.status, 303)
    t.ok(String(first.headers.get('location')).length < 8200)
    const { headers, status } = await follow(first.headers.get('location'))
    t.equal(status, 303)
    const target = new URL(String(headers.get('location')))
    t.equal(target.origin + target.pathname, client.redirect_uri)
    t.equal(target.searchParams.get('state'), asked.state)
    const code = { code: target.searchParams.get('code'), code_verifier, redirect_uri: client.redirect_uri }
    t.equal((await redeem(client, code)).status, 200)
  }
})

test('a posted request is checked as any other, and leads nowhere unregistered', async (t) => {
  const client = await register()
  for (const length of [10, 30_000]) {
    const wrong = { redirect_uri: 'https://evil.example/cb', nonce: 'n'.repeat(length) }
    const answer = await follow((await post(asking(client, wrong).asked)).headers.get('location'))
    t.equal(answer.status, 400)
    t.equal(answer.headers.get('location'), null)
    t.match(answer.text, 'InvalidRedirectURI')
  }
})

test('a long posted request of an unknown client is kept nowhere', async (t) => {
  const { redis } = service.deps.store
  const before = await keysOfRequests(redis)
  const body = new URLSearchParams({
    client_id: 'nobody',
    state: 'x'.repeat(20_000),
    response_type: 'code',
  }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const sent = await request('POST', '/oauth/authorize', { headers, body })
  t.equal(sent.status, 303)
  t.same(await keysOfRequests(redis), before)
  const answer = await request('GET', String(sent.headers.get('location')).replace(service.url, ''))
  t.match(answer, { status: 400, body: { error: 'invalid_client' } })
})

test('response_mode form_post answers a page that posts code, state and iss, also without scripts', async (t) => {
  const client = await register({ skip_consent: true })
  const { asked } = asking(client, { response_mode: 'form_post', state: '"><script>alert(1)</script>' })
  const page = await authorize(asked, admin, html)
  t.equal(page.status, 200)
  t.match(page.text, `action="${client.redirect_uri}"`)
  t.match(page.text, /name="code" value="[0-9a-f-]{36}"/)
  t.match(page.text, `name="iss" value="${service.url}"`)
  t.match(page.text, /name="state" value="&quot;&gt;&lt;script&gt;/)
  t.match(page.text, '<button>Continue</button>')
  const policy = page.headers.get('content-security-policy')
  t.match(policy, /script-src 'sha256-[\w+/=]{44}'/)
  t.match(policy, /form-action 'self' https:\/\/app\.example https: http:;/)
  t.notMatch(policy, 'unsafe-inline')
  const none = await authorize({ ...asked, prompt: 'none' }, undefined, html)
  t.match(none.text, 'name="error" value="login_required"')
})

test('other response modes are refused, and POST /api/oauth/authorize takes query only', async (t) => {
  const client = await register()
  for (const response_mode of ['fragment', 'web_message', 'jwt', 'x']) {
    const { headers } = await authorize(asking(client, { response_mode }).asked, admin)
    t.match(headers.get('location'), /\?error=unsupported_response_mode/, response_mode)
  }
  const { client_id, client_secret } = client
  const pushed = await request('POST', '/oauth/par', {
    body: { ...asking(client, { response_mode: 'form_post' }).asked, client_id, client_secret },
  })
  const { request_uri } = pushed.body as { request_uri: string }
  t.match(await allow({ client_id, request_uri }, admin), {
    status: 400,
    body: { name: 'InvalidInput', message: /^unsupported_response_mode/ },
  })
})

test('userinfo takes the token in a form body (RFC 6750 section 2.2), in one place only, and never in the query', async (t) => {
  const { access_token } = await tokensFor(await register(), admin)
  const form = (more: Record<string, string> = {}) =>
    request('POST', '/oauth/userinfo', {
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...more },
      body: new URLSearchParams({ access_token }).toString(),
    })
  t.match(await form(), { status: 200, body: { sub: service.admin.uid } })
  t.equal((await form({ authorization: `Bearer ${access_token}` })).status, 400)
  t.equal((await request('GET', `/oauth/userinfo?access_token=${access_token}`)).status, 400)
})

test('a long request goes on as somebody else without a long address, and all of it comes along', async (t) => {
  const two = await newUser(admin)
  const short = (location: string) => {
    t.ok(location.length < 2000, `${location.length} characters`)
    return location
  }
  const action = (text: string) => /action="(\/oauth\/interaction\/[^"]+\/\w+)"/.exec(text)?.[1] as string
  for (const prompt of ['consent', 'select_account']) {
    const one = await newUser(admin)
    const client = await register()
    const { go, jar, locationOf } = visitor(service)
    jar.set('latchkey@/', { value: one.token, path: '/' })
    const { asked, code_verifier } = asking(client, { nonce: 'n'.repeat(9000), prompt })
    const begun = await go('GET', short(locationOf(await go('POST', '/oauth/authorize', asked))))
    const page = begun.status === 200 ? begun : await go('GET', locationOf(begun))
    t.match(page.text, one.uid)
    const again = short(locationOf(await go('POST', action(page.text), { decision: 'switch' })))
    const signIn = locationOf(await go('GET', again))
    t.match(signIn, /\/login$/)
    const { uid, password } = two
    const resumed = locationOf(await go('GET', locationOf(await go('POST', signIn, { uid, password }))))
    const allowed = await go('POST', action((await go('GET', resumed)).text), { decision: 'allow' })
    const { searchParams } = new URL(locationOf(await go('GET', locationOf(allowed))))
    t.equal(searchParams.get('state'), asked.state)
    const code = { code: searchParams.get('code'), code_verifier, redirect_uri: client.redirect_uri }
    const { id_token } = (await redeem(client, code)).body
    t.match(payloadOf(id_token), { sub: uid, nonce: asked.nonce })
  }
})

test('a long request that ends at the groups of an application goes on as somebody else by a form', async (t) => {
  const { token } = await newUser(admin)
  const { asked } = asking(await register({ allowed_groups: ['app_sso_admin'] }), { nonce: 'n'.repeat(9000) })
  const page = await authorize(asked, token, html)
  t.equal(page.status, 403)
  const [form = ''] = /<form method="post" action="\/oauth\/authorize">.*?<\/form>/s.exec(page.text) ?? []
  const hidden = [...form.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(
    ([, ...pair]) => pair as [string, string],
  )
  const sent = Object.fromEntries(hidden)
  t.match(sent, { ...asked, prompt: 'login' })
  t.ok(String((await post(sent)).headers.get('location')).length < 2000)
})
