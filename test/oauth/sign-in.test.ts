import tap, { test } from 'tap'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'

const service = await startTestService({ app_onboarding__needs: '' })
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, asking, allow, redeem, tokensFor, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())
const _html = 'text/html'
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

test('a login made at the provider is a portal session, and its cookie works on /api/*', async (t) => {
  const { uid, password } = await newUser(admin)
  const client = await register({ skip_consent: true })
  const { go, session, locationOf } = visitor(service)
  const begun = await go('GET', `/oauth/authorize?${new URLSearchParams(asking(client).asked)}`)
  const page = locationOf(begun)
  t.equal((await go('GET', page)).status, 200)
  const wrong = await go('POST', page, { uid, password: 'wrong password' })
  t.equal(wrong.status, 401)
  t.match(wrong.text, 'not correct')
  t.match(wrong.text, `value="${uid}"`)
  t.equal(session(), undefined, 'no session before every check has passed')
  const right = await go('POST', page, { uid, password })
  t.equal(right.status, 303)
  const done = await go('GET', locationOf(right))
  t.equal(done.status, 303)
  t.match(done.headers.get('location'), /^https:\/\/app\.example\/cb\?code=/)
  const cookie = `latchkey=${session()}`
  t.match(await request('GET', '/api/user/me', { headers: { cookie } }), { status: 200, body: { uid } })
  t.match(await request('GET', '/api/user/me', { token: String(session()) }), { status: 200, body: { uid } })
  t.equal((await service.deps.sessions.list(uid)).filter(({ address }) => address === '192.0.2.1').length, 1)
})

test('a portal session satisfies GET /oauth/authorize, by cookie and by header', async (t) => {
  const { token } = await newUser(admin)
  const client = await register({ skip_consent: true })
  const { asked } = asking(client)
  for (const options of [{ token }, { headers: { cookie: `latchkey=${token}` } }])
    t.match(
      (await request('GET', `/oauth/authorize?${new URLSearchParams(asked)}`, options)).headers.get(
        'location',
      ),
      /\?code=/,
    )
  const both = { token: 'x'.repeat(43), headers: { cookie: `latchkey=${token}` } }
  const answer = await request('GET', `/oauth/authorize?${new URLSearchParams(asked)}`, both)
  t.match(answer.headers.get('location'), /\/login$/, 'the header counts before the cookie')
})

test('allowing on the consent page leads back with a code, and the auth-token stays the same', async (t) => {
  const { uid, token } = await newUser(admin)
  const client = await register()
  const { go, jar, session, locationOf } = visitor(service)
  jar.set('latchkey@/', { value: token, path: '/' })
  const { asked, code_verifier } = asking(client)
  const page = await go('GET', `/oauth/authorize?${new URLSearchParams(asked)}`)
  t.equal(page.status, 200)
  const action = /action="(\/oauth\/interaction\/[^"]+\/consent)"/.exec(page.text)?.[1] as string
  const allowed = await go('POST', action, { decision: 'allow' })
  const done = await go('GET', locationOf(allowed))
  const url = new URL(String(done.headers.get('location')))
  t.equal(url.searchParams.get('state'), asked.state)
  const answer = await redeem(client, {
    ...{ code: url.searchParams.get('code'), code_verifier, redirect_uri: client.redirect_uri },
  })
  t.equal(payloadOf(answer.body.id_token).sub, uid)
  t.equal(session(), token)
  t.equal((await request('GET', '/api/user/me', { token })).status, 200)
})

test('denying leads back with access_denied, and nothing is remembered', async (t) => {
  const { token } = await newUser(admin)
  const client = await register()
  const { go, jar, locationOf } = visitor(service)
  jar.set('latchkey@/', { value: token, path: '/' })
  const ask = `/oauth/authorize?${new URLSearchParams(asking(client).asked)}`
  const page = await go('GET', ask)
  const action = /action="(\/oauth\/interaction\/[^"]+\/consent)"/.exec(page.text)?.[1] as string
  const denied = await go('GET', locationOf(await go('POST', action, { decision: 'deny' })))
  t.equal(new URL(String(denied.headers.get('location'))).searchParams.get('error'), 'access_denied')
  t.equal((await go('GET', ask)).status, 200, 'asked again')
})

test('the session id changes at login: prompt=login ends the old token and keeps the session', async (t) => {
  const { uid, password, token } = await newUser(admin)
  const client = await register()
  const kept = await tokensFor(client, token)
  const { go, jar, session, locationOf } = visitor(service)
  jar.set('latchkey@/', { value: token, path: '/' })
  const before = (await service.deps.sessions.list(uid)).map(({ id }) => id)
  await pause(1100)
  const page = locationOf(
    await go('GET', `/oauth/authorize?${new URLSearchParams(asking(client, { prompt: 'login' }).asked)}`),
  )
  const done = await go('GET', locationOf(await go('POST', page, { uid, password })))
  t.match(done.headers.get('location'), /\?code=/)
  t.not(session(), token)
  t.equal((await request('GET', '/api/user/me', { token })).status, 401, 'the old token is dead')
  t.equal((await request('GET', '/api/user/me', { token: String(session()) })).status, 200)
  t.same(
    (await service.deps.sessions.list(uid)).map(({ id }) => id),
    before,
    'the same session',
  )
  t.equal((await userinfo(kept.access_token)).status, 200, 'and what was given in it lives')
})

