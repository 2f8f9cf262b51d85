import { test } from 'tap'
import { startUserTests } from './support.ts'

const users = await startUserTests({ app_onboarding__needs: 'dob,password' })
const { admin, ask, newUser, join, request } = users

test('GET /api/user/ answers uid, mail, givenName and sn of everybody; with detail full objects', async (t) => {
  const { uid, mail } = await newUser(admin)
  const minimal = await ask('GET', '', admin)
  t.equal(minimal.status, 200)
  t.same(
    minimal.body.results.find((user) => user.uid === uid),
    { uid, mail, givenName: 'Given', sn: 'Family' },
  )
  for (const detail of ['detail', 'detail=1', 'detail=true']) {
    const { body } = await ask('GET', `?${detail}`, admin)
    t.match(
      body.results.find((user) => user.uid === uid),
      {
        uid,
        mail,
        dn: RegExp(`^uid=${uid},`),
        isActive: true,
        uidNumber: Number,
        password_must_change: true,
      },
    )
  }
  for (const detail of ['detail=false', 'detail=0'])
    t.notOk((await ask('GET', `?${detail}`, admin)).body.results[0]?.dn, detail)
})

test('GET /api/user/ is for admins, nested ones too: 401 for everybody else', async (t) => {
  const { uid, token } = await newUser(admin)
  t.match(await ask('GET', '', token), { status: 401, body: { name: 'InsufficientPermission' } })
  t.match(await request('GET', '/api/user/'), { status: 401, body: { name: 'Unauthorized' } })
  await request('POST', '/api/group/', { token: admin, body: { name: 'deputies', description: '' } })
  await join('deputies', uid)
  await request('PUT', '/api/group/app_sso_admin/nested/deputies', { token: admin })
  t.equal(
    (await ask('GET', '', token)).status,
    200,
    'a member of a group nested in app_sso_admin is an admin',
  )
})

test('GET /api/user/:uid shows all fields to the account itself and to admins, the public ones to others', async (t) => {
  const fields = { mobile: '+15550142', dateOfBirth: '1990-02-28' }
  const { uid, token } = await newUser(admin, fields)
  const stranger = await newUser(admin)
  for (const reader of [admin, token]) {
    const { status, body } = await ask('GET', uid, reader)
    t.equal(status, 200)
    t.match(body.results, {
      ...fields,
      uid,
      uidNumber: Number,
      createTimestamp: /Z$/,
      password_must_change: true,
    })
  }
  const { status, body } = await ask('GET', uid, stranger.token)
  t.equal(status, 200)
  t.same(Object.keys(body.results).sort(), ['dn', 'givenName', 'isActive', 'mail', 'sn', 'uid'])
})

test('all spellings of a uid name one account: case, blanks, full width', async (t) => {
  const { uid } = await newUser(admin)
  for (const spelling of [uid.toUpperCase(), ` ${uid} `, uid.replace('u', 'ｕ')])
    t.equal((await ask('GET', encodeURIComponent(spelling), admin)).body.results.uid, uid, spelling)
  for (const spelling of [`${uid}\u200b`, `\u2060${uid}`, `${uid}\0`])
    t.match(await ask('GET', encodeURIComponent(spelling), admin), {
      status: 400,
      body: { name: 'InvalidInput' },
    })
})

test('filter and DN metacharacters and NUL in a uid or a search never reach another entry', async (t) => {
  const { uid } = await newUser(admin)
  const hostile = [
    '*',
    `${uid}*`,
    `${uid})(uid=*`,
    '*)(objectClass=*',
    `${uid},ou=people`,
    `uid=${uid}`,
    `\\2a`,
    '(|(uid=*))',
    `${uid}+cn=x`,
  ]
  for (const text of hostile) {
    t.equal((await ask('GET', encodeURIComponent(text), admin)).status, 404, text)
    const { status, body } = await ask('GET', `?q=${encodeURIComponent(text)}`, admin)
    t.equal(status, 200, text)
    t.same(body.results, [], `search for ${text}`)
  }
  t.equal((await ask('GET', `?q=${encodeURIComponent(`${uid}\0`)}`, admin)).status, 400)
  t.equal((await ask('GET', 'nobody', admin)).status, 404)
  t.equal((await ask('GET', '..%2f..%2fme', admin)).status, 404)
})

test('GET /api/user/me answers the user object with dn, memberOf, onboardingRequired and onboardingNeeds', async (t) => {
  const { uid, token, dn } = await newUser(admin)
  await request('POST', '/api/group/', { token: admin, body: { name: 'inner', description: '' } })
  await request('POST', '/api/group/', { token: admin, body: { name: 'outer', description: '' } })
  await request('PUT', '/api/group/outer/nested/inner', { token: admin })
  await join('inner', uid)
  const { status, body } = await request('GET', '/api/user/me', { token })
  t.equal(status, 200)
  t.match(body, { uid, dn, isActive: true, password_must_change: true })
  t.same(body.memberOf, [`cn=inner,ou=groups,${users.servers.ldap.base}`], 'direct groups only, by DN')
  t.same([...(body.groups as string[])].sort(), ['inner', 'outer'], 'all groups, by name')
  t.equal(body.onboardingRequired, 'yes')
  t.same(body.onboardingNeeds, ['dob', 'password'], 'in order; tos is switched off here')
  t.match(await request('GET', '/api/user/me'), { status: 401, body: { name: 'Unauthorized' } })
})

test('onboardingNeeds shrink as the steps are done, and onboardingRequired turns no', async (t) => {
  const { uid, token, password } = await newUser(admin)
  const me = async () => (await request('GET', '/api/user/me', { token })).body
  await ask('PUT', uid, token, { dateOfBirth: '1990-02-28' })
  t.same((await me()).onboardingNeeds, ['password'])
  const changed = `${password} again`
  await ask('PUT', 'password', token, { password: changed, confirm: changed })
  t.match(await me(), { onboardingNeeds: [], onboardingRequired: 'no', password_must_change: false })
})

test('GET /api/user/me costs one session read and, warm, one LDAP search', async (t) => {
  const { uid, token } = await newUser(admin)
  await users.deps.accounts.changed({ uid })
  await request('GET', '/api/user/me', { token })
  const before = await users.roundTrips()
  await request('GET', '/api/user/me', { token })
  const after = await users.roundTrips()
  t.ok(after.ldap - before.ldap <= 1, `${after.ldap - before.ldap} LDAP round trips`)
  t.ok(after.redis - before.redis <= 2, `${after.redis - before.redis} Redis round trips`)
})

test('GET /api/user/:uid costs one session read and at most two LDAP searches', async (t) => {
  const { uid, token } = await newUser(admin)
  await users.deps.accounts.changed({ uid })
  await request('GET', `/api/user/${uid}`, { token })
  const before = await users.roundTrips()
  await request('GET', `/api/user/${uid}`, { token })
  const after = await users.roundTrips()
  t.ok(after.ldap - before.ldap <= 2, `${after.ldap - before.ldap} LDAP round trips`)
  t.ok(after.redis - before.redis <= 1, `${after.redis - before.redis} Redis round trips`)
})
