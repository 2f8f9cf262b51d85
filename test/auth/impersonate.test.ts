import { test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { startAuthTests } from './support.ts'

const auth = await startAuthTests()
const { post, admin, adminUid, newUser, request, deps, signsIn } = auth

type Lent = { uid: string; temp_password: string; expires_at: number }
const begin = (uid: string, token = admin) => request<Lent>('POST', `/api/auth/impersonate/${uid}`, { token })
const end = (uid: string, token = admin) =>
  request<{ message: string; revoked: number }>('DELETE', `/api/auth/impersonate/${uid}`, { token })
const denied = { status: 401, body: { name: 'InsufficientPermission' } }

/** An account, its temporary password, and a session made with it. */
async function impersonated() {
  const user = await newUser(admin)
  const { temp_password } = (await begin(user.uid)).body
  return { ...user, temp_password, session: await auth.login(user.uid, temp_password) }
}

test('POST /api/auth/impersonate/:uid answers uid, temp_password and expires_at, and the password opens a session', async (t) => {
  const { uid, password, dn } = await newUser(admin)
  const { status, body } = await begin(uid.toUpperCase())
  t.equal(status, 200)
  t.match(body, { uid, temp_password: /^[\w-]{32}$/, expires_at: Number })
  const minutes = (body.expires_at - Date.now()) / 60_000
  t.ok(minutes > 14.5 && minutes <= 15)
  const session = await auth.login(uid, body.temp_password)
  t.match((await auth.me(session)).body, { uid, dn })
  t.ok(await signsIn(uid, password), 'the own password still works')
  t.ok(
    (await deps.sessions.list(uid)).some(({ impersonator }) => impersonator === adminUid),
    'marked',
  )
})

test('a reason for an impersonation stands in the audit trail, and GET /me in its session names the admin', async (t) => {
  const { uid, token } = await newUser(admin)
  const lend = (body: unknown) =>
    request<Lent>('POST', `/api/auth/impersonate/${uid}`, { token: admin, body })
  for (const wrong of [{ reason: ' ' }, { reason: 'x'.repeat(501) }, { reason: 7 }, { why: 'x' }])
    t.match(await lend(wrong), { status: 400, body: { name: 'InvalidInput' } })
  const { temp_password } = (await lend({ reason: ' ticket 4711 ' })).body
  t.match((await auth.audited('user.impersonate')).at(-1), {
    actor: adminUid,
    target: uid,
    detail: { reason: 'ticket 4711' },
  })
  const session = await auth.login(uid, temp_password)
  t.equal((await auth.me(session)).body.impersonator, adminUid)
  t.notOk('impersonator' in (await auth.me(token)).body, 'the user’s own session names nobody')
})

test('the temporary password is kept as a hash in Redis and never in LDAP, and expires after 15 minutes', async (t) => {
  const { uid } = await newUser(admin)
  const { temp_password } = (await begin(uid)).body
  t.notMatch(await auth.storedText(), temp_password)
  const entry = await deps.users.find(uid)
  t.notOk(await deps.users.verifyPassword(entry, temp_password))
  const key = deps.store.keys.voidable('account', uid, 'impersonation')
  const left = await deps.store.redis.pttl(key)
  t.ok(left > 890_000 && left <= 900_000)
  await deps.store.redis.pexpire(key, 1)
  await new Promise((resolve) => setTimeout(resolve, 10))
  t.notOk(await signsIn(uid, temp_password), 'with nothing running in the background')
})

test('that session cannot change password, mail, mobile or keys', async (t) => {
  const { uid, session, password } = await impersonated()
  const change = { password: 'another password', confirm: 'another password' }
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGp4Rsl4pVqH8bG3Wm7ZJr3JZJZJZJZJZJZJZJZJZJZJ x'
  const tries: [string, string, unknown][] = [
    ['PUT', '/api/user/password', change],
    ['PUT', '/api/user/password', { ...change, current: password }],
    ['PUT', `/api/user/${uid}/password`, change],
    ['PUT', `/api/user/${uid}`, { mail: 'other@example.org' }],
    ['PUT', `/api/user/${uid}`, { mobile: '+15550301' }],
    ['PUT', `/api/user/${uid}`, { sshPublicKey: key }],
    ['POST', '/api/user/key', { key }],
  ]
  const before = await deps.users.find(uid)
  for (const [method, path, body] of tries)
    t.match(await request(method, path, { token: session, body }), denied, `${method} ${path}`)
  t.same(await deps.users.find(uid), before)
  t.ok(await signsIn(uid, password))
  const named = await request('PUT', `/api/user/${uid}`, { token: session, body: { givenName: 'Other' } })
  t.equal(named.status, 200, 'what does not outlive the impersonation it can change')
  t.match((await auth.audited('user.update')).at(-1), { actor: adminUid, target: uid }, 'in the admin’s name')
})

test('any earlier impersonation for that target is revoked first', async (t) => {
  const { uid, temp_password, session } = await impersonated()
  const second = (await begin(uid)).body.temp_password
  t.notOk(await signsIn(uid, temp_password))
  t.equal((await auth.me(session)).status, 401, 'with its sessions')
  t.ok(await signsIn(uid, second))
})

test('DELETE /api/auth/impersonate/:uid ends the temporary password and every session made with it; revoked is their number', async (t) => {
  const { uid, token, temp_password, session } = await impersonated()
  const another = await auth.login(uid, temp_password)
  const { status, body } = await end(uid)
  t.equal(status, 200)
  t.match(body, { message: String, revoked: 2 })
  for (const ended of [session, another]) t.equal((await auth.me(ended)).status, 401)
  t.equal((await auth.me(token)).status, 200, 'the user’s own session stays')
  t.notOk(await signsIn(uid, temp_password))
  t.match((await end(uid)).body, { revoked: 0 })
})

test('revoked is at least 1 when a temporary password was active', async (t) => {
  const { uid } = await newUser(admin)
  await begin(uid)
  t.match((await end(uid)).body, { revoked: 1 })
})

test('tokens given in an impersonated session end with it, those of offline_access too', async (t) => {
  const party = relyingParty(auth, admin)
  const client = await party.register({ scopes: 'openid offline_access' })
  const { uid, token, session } = await impersonated()
  const scope = { scope: 'openid offline_access', prompt: 'consent' }
  const [lent, own] = [
    await party.tokensFor(client, session, scope),
    await party.tokensFor(client, token, scope),
  ]
  t.match(lent.scope, 'offline_access')
  await end(uid)
  t.equal((await party.refresh(client, lent.refresh_token)).status, 400)
  t.equal((await party.userinfo(lent.access_token)).status, 401)
  t.equal((await party.refresh(client, own.refresh_token)).status, 200, 'the user’s own stay')
})

test('a sign-in under way while the impersonation ends leaves no session', async (t) => {
  for (let round = 0; round < 5; round++) {
    const { uid } = await newUser(admin)
    const { temp_password } = (await begin(uid)).body
    const [, ...opened] = await Promise.all([
      end(uid),
      ...Array.from({ length: 10 }, () => post('login', { uid, password: temp_password })),
    ])
    for (const { body } of opened) if (body.token) t.equal((await auth.me(body.token)).status, 401)
    t.notOk((await deps.sessions.list(uid)).some(({ impersonator }) => impersonator))
  }
})

test('a sign-in that found the temporary password right just before the impersonation ended leaves no session', async (t) => {
  const { impersonations } = deps.store
  const { openedBy } = impersonations
  const { uid } = await newUser(admin)
  const { temp_password } = (await begin(uid)).body
  impersonations.openedBy = async (...asked) => {
    const found = await openedBy(...asked)
    await end(uid)
    return found
  }
  const late = await post('login', { uid, password: temp_password })
  impersonations.openedBy = openedBy
  t.match(late, { status: 401, body: { name: 'LoginFailed' } })
  t.notOk((await deps.sessions.list(uid)).some(({ impersonator }) => impersonator))
})

test('twenty impersonations at once leave one temporary password', async (t) => {
  const { uid } = await newUser(admin)
  const lent = await Promise.all(Array.from({ length: 20 }, () => begin(uid)))
  const opens = await Promise.all(lent.map(({ body }) => signsIn(uid, body.temp_password)))
  t.equal(opens.filter(Boolean).length, 1)
})

test('locking the account, deleting it or a new password ends the impersonation', async (t) => {
  const ways: ((uid: string, token: string) => Promise<unknown>)[] = [
    (uid) => auth.setActive(uid, false),
    (uid) => request('DELETE', `/api/user/${uid}`, { token: admin }),
    (_uid, token) =>
      request('PUT', '/api/user/password', {
        token,
        body: { password: 'another password', confirm: 'another password' },
      }),
  ]
  for (const way of ways) {
    const { uid, token, temp_password, session } = await impersonated()
    await way(uid, token)
    t.notOk(await signsIn(uid, temp_password))
    t.equal((await auth.me(session)).status, 401)
  }
})

test('no door opens to a locked account: it cannot be impersonated, and unlocking does not bring a password back', async (t) => {
  const { uid, temp_password } = await impersonated()
  await auth.setActive(uid, false)
  t.match(await begin(uid), { status: 409, body: { name: 'Conflict' } })
  await auth.setActive(uid, true)
  t.notOk(await signsIn(uid, temp_password))
})

test('wrong passwords close this door too', async (t) => {
  const { uid, temp_password } = await impersonated()
  await Promise.all(Array.from({ length: 30 }, () => post('login', { uid, password: 'wrong one' })))
  t.notOk(await signsIn(uid, temp_password))
})

test('both ends are audited, and so is each sign-in, in the admin’s name', async (t) => {
  const { uid } = await impersonated()
  await end(uid)
  for (const action of ['user.impersonate', 'user.impersonate-end'])
    t.match((await auth.audited(action)).at(-1), { actor: adminUid, target: uid, outcome: 'ok' })
  const signIns = (await auth.audited('login')).filter(({ target }) => target === uid)
  t.match(signIns.at(-1), { actor: adminUid, outcome: 'ok', detail: { door: 'impersonation' } })
})

test('impersonating needs app_sso_admin, and an account that is there', async (t) => {
  const { uid, token } = await newUser(admin)
  for (const attempt of [begin, end]) {
    t.match(await attempt(uid, token), denied)
    t.match(await attempt('nobody'), { status: 404, body: { name: 'NotFound' } })
  }
  for (const method of ['POST', 'DELETE'])
    t.match(await request(method, `/api/auth/impersonate/${uid}`), {
      status: 401,
      body: { name: 'Unauthorized' },
    })
  const { session } = await impersonated()
  t.match(await begin(uid, session), denied, 'with an impersonated session of who is no admin')
})

test('admins may be impersonated by default; auth.impersonate_admins false forbids it', async (t) => {
  const { uid } = await newUser(admin)
  await request('PUT', `/api/group/app_sso_admin/${uid}`, { token: admin })
  t.equal((await begin(uid)).status, 200)
  await end(uid)
  deps.config.auth.impersonate_admins = false
  t.match(await begin(uid), denied)
  const { uid: plain } = await newUser(admin)
  t.equal((await begin(plain)).status, 200)
  deps.config.auth.impersonate_admins = true
})
