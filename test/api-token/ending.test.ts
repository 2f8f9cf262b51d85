import { randomBytes } from 'node:crypto'
import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const other = await service.secondPod()
const { request, login, newUser, deps } = service
const admin = await login(service.admin.uid, service.admin.password)
tap.teardown(async () => {
  await other[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
type Made = { token: string; results: { id: string; last_used_on: number | null }; name: string }
const make = (token: string) =>
  request<Made>('POST', '/api/api-token', {
    token,
    body: { name: 'program', scope: 'write', expires_in_days: 1 },
  })
const me = (token: string, pod: typeof request = request) =>
  pod('GET', '/api/user/me', { headers: { authorization: `Bearer ${token}` } })
const unknown = { status: 401, body: { name: 'Unauthorized' } }
const another = { password: 'another password', confirm: 'another password' }

test('locking the account, deleting it, a new password or a reset ends its tokens for good, on every pod', async (t) => {
  const ways: Record<string, (uid: string, session: string) => Promise<unknown>> = {
    locked: (uid) => request('PUT', `/api/user/${uid}/active`, { token: admin, body: { active: false } }),
    deleted: (uid) => request('DELETE', `/api/user/${uid}`, { token: admin }),
    'own password': (_uid, token) => request('PUT', '/api/user/password', { token, body: another }),
    'password by an admin': (uid) =>
      request('PUT', `/api/user/${uid}/password`, { token: admin, body: another }),
    reset: async (uid) => {
      const generation = await deps.sessions.generation(uid)
      const reset = await deps.store.resets.issue(uid, { mail: `${uid}@example.org`, generation })
      return request('POST', `/api/auth/resetpassword/${reset}`, { body: another })
    },
  }
  for (const [name, end] of Object.entries(ways)) {
    const { uid, token: session } = await newUser(admin)
    const { token } = (await make(session)).body
    t.equal((await me(token, other.request)).status, 200)
    t.match(await end(uid, session), { status: 200 }, name)
    for (const pod of [request, other.request]) t.match(await me(token, pod), unknown, name)
    await request('PUT', `/api/user/${uid}/active`, { token: admin, body: { active: true } })
    t.match(await me(token), unknown, `${name}: unlocking brings nothing back`)
  }
})

test('ending all other sessions leaves tokens alone', async (t) => {
  const { token: session } = await newUser(admin)
  const { token } = (await make(session)).body
  await request('DELETE', '/api/auth/session', { token: session })
  t.equal((await me(token)).status, 200)
})

test('an entry that another program made anew under the same name is somebody else’s', async (t) => {
  const { uid, token: session } = await newUser(admin)
  const { token } = (await make(session)).body
  const find = deps.accounts.find
  const [before, later] = await Promise.all([find(uid), find(uid)])
  if (!before || !later) throw new Error('no account')
  deps.accounts.find = async () => ({
    ...later,
    entry: { ...later.entry, createTimestamp: '20990101000000Z' },
  })
  t.match(await me(token), unknown)
  deps.accounts.find = find
  t.equal((await me(token)).status, 200)
})

test('a token that is being made while all of its account ends is dead', async (t) => {
  const { generation } = deps.sessions
  const ends: [string, (uid: string) => Promise<unknown>][] = [
    ['before its generation is read', (uid) => deps.sessions.endAll(uid)],
    [
      'after',
      async (uid) => {
        await deps.sessions.endAll(uid)
        await deps.store.apiTokens.end(uid)
      },
    ],
  ]
  for (const [when, end] of ends) {
    const { uid, token: session } = await newUser(admin)
    deps.sessions.generation = async (name) => {
      const early = await generation(name)
      await end(uid)
      return when === 'after' ? early : generation(name)
    }
    t.match(await make(session), unknown, when)
    deps.sessions.generation = generation
    t.same(await deps.store.apiTokens.list(uid), [])
  }
})

test('made under a generation that has passed there is none, whatever the session said', async (t) => {
  const { uid } = await newUser(admin)
  const asked = { uid, account: '', name: 'late', scope: 'read', lifetimeSeconds: 60, most: 20 } as const
  const generation = await deps.sessions.generation(uid)
  await deps.sessions.endAll(uid)
  t.equal(await deps.store.apiTokens.create({ ...asked, generation }), 'passed')
})

test('a token expires by Redis’s clock, and is listed no more', async (t) => {
  const { uid, token: session } = await newUser(admin)
  const account = (await deps.users.find(uid))?.createTimestamp ?? ''
  const generation = await deps.sessions.generation(uid)
  const lifetimeSeconds = -1
  const asked = { uid, account, name: 'old', scope: 'read', lifetimeSeconds, generation, most: 20 } as const
  await make(session) // keeps the hash of the account
  const made = await deps.store.apiTokens.create(asked)
  if (typeof made === 'string') throw new Error(made)
  t.match(await me(made.token), unknown)
  t.same((await deps.store.apiTokens.list(uid)).length, 1)
})

test('a request with a token costs as many round trips as one with a session, its use being noted at most once a minute', async (t) => {
  const { uid, token: session } = await newUser(admin)
  const { token, results } = (await make(session)).body
  t.equal(results.last_used_on, null)
  const costs = async (send: () => Promise<unknown>) => {
    await deps.accounts.changed({ uid })
    await deps.accounts.find(uid)
    const before = await service.roundTrips()
    await send()
    const after = await service.roundTrips()
    return { ldap: after.ldap - before.ldap, redis: after.redis - before.redis }
  }
  await deps.audit.settled()
  const path = `/api/user/${uid}`
  const withSession = await costs(() => request('GET', path, { token: session }))
  const withToken = () => costs(() => request('GET', path, { headers: { authorization: `Bearer ${token}` } }))
  t.same(await withToken(), withSession, 'the first use')
  t.equal(withSession.redis, 1)
  const noted = async () => (await deps.store.apiTokens.list(uid))[0]?.last_used_on
  const first = await noted()
  t.type(first, 'number')
  t.same(await withToken(), withSession, 'the next')
  t.equal(await noted(), first, 'noted once')
})

test('a changed signing secret voids every token', async (t) => {
  const { token: session } = await newUser(admin)
  const { token } = (await make(session)).body
  const pod = await service.secondPod({ app_oauth__jwtSecret: randomBytes(36).toString('base64url') })
  t.match(await me(token, pod.request), unknown)
  await pod[Symbol.asyncDispose]()
  t.equal((await me(token)).status, 200, 'and the old one brings it back, as it does sessions')
})

test('Redis holds no token, only hashes', async (t) => {
  const { uid, token: session } = await newUser(admin)
  const { token } = (await make(session)).body
  const key = deps.store.keys.voidable('account', uid, 'api-tokens')
  const kept = JSON.stringify(await deps.store.redis.hgetall(key))
  t.match(kept, /program/)
  t.notOk(kept.includes(token.split('.')[1] as string))
})
