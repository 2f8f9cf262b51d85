import { setTimeout } from 'node:timers/promises'
import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
tap.teardown(() => service[Symbol.asyncDispose]())

type Sessions = {
  results: {
    id: string
    created_on: number
    last_used_on: number
    address: string
    agent: string
    current: boolean
  }[]
}
const sessionsOf = async (token: string) =>
  (await request<Sessions>('GET', '/api/auth/session', { token })).body.results
const cookie = (token: string) => ({ cookie: `latchkey=${token}` })
const own = { origin: service.url }

test('ALL /api/auth/logout ends the session whose token it is given', async (t) => {
  for (const method of ['POST', 'GET', 'PUT', 'DELETE']) {
    const { token } = await newUser(admin)
    const { status, body } = await request(method, '/api/auth/logout', { token })
    t.equal(status, 200, method)
    t.type(body.message, 'string')
    const after = await request('GET', '/api/user/me', { token })
    t.equal(after.status, 401)
    t.equal(after.body.name, 'Unauthorized')
  }
})

test('without a token, or with an unknown one, logout still answers a message', async (t) => {
  t.type((await request('POST', '/api/auth/logout')).body.message, 'string')
  t.type((await request('POST', '/api/auth/logout', { token: 'unknown' })).body.message, 'string')
})

test('a GET of logout that carries only the cookie asks for confirmation on a page instead', async (t) => {
  const { token } = await newUser(admin)
  for (const method of ['GET', 'HEAD']) {
    const { status, headers } = await request(method, '/api/auth/logout', { headers: cookie(token) })
    t.equal(status, 303, method)
    t.equal(headers.get('location'), '/logout')
  }
  t.equal((await request('GET', '/api/user/me', { token })).status, 200, 'the session lives')
})

test('GET /api/auth/session lists the caller’s sessions: created, last used, address, user agent, current', async (t) => {
  const { uid, password, token } = await newUser(admin)
  const other = await request('POST', '/api/auth/login', {
    body: { uid, password },
    address: '192.0.2.7',
    headers: { 'user-agent': 'Lynx' },
  })
  const all = await sessionsOf(token)
  t.equal(all.length, 2)
  t.equal(all.filter(({ current }) => current).length, 1)
  const lynx = all.find(({ agent }) => agent === 'Lynx')
  t.match(lynx, { address: '192.0.2.7', created_on: Number, last_used_on: Number, current: false })
  t.notMatch(JSON.stringify(all), other.body.token as string)
})

test('DELETE /api/auth/session/:id ends one, DELETE /api/auth/session all others', async (t) => {
  const { uid, password, token } = await newUser(admin)
  const second = await login(uid, password)
  const third = await login(uid, password)
  const [oneOther] = (await sessionsOf(token)).filter(({ current }) => !current)
  t.equal((await request('DELETE', `/api/auth/session/${oneOther?.id}`, { token })).status, 200)
  t.equal((await sessionsOf(token)).length, 2)
  t.equal((await request('DELETE', '/api/auth/session', { token })).status, 200)
  t.equal((await sessionsOf(token)).length, 1)
  for (const dead of [second, third])
    t.equal((await request('GET', '/api/user/me', { token: dead })).status, 401)
  t.equal((await request('GET', '/api/user/me', { token })).status, 200)
})

test('nobody ends another user’s session', async (t) => {
  const [mine, theirs] = [await newUser(admin), await newUser(admin)]
  const [session] = await sessionsOf(theirs.token)
  const { status, body } = await request('DELETE', `/api/auth/session/${session?.id}`, { token: mine.token })
  t.equal(status, 404)
  t.equal(body.name, 'NotFound')
  t.equal((await sessionsOf(theirs.token)).length, 1)
})

test('from a browser the same session rides in a cookie', async (t) => {
  const { uid, token } = await newUser(admin)
  t.equal((await request('GET', '/api/user/me', { headers: cookie(token) })).body.uid, uid)
})

test('a request that changes something by cookie alone is refused unless its Origin is our own', async (t) => {
  const { uid, token } = await newUser(admin)
  const change = (headers: Record<string, string>) =>
    request('PUT', `/api/user/${uid}`, {
      headers: { ...cookie(token), ...headers },
      body: { givenName: 'Changed' },
    })
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'cross-site' },
    { origin: `${service.url}.evil.example` },
  ] as Record<string, string>[]
  for (const headers of foreign) {
    const { status, body } = await change(headers)
    t.equal(status, 401, JSON.stringify(headers))
    t.equal(body.name, 'InsufficientPermission')
  }
  t.equal((await request('GET', '/api/user/me', { token })).body.givenName, 'Given')
  t.equal((await change(own)).status, 200)
  t.equal((await change({ origin: 'null', 'sec-fetch-site': 'same-origin' })).status, 200)
})

