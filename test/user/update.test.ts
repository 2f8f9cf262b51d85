import { test } from 'tap'
import { sshKey } from '#test/support/ssh-keys.ts'
import { startUserTests } from './support.ts'

const users = await startUserTests()
const { admin, ask, newUser, read, request } = users

test('PUT /api/user/:uid changes any subset of its fields, by the own account or an admin', async (t) => {
  const { uid, token } = await newUser(admin)
  const changes = {
    givenName: 'Grâce',
    sn: 'O’Hopper-Murray',
    mail: 'grace@example.org',
    dateOfBirth: '1906-12-09',
    mobile: '+15550111',
    sshPublicKey: `${sshKey.ed25519()}\n${sshKey.ecdsa()}`,
  }
  const { status, body } = await ask('PUT', uid, token, changes)
  t.equal(status, 200)
  t.match(body.results, { uid, ...changes })
  t.type(body.message, 'string')
  t.match(await read(uid), changes, 'a fresh read shows them')
  t.match(await users.entry(uid), { cn: 'Grâce O’Hopper-Murray', mail: 'grace@example.org' })
  t.equal((await ask('PUT', uid, admin, { sn: 'Hopper' })).status, 200)
  t.match(await read(uid), { ...changes, sn: 'Hopper' }, 'the rest stays')
  t.equal((await ask('PUT', uid, token, {})).status, 200, 'nothing is a subset too')
  const [event] = (await users.audited('user.update')).filter(({ target }) => target === uid)
  t.same([event?.detail?.fields].flat().sort(), Object.keys(changes).sort())
})

test('null or empty removes an optional attribute and is refused for a required one', async (t) => {
  const full = { dateOfBirth: '1990-02-28', mobile: '+15550112', sshPublicKey: sshKey.ed25519() }
  for (const nothing of [null, '', ' ']) {
    const { uid, token } = await newUser(admin)
    await ask('PUT', uid, token, full)
    const cleared = { dateOfBirth: nothing, mobile: nothing, sshPublicKey: nothing }
    t.equal((await ask('PUT', uid, token, cleared)).status, 200)
    const after = await read(uid)
    for (const name of Object.keys(full)) t.notOk(name in after, `${name} is gone`)
    for (const name of ['givenName', 'sn', 'mail'])
      t.match(await ask('PUT', uid, token, { [name]: nothing }), {
        status: 400,
        body: { name: 'InvalidInput', message: RegExp(name) },
      })
  }
})

test('PUT /api/user/:uid with uidNumber, memberOf, isActive, dn, homeDirectory, password_must_change changes none of them', async (t) => {
  const { uid, token } = await newUser(admin)
  const before = await users.entry(uid)
  const forbidden = {
    ...{
      uidNumber: 0,
      memberOf: ['cn=app_sso_admin'],
      isActive: false,
      dn: 'uid=admin',
      homeDirectory: '/root',
    },
    ...{
      password_must_change: false,
      uid: 'admin',
      userPassword: 'x',
      password: 'another password',
      objectClass: ['top'],
    },
    ...{
      createTimestamp: '20000101000000Z',
      gidNumber: 0,
      loginShell: '/bin/sh',
      newKey: sshKey.ed25519(),
      __proto__x: 1,
    },
  }
  for (const [field, value] of Object.entries(forbidden))
    for (const by of [token, admin])
      t.match(await ask('PUT', uid, by, { givenName: 'Changed', [field]: value }), {
        status: 400,
        body: { name: 'InvalidInput', message: RegExp(field) },
      })
  t.same(await users.entry(uid), before, 'the entry is what it was')
})

test('preferredLanguage is a language tag, shown by GET /api/user/me, and removed by null', async (t) => {
  const { uid, token, dn } = await newUser(admin)
  const own = async () =>
    (await request<{ preferredLanguage?: string }>('GET', '/api/user/me', { token })).body.preferredLanguage
  t.equal(await own(), undefined)
  t.match(await ask('PUT', uid, token, { preferredLanguage: 'DE-at' }), { status: 200 })
  t.equal(await own(), 'de-AT')
  t.match(await users.entry(uid), { preferredLanguage: 'de-AT' }, dn)
  for (const wrong of ['not a tag', 'x', 7, 'de\r\nx'])
    t.match(await ask('PUT', uid, token, { preferredLanguage: wrong }), {
      status: 400,
      body: { name: 'InvalidInput', message: /preferredLanguage/ },
    })
  t.equal((await ask('PUT', uid, token, { preferredLanguage: null })).status, 200)
  t.equal(await own(), undefined)
})

test('a value that cannot be is 400 and changes nothing', async (t) => {
  const { uid, token } = await newUser(admin)
  const before = await read(uid)
  const wrong: [string, unknown][] = [
    ['mail', 'nobody'],
    ['mail', 'a@example.org\r\nBcc: b@example.org'],
    ['mail', ['a@example.org', 'b@example.org']],
    ['givenName', 'bell\u0007'],
    ['givenName', { first: 'A' }],
    ['dateOfBirth', '2023-02-29'],
    ['dateOfBirth', 20230101],
    ['mobile', 'abc'],
  ]
  for (const [field, value] of wrong)
    t.match(await ask('PUT', uid, token, { sn: 'Changed', [field]: value }), {
      status: 400,
      body: { name: 'InvalidInput', message: RegExp(field) },
    })
  for (const key of ['no key', sshKey.rsa(1024), sshKey.dss()])
    t.match(await ask('PUT', uid, token, { sn: 'Changed', sshPublicKey: key }), {
      status: 400,
      body: { name: 'InvalidKey' },
    })
  for (const raw of ['', '{', '[]', 'null', '"text"'])
    t.equal(
      (
        await request('PUT', `/api/user/${uid}`, {
          token,
          body: raw,
          headers: { 'content-type': 'application/json' },
        })
      ).status,
      400,
    )
  t.same(await read(uid), before)
})

test('mail and mobile of another account are 409, whatever the case', async (t) => {
  const other = await newUser(admin, { mobile: '+15550113' })
  const { uid, token } = await newUser(admin)
  for (const mail of [other.mail, other.mail.toUpperCase()])
    t.match(await ask('PUT', uid, token, { mail }), { status: 409, body: { name: 'MailInUse' } })
  t.match(await ask('PUT', uid, token, { mobile: '+1 555 0113' }), {
    status: 409,
    body: { name: 'MobileInUse' },
  })
  t.equal(
    (await ask('PUT', uid, token, { mail: `${uid}@EXAMPLE.org` })).status,
    200,
    'the own one in another case',
  )
})

test('PUT /api/user/:uid of somebody else is 401 for who is no admin, and 404 for nobody', async (t) => {
  const { uid } = await newUser(admin)
  const stranger = await newUser(admin)
  t.match(await ask('PUT', uid, stranger.token, { sn: 'X' }), {
    status: 401,
    body: { name: 'InsufficientPermission' },
  })
  t.match(await request('PUT', `/api/user/${uid}`, { body: { sn: 'X' } }), {
    status: 401,
    body: { name: 'Unauthorized' },
  })
  t.match(await ask('PUT', 'nobody', admin, { sn: 'X' }), { status: 404, body: { name: 'NotFound' } })
  t.equal((await read(uid)).sn, 'Family')
})
