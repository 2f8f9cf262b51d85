import { test } from 'tap'
import { startUserTests } from './support.ts'

const users = await startUserTests()
const { admin, adminUid, ask, newUser, login, read, request, join } = users

const setActive = (uid: string, active: boolean, token = admin) =>
  ask('PUT', `${uid}/active`, token, { active })
const alive = async (token: string) => (await request('GET', '/api/user/me', { token })).status === 200
const signs = (uid: string, password: string) =>
  login(uid, password).then(
    () => true,
    () => false,
  )

test('PUT /api/user/:uid/active with active false locks the account, at once and on every pod', async (t) => {
  await using pod = await users.secondPod()
  const { uid, token, password } = await newUser(admin)
  const elsewhere = await pod.login(uid, password)
  const { status, body } = await setActive(uid, false)
  t.equal(status, 200)
  t.match(body, { uid, active: false, message: String })
  t.notOk(await alive(token))
  t.equal((await pod.request('GET', '/api/user/me', { token: elsewhere })).status, 401)
  t.notOk(await signs(uid, password))
  t.notOk(await users.binds(uid, password), 'direct LDAP binds refuse as well')
  t.match(await users.entry(uid), { pwdAccountLockedTime: '000001010000Z', pwdEndTime: /^1970/ })
  t.equal((await read(uid)).isActive, false)
  t.match((await users.audited('user.deactivate')).at(-1), { actor: adminUid, target: uid })
})

test('PUT /api/user/:uid/active with active true opens it again; old sessions stay ended', async (t) => {
  const { uid, token, password } = await newUser(admin)
  await setActive(uid, false)
  const { status, body } = await setActive(uid, true)
  t.equal(status, 200)
  t.match(body, { uid, active: true })
  t.equal((await read(uid)).isActive, true)
  t.ok(await signs(uid, password))
  t.ok(await users.binds(uid, password))
  t.notOk(await alive(token))
  t.equal((await setActive(uid, true)).status, 200, 'twice is no fault')
})

test('PUT /api/user/:uid/active is for admins; nobody is 404 and a wrong body 400', async (t) => {
  const { uid, token } = await newUser(admin)
  t.match(await setActive(uid, false, token), { status: 401, body: { name: 'InsufficientPermission' } })
  t.match(await setActive('nobody', false), { status: 404, body: { name: 'NotFound' } })
  for (const body of [{}, { active: 'false' }, { active: null }, { active: 0 }, { active: false, uid: 'x' }])
    t.match(await ask('PUT', `${uid}/active`, admin, body), { status: 400, body: { name: 'InvalidInput' } })
  t.equal((await read(uid)).isActive, true)
})

test('the last app_sso_admin cannot be locked or deleted; a locked admin does not count as one left', async (t) => {
  const refused = { status: 409, body: { name: 'LastAdmin' } }
  t.match(await setActive(adminUid, false), refused)
  t.match(await ask('DELETE', adminUid, admin), refused)
  const second = await newUser(admin)
  await join('app_sso_admin', second.uid)
  await setActive(second.uid, false)
  t.match(await setActive(adminUid, false), refused)
  t.match(await ask('DELETE', adminUid, admin), refused)
  t.equal((await read(adminUid)).isActive, true)
  t.equal((await ask('DELETE', second.uid, admin)).status, 200, 'the locked one may go')
})

/** Everybody does `act` to the next one in the round, all at once; answers who is left. */
async function round(
  people: { uid: string; password: string }[],
  act: (uid: string, token: string) => Promise<unknown>,
) {
  const tokens = await Promise.all(people.map(({ uid, password }) => login(uid, password)))
  await Promise.all(people.map(({ uid }, at) => act(uid, tokens.at(at - 1) as string)))
  const entries = await Promise.all(people.map(({ uid }) => users.deps.users.find(uid)))
  return entries.filter((entry) => entry?.isActive).length
}

test('admins who lock or delete each other at the same moment leave an active one', async (t) => {
  const all = [{ uid: adminUid, password: users.adminPassword }]
  for (let n = 0; n < 3; n++) all.push(await newUser(admin))
  for (const { uid } of all.slice(1)) await join('app_sso_admin', uid)
  t.ok((await round(all, (uid, token) => setActive(uid, false, token))) >= 1, 'after locking')
  for (const { uid } of all) await users.deps.users.setActive(uid, true)
  t.ok((await round(all, (uid, token) => ask('DELETE', uid, token))) >= 1, 'after deleting')
})
