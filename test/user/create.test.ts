import { test } from 'tap'
import { sshKey } from '#test/support/ssh-keys.ts'
import { startUserTests } from './support.ts'

const users = await startUserTests()
const { admin, ask, newUser, login, read } = users

const someone = (uid: string, fields: Record<string, unknown> = {}) => ({
  ...{ uid, password: 'a good password', givenName: 'Ada', sn: 'Lovelace', mail: `${uid}@example.org` },
  ...fields,
})

test('POST /api/user/ makes an account that can sign in and must change its password', async (t) => {
  const { status, body } = await ask('POST', '', admin, someone('ada'))
  t.equal(status, 200)
  t.same(body, { results: { uid: 'ada', dn: `uid=ada,ou=people,${users.servers.ldap.base}` } })
  const shown = await read('ada')
  t.match(shown, { givenName: 'Ada', sn: 'Lovelace', mail: 'ada@example.org', isActive: true })
  t.equal(shown.password_must_change, true)
  t.type(shown.uidNumber, 'number')
  t.match(shown.createTimestamp, /^\d{14}Z$/)
  t.type(await login('ada', 'a good password'), 'string')
  t.match(await users.audited('user.create'), [{ actor: users.adminUid, target: 'ada', outcome: 'ok' }])
})

test('a new account stands in the directory with the classes and attributes of a Linux account', async (t) => {
  const optional = { mobile: '+1 (555) 010-1', dateOfBirth: '1815-12-10', sshPublicKey: sshKey.ed25519() }
  t.equal((await ask('POST', '', admin, someone('posix', optional))).status, 200)
  const entry = await users.entry('posix')
  t.match(entry, {
    cn: 'Ada Lovelace',
    mobile: '+15550101',
    dateOfBirth: '1815-12-10',
    sshPublicKey: optional.sshPublicKey,
    homeDirectory: '/home/posix',
    loginShell: '/bin/bash',
    gidNumber: entry?.uidNumber as string,
    pwdReset: 'TRUE',
  })
  for (const name of ['inetOrgPerson', 'posixAccount', 'ldapPublicKey'])
    t.ok([entry?.objectClass ?? []].flat().map(String).includes(name), name)
})

test('POST /api/user/ refuses what a field cannot be, by its name, and makes nothing', async (t) => {
  const wrong: [field: string, value: unknown][] = [
    ...['', ' ', 'Upper', '1digit', '-dash', 'a b', 'a@b', 'a'.repeat(33), 'cafе', 'me', 'export'].map(
      (uid): [string, unknown] => ['uid', uid],
    ),
    ...[
      'zero\u200bwidth',
      'soft\u00adhyphen',
      'turn\u202e',
      'nul\0',
      'a*',
      'a)(uid=*',
      'a,ou=x',
      'a\\2c',
    ].map((uid): [string, unknown] => ['uid', uid]),
    ...['', 'short', 'x'.repeat(129), null, 12345678, ['a good password']].map((value): [string, unknown] => [
      'password',
      value,
    ]),
    ...['', ' ', null, 1, 'bell\u0007', 'turned\u202e', 'x'.repeat(129)].map((value): [string, unknown] => [
      'givenName',
      value,
    ]),
    ...['', null, 'line\nbreak'].map((value): [string, unknown] => ['sn', value]),
    ...[
      '',
      'nobody',
      'a@',
      '@b',
      'a b@example.org',
      'a@exa mple.org',
      'a@b@c',
      'é@example.org',
      'a@\r\nexample.org',
      `${'x'.repeat(65)}@example.org`,
    ].map((value): [string, unknown] => ['mail', value]),
    ...['call me', '12', '+1234567890123456', 5550101].map((value): [string, unknown] => ['mobile', value]),
    ...['1990-02-30', '1990-13-01', '2023-02-29', '9999-01-01', '01.02.1990', '1990-1-1'].map(
      (value): [string, unknown] => ['dateOfBirth', value],
    ),
  ]
  for (const [field, value] of wrong) {
    const { status, body } = await ask('POST', '', admin, someone('wrong', { [field]: value }))
    t.equal(status, 400, `${field} ${JSON.stringify(value)}`)
    t.equal(body.name, 'InvalidInput')
    t.match(body.message, field)
  }
  for (const field of ['uid', 'password', 'givenName', 'sn', 'mail']) {
    const { [field]: _, ...rest } = someone('wrong') as Record<string, unknown>
    const { status, body } = await ask('POST', '', admin, rest)
    t.equal(status, 400, `without ${field}`)
    t.match(body.message, field)
  }
  t.match(await ask('POST', '', admin, someone('wrong', { sshPublicKey: 'no key' })), {
    status: 400,
    body: { name: 'InvalidKey' },
  })
  t.match(await ask('POST', '', admin, someone('wrong', { memberOf: [] })), {
    status: 400,
    body: { name: 'InvalidInput', message: /memberOf/ },
  })
  t.equal((await ask('GET', 'wrong', admin)).status, 404)
})

test('uid, mail and mobile of another account are 409, whatever their spelling', async (t) => {
  await newUser(admin, { uid: 'first', mail: 'First@example.org', mobile: '+15550199' })
  const again = (fields: Record<string, string>) => ask('POST', '', admin, someone('second', fields))
  for (const uid of ['first', ' first ', 'ｆｉｒｓｔ'])
    t.match(await again({ uid }), { status: 409, body: { name: 'AlreadyExists' } }, uid)
  for (const mail of ['First@example.org', 'FIRST@EXAMPLE.ORG', ' first@example.org ', 'first＠example.org'])
    t.match(await again({ mail }), { status: 409, body: { name: 'MailInUse' } }, mail)
  for (const mobile of ['+15550199', '+1 555 0199', '+1 (555) 01-99'])
    t.match(await again({ mobile }), { status: 409, body: { name: 'MobileInUse' } }, mobile)
  t.equal((await ask('GET', 'second', admin)).status, 404, 'nothing was made')
})

test('of 100 simultaneous creates of one uid one succeeds', async (t) => {
  const all = await Promise.all(
    Array.from({ length: 100 }, (_, n) =>
      ask('POST', '', admin, someone('race', { mail: `race${n}@example.org` })),
    ),
  )
  t.equal(all.filter(({ status }) => status === 200).length, 1)
  t.same([...new Set(all.map(({ status }) => status))].sort(), [200, 409])
})

test('two accounts never hold one mail address, also when they ask for it at once', async (t) => {
  const all = await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      ask('POST', '', admin, someone(`twin${n}`, { mail: n % 2 ? 'twin@example.org' : 'TWIN@Example.org' })),
    ),
  )
  t.equal(all.filter(({ status }) => status === 200).length, 1)
  const { body } = await ask('GET', '?q=twin@example', admin)
  t.equal(body.results.length, 1)
})

test('POST /api/user/ is for admins: 401 for everybody else', async (t) => {
  const { token } = await newUser(admin)
  t.match(await ask('POST', '', token, someone('nope')), {
    status: 401,
    body: { name: 'InsufficientPermission' },
  })
  t.match(await ask('POST', '', 'no such token', someone('nope')), {
    status: 401,
    body: { name: 'Unauthorized' },
  })
  t.equal((await ask('GET', 'nope', admin)).status, 404)
})
