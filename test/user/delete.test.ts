import { test } from 'tap'
import { startUserTests } from './support.ts'

const users = await startUserTests()
const { admin, ask, newUser, login, request, join, read } = users

const group = async (name: string) =>
  (await request('GET', `/api/group/${name}`, { token: admin })).body.results as {
    member: string[]
    owner: string[]
  }
const newGroup = (name: string) =>
  request('POST', '/api/group/', { token: admin, body: { name, description: '' } })

test('DELETE /api/user/:uid removes the account with its memberships, ownerships, sessions and records', async (t) => {
  const { uid, token, password, dn } = await newUser(admin)
  await newGroup('team')
  await join('team', uid)
  await request('PUT', `/api/group/owner/team/${uid}`, { token: admin })
  await ask('POST', 'accept-tos', token)
  const { status, body } = await ask('DELETE', uid, admin)
  t.equal(status, 200)
  t.same(body, { uid, results: true })
  t.match(await ask('GET', uid, admin), { status: 404, body: { name: 'NotFound' } })
  t.equal(await users.entry(uid), undefined)
  t.notOk((await group('team')).member.includes(dn))
  t.notOk((await group('team')).owner.includes(dn))
  t.equal((await request('GET', '/api/user/me', { token })).status, 401)
  await t.rejects(login(uid, password))
  t.match((await users.audited('user.delete')).at(-1), { actor: users.adminUid, target: uid })

  await newUser(admin, { uid })
  const { body: record } = await ask('GET', `${uid}/verification`, admin)
  t.match(record, { tosAccepted: false, tosAcceptedAt: null }, 'whoever gets the name next starts anew')
  t.equal(
    (await request('GET', '/api/user/me', { token })).status,
    401,
    'and is not signed in by an old token',
  )
})

test('consents and failed sign-ins of a deleted account do not come back with its name', async (t) => {
  const { uid } = await newUser(admin)
  const { consents, failures } = users.deps.store
  const limits = { most: 1, windowSeconds: 900 }
  await consents.give(uid, 'wiki', ['openid'])
  await failures.count(uid, limits)
  t.match(await failures.list(), [{ uid }])
  await ask('DELETE', uid, admin)
  await newUser(admin, { uid })
  t.same(await consents.given(uid, 'wiki', ['openid']), [])
  t.same(await failures.list(), [])
  t.equal((await failures.count(uid, limits)).allowed, true)
})

test('users can delete their own account', async (t) => {
  const { uid, token } = await newUser(admin)
  t.same((await ask('DELETE', uid, token)).body, { uid, results: true })
  t.equal((await ask('GET', uid, admin)).status, 404)
})

test('a group whose only member is deleted keeps a member that no answer shows', async (t) => {
  const { uid } = await newUser(admin)
  await newGroup('lonely')
  await join('lonely', uid)
  await request('DELETE', `/api/group/lonely/${users.adminUid}`, { token: admin })
  t.equal((await ask('DELETE', uid, admin)).status, 200)
  t.same((await group('lonely')).member, [])
  t.same((await request('GET', '/api/group/lonely/effective', { token: admin })).body.results, {
    ...{ cn: 'lonely', direct: [], nestedGroups: [], effective: [] },
  })
})

test('DELETE /api/user/:uid of somebody else is 401 for who is no admin, of nobody 404', async (t) => {
  const { uid } = await newUser(admin)
  const stranger = await newUser(admin)
  t.match(await ask('DELETE', uid, stranger.token), { status: 401, body: { name: 'InsufficientPermission' } })
  t.match(await request('DELETE', `/api/user/${uid}`), { status: 401, body: { name: 'Unauthorized' } })
  t.match(await ask('DELETE', 'nobody', admin), { status: 404, body: { name: 'NotFound' } })
  t.equal((await read(uid)).uid, uid)
  t.same(
    (await Promise.all([1, 2, 3].map(() => ask('DELETE', uid, admin)))).map(({ status }) => status).sort(),
    [200, 404, 404],
  )
})
