import { test } from 'tap'
import { sshKey } from '#test/support/ssh-keys.ts'
import { startUserTests } from './support.ts'

const users = await startUserTests()
const { admin, ask, newUser, read, request } = users

test('POST /api/user/key adds an SSH public key to the caller’s, comment kept', async (t) => {
  const { uid, token } = await newUser(admin)
  const keys = [
    sshKey.ed25519('laptop of mine'),
    sshKey.ecdsa(),
    sshKey.rsa(2048),
    sshKey.securityEd25519(),
    sshKey.securityEcdsa(),
  ]
  for (const key of keys) {
    const { status, body } = await ask('POST', 'key', token, { key })
    t.equal(status, 200)
    t.same(body, { message: true })
  }
  t.same(
    String((await read(uid)).sshPublicKey)
      .split('\n')
      .sort(),
    [...keys].sort(),
  )
  t.equal(
    [(await users.entry(uid))?.sshPublicKey].flat().length,
    keys.length,
    'one value each in the directory',
  )
})

test('two keys added at the same moment are both there', async (t) => {
  const { uid, token } = await newUser(admin)
  await ask('POST', 'key', token, { key: sshKey.ed25519() })
  const all = await Promise.all(
    Array.from({ length: 5 }, () => ask('POST', 'key', token, { key: sshKey.ed25519() })),
  )
  t.same([...new Set(all.map(({ status }) => status))], [200])
  t.equal(String((await read(uid)).sshPublicKey).split('\n').length, 6)
})

test('POST /api/user/key refuses weak and private keys, duplicates and what is no key: 400 with the error text', async (t) => {
  const { uid, token } = await newUser(admin)
  const mine = sshKey.ed25519('mine')
  await ask('POST', 'key', token, { key: mine })
  const wrong = [
    ...[
      mine,
      `${mine} again`,
      sshKey.rsa(1024),
      sshKey.dss(),
      'no key',
      `${sshKey.ed25519()}\n${sshKey.ed25519()}`,
    ],
    '-----BEGIN OPENSSH PRIVATE KEY-----\nCanary4711\n-----END OPENSSH PRIVATE KEY-----',
  ]
  for (const key of wrong) {
    const { status, body, text } = await ask('POST', 'key', token, { key })
    t.equal(status, 400, key.slice(0, 30))
    t.equal(body.name, 'InvalidKey')
    t.type(body.message, 'string')
    t.notMatch(text, 'Canary4711')
  }
  for (const body of [{}, { key: '' }, { key: null }, { key: mine, uid: 'admin' }])
    t.match(await ask('POST', 'key', token, body), { status: 400, body: { name: 'InvalidInput' } })
  t.equal((await read(uid)).sshPublicKey, mine)
  t.match(await request('POST', '/api/user/key', { body: { key: mine } }), {
    status: 401,
    body: { name: 'Unauthorized' },
  })
})

test('POST /api/user/accept-tos answers success and shows in the verification record and on me', async (t) => {
  const { uid, token } = await newUser(admin)
  const before = Date.now()
  t.match((await ask('GET', `${uid}/verification`, admin)).body, { tosAccepted: false, tosAcceptedAt: null })
  const { status, body } = await ask('POST', 'accept-tos', token)
  t.equal(status, 200)
  t.same(body, { success: true })
  const record = (await ask('GET', `${uid}/verification`, admin)).body as unknown as { tosAcceptedAt: number }
  t.match(record, { uid, tosAccepted: true, tosAcceptedAt: Number })
  t.ok(record.tosAcceptedAt >= before - 1000 && record.tosAcceptedAt <= Date.now() + 1000)
  t.same((await request('GET', '/api/user/me', { token })).body.onboardingNeeds, ['dob', 'password'])
  t.match(await request('POST', '/api/user/accept-tos'), { status: 401, body: { name: 'Unauthorized' } })
})

test('GET /api/user/:uid/verification answers the whole record to admins only', async (t) => {
  const { uid, token } = await newUser(admin)
  const { status, body } = await ask('GET', `${uid}/verification`, admin)
  t.equal(status, 200)
  t.same(body, {
    ...{ uid, emailVerified: false, emailVerifiedAt: null, phoneVerified: false, phoneVerifiedAt: null },
    ...{ tosAccepted: false, tosAcceptedAt: null },
  })
  t.match(await ask('GET', `${uid}/verification`, token), {
    status: 401,
    body: { name: 'InsufficientPermission' },
  })
  t.match(await ask('GET', 'nobody/verification', admin), { status: 404, body: { name: 'NotFound' } })
})

