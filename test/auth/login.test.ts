import tap, { test } from 'tap'
import { freshAddress } from '#test/support/client.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService({ app_auth__failures: '5' })
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
tap.teardown(() => service[Symbol.asyncDispose]())

const wrong = 'not the password'
const signIn = (uid: unknown, password: unknown, address?: string) =>
  request('POST', '/api/auth/login', { body: { uid, password }, ...(address ? { address } : {}) })
const setActive = (uid: string, active: boolean) =>
  request('PUT', `/api/user/${uid}/active`, { token: admin, body: { active } })

test('POST /api/auth/login answers login, token and message, and the token opens protected routes', async (t) => {
  const { uid, password } = await newUser(admin)
  const { status, body, headers } = await signIn(uid, password)
  t.equal(status, 200)
  t.match(body, { login: true, token: /^[\w-]{43}$/, message: String })
  t.match(headers.get('set-cookie'), /^latchkey=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
  t.equal(headers.get('cache-control'), 'no-store')
  const me = await request('GET', '/api/user/me', { token: body.token as string })
  t.equal(me.status, 200)
  t.equal(me.body.uid, uid)
})

test('a name is one account in every spelling: case, blanks, full width, mail address', async (t) => {
  const { uid, password, mail } = await newUser(admin)
  for (const name of [uid.toUpperCase(), ` ${uid} `, uid.replace('u', 'ｕ'), mail, mail.toUpperCase()])
    t.equal((await signIn(name, password)).status, 200, name)
})

test('wrong password, unknown user, locked user, account without a password: same status 401, same body, same headers', async (t) => {
  const known = await newUser(admin)
  const locked = await newUser(admin)
  await setActive(locked.uid, false)
  const bare = await service.deps.users.create(
    { uid: 'bare', givenName: 'No', sn: 'Password', mail: 'bare@example.org' },
    { mustChange: false },
  )
  const tries = [
    await signIn(known.uid, wrong),
    await signIn('nobody-here', wrong),
    await signIn(locked.uid, locked.password),
    await signIn(bare.uid, wrong),
    await signIn('a)(uid=*', wrong),
  ]
  const names = (headers: Headers) => [...headers.keys()].sort()
  for (const { status, body, headers } of tries) {
    t.equal(status, 401)
    t.strictSame(body, { name: 'LoginFailed', message: 'The username or password is not correct.' })
    t.strictSame(names(headers), names(tries[0]?.headers as Headers))
    t.equal(headers.get('set-cookie'), null)
  }
})

test('every refusal costs the directory the same: two searches and one hashed check', async (t) => {
  const { uid } = await newUser(admin)
  const cost = async (name: string) => {
    const before = await service.roundTrips()
    await signIn(name, wrong)
    return (await service.roundTrips()).ldap - before.ldap
  }
  t.equal(await cost(uid), 3, 'known')
  t.equal(await cost('nobody-there'), 3, 'unknown')
})

test('round trips of a right password: to Redis the limit, the try, the session, its id and the audit log', async (t) => {
  await signIn(service.admin.uid, service.admin.password) // scripts are known to Redis by now
  const before = await service.roundTrips()
  t.equal((await signIn(service.admin.uid, service.admin.password)).status, 200)
  const after = await service.roundTrips()
  t.same({ ldap: after.ldap - before.ldap, redis: after.redis - before.redis }, { ldap: 3, redis: 5 })
})

test('an empty, null, array or number password never reaches a bind', async (t) => {
  for (const password of ['', null, ['x'], 12345678, { a: 1 }, true]) {
    const before = await service.roundTrips()
    const { status, body } = await signIn(service.admin.uid, password)
    t.equal(status, 400)
    t.equal(body.name, 'InvalidInput')
    t.match(body.message, /password/)
    t.equal((await service.roundTrips()).ldap, before.ldap)
  }
})

test('a password over the limit is refused before hashing', async (t) => {
  const before = await service.roundTrips()
  t.equal((await signIn(service.admin.uid, 'x'.repeat(129))).body.name, 'InvalidInput')
  t.equal((await service.roundTrips()).ldap, before.ldap)
})

test('unknown fields in a request body are 400 InvalidInput, naming the field', async (t) => {
  const { status, body } = await request('POST', '/api/auth/login', {
    body: { uid: 'a', password: 'b', admin: true },
  })
  t.equal(status, 400)
  t.strictSame(body, { name: 'InvalidInput', message: 'admin is not a known field.' })
})

test('failures for one account, from whatever addresses, close all doors of that account with the same 401', async (t) => {
  const { uid, password } = await newUser(admin)
  const tries = await Promise.all(Array.from({ length: 20 }, () => signIn(uid, wrong)))
  t.ok(tries.every(({ status }) => status === 401))
  const { status, body } = await signIn(uid, password)
  t.equal(status, 401)
  t.equal(body.name, 'LoginFailed')
  t.equal((await signIn(uid.toUpperCase(), password)).status, 401, 'in another spelling too')
})

test('fifty simultaneous wrong passwords: no more than the limit reach the verifier', async (t) => {
  const { uid, dn } = await newUser(admin)
  const { users } = service.deps
  const { verifyPassword } = users
  let reached = 0
  users.verifyPassword = (entry, password) => {
    if (entry?.dn === dn) reached++
    return verifyPassword(entry, password)
  }
  try {
    const all = await Promise.all(Array.from({ length: 50 }, (_, n) => signIn(uid, `guess number ${n}`)))
    t.ok(all.every(({ status }) => status === 401))
  } finally {
    users.verifyPassword = verifyPassword
  }
  t.equal(reached, 5)
})

test('a login flood leaves /healthz quick', async (t) => {
  let answered = 0
  const flood = Array.from({ length: 100 }, async (_, n) => {
    const { status } = await signIn(`nobody${n}`, wrong)
    answered++
    return status
  })
  for (let n = 0; n < 3; n++) t.equal((await request('GET', '/healthz')).status, 200)
  t.ok(answered < flood.length / 2, `answered while ${flood.length - answered} sign-ins waited`)
  for (const status of await Promise.all(flood)) t.ok(status === 401 || status === 429, String(status))
})

test('right passwords do not count as failures', async (t) => {
  const { uid, password } = await newUser(admin)
  for (let i = 0; i < 8; i++) t.equal((await signIn(uid, password)).status, 200)
})

test('POST /api/auth/login: 10 requests per 15 minutes per client address, then 429 with Retry-After', async (t) => {
  const address = freshAddress()
  const statuses = []
  for (let i = 0; i < 10; i++) statuses.push((await signIn(`nobody${i}`, wrong, address)).status)
  t.ok(statuses.every((status) => status === 401))
  const { status, body, headers } = await signIn('nobody', wrong, address)
  t.equal(status, 429)
  t.equal(body.name, 'TooManyRequests')
  t.ok(Number(headers.get('retry-after')) > 0)
  t.equal((await signIn('nobody', wrong)).status, 401, 'another address is not limited')
})

test('the limit counts on all pods together', async (t) => {
  await using pod = await service.secondPod()
  const address = freshAddress()
  const one = { body: { uid: 'nobody', password: wrong }, address }
  for (let i = 0; i < 5; i++) await request('POST', '/api/auth/login', one)
  for (let i = 0; i < 5; i++) await pod.request('POST', '/api/auth/login', one)
  t.equal((await request('POST', '/api/auth/login', one)).status, 429)
  t.equal((await pod.request('POST', '/api/auth/login', one)).status, 429)
})

test('a sign-in posted by a foreign page is refused', async (t) => {
  const { uid, password } = await newUser(admin)
  const body = { uid, password }
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const { status, body: refusal } = await request('POST', '/api/auth/login', { body, headers })
  t.equal(status, 401)
  t.equal(refusal.name, 'InsufficientPermission')
})

test('no session record exists before every check has passed', async (t) => {
  const { uid } = await newUser(admin)
  const before = (await service.deps.sessions.list(uid)).length
  await signIn(uid, wrong)
  t.equal((await service.deps.sessions.list(uid)).length, before)
})