test('somebody else signing in at the page ends the session that was there', async (t) => {
  const [one, two] = [await newUser(admin), await newUser(admin)]
  const client = await register()
  await allow(asking(client).asked, one.token)
  const { go, jar, session, locationOf } = visitor(service)
  jar.set('latchkey@/', { value: one.token, path: '/' })
  const consent = await go(
    'GET',
    `/oauth/authorize?${new URLSearchParams({ ...asking(client).asked, prompt: 'consent' })}`,
  )
  const action = /action="(\/oauth\/interaction\/[^"]+\/consent)"/.exec(consent.text)?.[1] as string
  const again = await go('POST', action, { decision: 'switch' })
  const page = locationOf(await go('GET', locationOf(again)))
  t.match(page, /\/login$/)
  const resumed = await go(
    'GET',
    locationOf(await go('POST', page, { uid: two.uid, password: two.password })),
  )
  t.match(locationOf(resumed), /\/consent$/, 'two is asked, whatever one allowed')
  t.equal((await request('GET', '/api/user/me', { token: one.token })).status, 401)
  t.match((await request('GET', '/api/user/me', { token: String(session()) })).body, { uid: two.uid })
  t.match((await go('GET', locationOf(resumed))).text, two.uid)
})

test('attack 39: login and consent posts from another origin are refused', async (t) => {
  const { uid, password, token } = await newUser(admin)
  const client = await register()
  const { go, jar, locationOf, session } = visitor(service)
  const page = locationOf(await go('GET', `/oauth/authorize?${new URLSearchParams(asking(client).asked)}`))
  for (const headers of [
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
  ]) {
    const refused = await go('POST', page, { uid, password }, headers)
    t.equal(refused.status, 401)
    t.match(refused.text, 'InsufficientPermission')
  }
  t.equal(session(), undefined)
  jar.set('latchkey@/', { value: token, path: '/' })
  const consent = await go('GET', `/oauth/authorize?${new URLSearchParams(asking(client).asked)}`)
  const action = /action="(\/oauth\/interaction\/[^"]+\/consent)"/.exec(consent.text)?.[1] as string
  t.equal((await go('POST', action, { decision: 'allow' }, { origin: 'https://evil.example' })).status, 401)
})

test('nobody can be led into a sign-in that somebody else began', async (t) => {
  const { uid, password } = await newUser(admin)
  const client = await register()
  const [attacker, victim] = [visitor(service), visitor(service)]
  const page = attacker.locationOf(
    await attacker.go('GET', `/oauth/authorize?${new URLSearchParams(asking(client).asked)}`),
  )
  t.equal((await victim.go('GET', page)).status, 400)
  t.equal((await victim.go('POST', page, { uid, password })).status, 400)
  t.equal(victim.session(), undefined)
})

test('the limit of POST /api/auth/login holds at the provider’s page too', async (t) => {
  const client = await register()
  const { go, locationOf } = visitor(service, '192.0.2.77')
  const page = locationOf(await go('GET', `/oauth/authorize?${new URLSearchParams(asking(client).asked)}`))
  const tries: number[] = []
  for (let n = 0; n < 11; n++)
    tries.push((await go('POST', page, { uid: 'nobody', password: 'wrong password' })).status)
  t.same(tries, [...Array(10).fill(401), 429])
  const api = { address: '192.0.2.77', body: { uid: 'nobody', password: 'wrong password' } }
  t.equal((await request('POST', '/api/auth/login', api)).status, 429)
})

test('with an https issuer every cookie of a sign-in is Secure, and the session cookie is bound to the host', async (t) => {
  const issuer = 'https://sso.example'
  await using pod = await service.secondPod({ app_oauth__issuer: issuer })
  const there = relyingParty(pod, admin)
  const client = await there.register({ skip_consent: true })
  const { uid, password } = await newUser(admin)
  const begun = await there.authorize(there.asking(client).asked)
  const cookies = begun.headers.getSetCookie()
  t.equal(cookies.length, 2)
  for (const line of cookies) t.match(line, /; secure/i)
  const cookie = cookies.map((line) => line.split(';')[0]).join('; ')
  const headers = { cookie, origin: issuer, 'content-type': 'application/x-www-form-urlencoded' }
  const body = new URLSearchParams({ uid, password }).toString()
  const made = await pod.request('POST', String(begun.headers.get('location')), { headers, body })
  t.match(
    made.headers.get('set-cookie'),
    /^__Host-latchkey=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  const resume = String(made.headers.get('location'))
  t.ok(resume.startsWith(`${issuer}/oauth/authorize/`))
  const session = made.headers.get('set-cookie')?.split(';')[0]
  const done = await pod.request('GET', new URL(resume).pathname, {
    headers: { cookie: `${cookie}; ${session}` },
  })
  t.match(done.headers.get('location'), /^https:\/\/app\.example\/cb\?code=.*iss=https%3A%2F%2Fsso\.example/)
})