test('the cookie is __Host- and Secure with an https issuer', async (t) => {
  const issuer = 'https://sso.example.org'
  await using pod = await startTestService({ app_oauth__issuer: issuer })
  const body = { uid: pod.admin.uid, password: pod.admin.password }
  const { headers } = await pod.request('POST', '/api/auth/login', { body })
  t.match(headers.get('set-cookie'), /^__Host-latchkey=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
  t.match(headers.get('strict-transport-security'), /max-age/)
})

test('header auth-token of more than 256 bytes is refused', async (t) => {
  const { status, body } = await request('GET', '/api/user/me', { token: 'x'.repeat(257) })
  t.equal(status, 401)
  t.equal(body.name, 'Unauthorized')
})

test('shorter limits hold for the sessions that are there already', async (t) => {
  const { auth } = service.deps.config
  for (const limit of ['session_idle_seconds', 'session_absolute_seconds'] as const) {
    const { token } = await newUser(admin)
    const before = auth[limit]
    auth[limit] = 1
    await setTimeout(1100)
    t.equal((await request('GET', '/api/user/me', { token })).status, 401, limit)
    auth[limit] = before
  }
})

test('a locked account’s sessions are dead at once, whoever locked it', async (t) => {
  const { uid, token } = await newUser(admin)
  await service.deps.users.setActive(uid, false)
  t.equal((await request('GET', '/api/user/me', { token })).status, 401)
})

test('sessions live through a restart of the service and die with a changed signing secret', async (t) => {
  const { token, uid } = await newUser(admin)
  await using same = await service.secondPod()
  t.equal((await same.request('GET', '/api/user/me', { token })).body.uid, uid)
  await using changed = await service.secondPod({
    app_oauth__jwtSecret: 'another secret of more than 32 characters',
  })
  t.equal((await changed.request('GET', '/api/user/me', { token })).status, 401)
})

type OfUser = { results: { id: string; agent: string; current: boolean; impersonator?: string }[] }

test('an admin sees where a user is signed in, ends one session, or all of them with the tokens of applications', async (t) => {
  const { uid, password, token } = await newUser(admin)
  const there = await request<{ token: string }>('POST', '/api/auth/login', {
    body: { uid, password },
    headers: { 'user-agent': 'Lynx' },
  })
  const path = `/api/user/${uid}/session`
  const ask = (method: string, at = path, as = admin) => request<OfUser>(method, at, { token: as })
  const { body } = await ask('GET')
  t.same(body.results.map(({ agent, current }) => [agent, current]).sort()[0], ['Lynx', false])
  t.equal(body.results.length, 2)
  const lynx = body.results.find(({ agent }) => agent === 'Lynx')
  t.equal((await ask('DELETE', `${path}/${lynx?.id}`)).status, 200)
  t.equal((await request('GET', '/api/user/me', { token: there.body.token })).status, 401)
  t.equal((await request('GET', '/api/user/me', { token })).status, 200)
  t.match(await ask('DELETE', `${path}/${lynx?.id}`), { status: 404, body: { name: 'NotFound' } })

  const personal = await request<{ token: string }>('POST', '/api/api-token', {
    token,
    body: { name: 'a program', scope: 'read', expires_in_days: 1 },
  })
  t.equal((await ask('DELETE')).status, 200)
  t.equal((await request('GET', '/api/user/me', { token })).status, 401)
  t.same((await ask('GET')).body.results, [])
  const bearer = { headers: { authorization: `Bearer ${personal.body.token}` } }
  t.equal((await request('GET', '/api/user/me', bearer)).status, 200, 'a personal access token stays')
  await service.deps.audit.settled()
  const told = (await service.deps.audit.read()).filter(({ action }) => action === 'user.session-end')
  t.match(told, [
    { actor: service.admin.uid, target: uid, outcome: 'ok' },
    { actor: service.admin.uid, target: uid, outcome: 'ok', detail: { ended: 1 } },
  ])
})

test('sessions of others are for admins: somebody else’s id is not found, an impersonated one names the admin', async (t) => {
  const [one, two] = [await newUser(admin), await newUser(admin)]
  const path = `/api/user/${one.uid}/session`
  for (const method of ['GET', 'DELETE'])
    t.match(await request(method, path, { token: two.token }), {
      status: 401,
      body: { name: 'InsufficientPermission' },
    })
  const [own] = await sessionsOf(two.token)
  t.equal((await request('DELETE', `${path}/${own?.id}`, { token: admin })).status, 404)
  t.equal((await request('GET', '/api/user/me', { token: two.token })).status, 200)
  t.equal((await request('GET', '/api/user/nobody/session', { token: admin })).status, 404)
  const temporary = await request<{ temp_password: string }>('POST', `/api/auth/impersonate/${one.uid}`, {
    token: admin,
  })
  await login(one.uid, temporary.body.temp_password)
  const { body } = await request<OfUser>('GET', path, { token: admin })
  t.same(body.results.map(({ impersonator }) => impersonator).filter(Boolean), [service.admin.uid])
})