test('GET /api/user/stats counts users and groups, and follows every change at once', async (t) => {
  const stats = async () =>
    (await request('GET', '/api/user/stats', { token: admin })).body as Record<string, number> & {
      recentSignups: object[]
      inactiveList: { uid: string }[]
    }
  const before = await stats()
  t.same(Object.keys(before).sort(), [
    'activeUsers',
    'inactiveList',
    'inactiveUsers',
    'recentSignups',
    'totalGroups',
    'totalUsers',
  ])
  const { uid, mail, token } = await newUser(admin)
  const made = await stats()
  t.equal(made.totalUsers, (before.totalUsers as number) + 1)
  t.match(made.recentSignups[0], {
    uid,
    givenName: 'Given',
    sn: 'Family',
    mail,
    createTimestamp: /^\d{14}Z$/,
  })
  await ask('PUT', `${uid}/active`, admin, { active: false })
  await request('POST', '/api/group/', { token: admin, body: { name: 'counted', description: '' } })
  const locked = await stats()
  t.equal(locked.totalGroups, (before.totalGroups as number) + 1)
  t.equal(locked.inactiveUsers, (before.inactiveUsers as number) + 1)
  t.equal(locked.activeUsers, before.activeUsers)
  t.same(
    locked.inactiveList.find((user) => user.uid === uid),
    { uid, givenName: 'Given', sn: 'Family', mail },
  )
  await ask('DELETE', uid, admin)
  t.equal((await stats()).totalUsers, before.totalUsers)
  const plain = await newUser(admin)
  t.match(await request('GET', '/api/user/stats', { token: plain.token }), {
    status: 401,
    body: { name: 'InsufficientPermission' },
  })
  t.equal((await request('GET', '/api/user/stats', { token })).status, 401)
})

test('GET /api/user/export is a CSV attachment with the interface’s columns', async (t) => {
  const quoted = await newUser(admin, { givenName: 'Anne "Annie"', sn: 'Smith, Jr', mobile: '+15550151' })
  const answer = await request('GET', '/api/user/export', { token: admin })
  t.equal(answer.status, 200)
  t.match(answer.headers.get('content-type'), /^text\/csv/)
  t.match(answer.headers.get('content-disposition'), /^attachment/)
  const [header, ...lines] = answer.text.split('\r\n')
  t.equal(header, 'uid,givenName,sn,mail,mobile,uidNumber,isActive,createTimestamp')
  t.equal(lines.pop(), '', 'the last line ends too')
  t.match(
    lines.find((line) => line.startsWith(quoted.uid)),
    RegExp(`^${quoted.uid},"Anne ""Annie""","Smith, Jr",${quoted.mail},'\\+15550151,\\d+,true,\\d{14}Z$`),
  )
  const plain = await newUser(admin)
  t.match(await request('GET', '/api/user/export', { token: plain.token }), {
    status: 401,
    body: { name: 'InsufficientPermission' },
  })
})

test('exported cells cannot be formulas', async (t) => {
  for (const [n, givenName] of [
    '=1+1',
    '+1',
    '-1',
    '@SUM(A1)',
    '=HYPERLINK("http://evil.example","x")',
  ].entries())
    await newUser(admin, { uid: `formula${n}`, givenName })
  // What the service would refuse may stand in the directory by other hands.
  await users.deps.users.create({ uid: 'tabbed', givenName: '\t=1', sn: '\r=1', mail: '=1@example.org' })
  const { text } = await request('GET', '/api/user/export', { token: admin })
  const cells = text.split(/\r\n|,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((cell) => cell.replace(/^"/, ''))
  t.same(
    cells.filter((cell) => /^[=+\-@\t\r]/.test(cell)),
    [],
  )
  t.match(text, `formula0,'=1+1,`)
  t.match(text, `formula4,"'=HYPERLINK(""http://evil.example"",""x"")"`)
  t.match(text, `'=1@example.org`)
})
