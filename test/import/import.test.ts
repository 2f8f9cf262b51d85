import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { test } from 'tap'
import { argon2id } from '#adapters/ldap/hash.ts'
import { fromLdif } from '#src/connect.ts'
import { applyPlan } from '#src/import/apply.ts'
import { planImport } from '#src/import/plan.ts'
import { readState } from '#src/import/state.ts'
import { bareEnvironment } from '#test/support/bare.ts'
import { startUserTests } from '#test/user/support.ts'
import { dumpOf, fileOf, importWith, personLdif, ssha } from './support.ts'

const tests = await startUserTests()
const { deps, servers, request, login, read, audited } = tests
const admin = tests.admin

const passwords = {
  ada: 'the old password of ada',
  ben: 'the old password of ben',
  cem: 'probe of a hash',
  dag: 'the old password of dag',
}
const hashes = {
  ada: ssha(passwords.ada),
  ben: ssha(passwords.ben, 'sha512', 'SSHA512'),
  cem: '{CRYPT}$6$saltsaltsalt$NZY4agXpx/1wHBaC.m9kiXwHCQdyq0VJsSCrUIot3AqXhTwB5GmmGV4yDIbWMpja6FCoxObgkw5l9zKmCFisg.',
  dag: await argon2id(passwords.dag, { memory: 1024, passes: 1 }),
}
const base = 'dc=old,dc=example'
const first = await fileOf(
  'first.ldif',
  [
    'version: 1\n',
    `dn: ${base}\nobjectClass: dcObject\ndc: old\n\n`,
    ...Object.entries(hashes).map(([uid, hash]) =>
      personLdif(uid, [
        `userPassword:: ${Buffer.from(hash).toString('base64')}`,
        ...(uid === 'ada'
          ? [
              'objectClass: posixAccount',
              'uidNumber: 5001',
              'homeDirectory: /srv/ada',
              'loginShell: /bin/zsh',
            ]
          : []),
        ...(uid === 'dag' ? ['pwdAccountLockedTime: 000001010000Z'] : []),
      ]),
    ),
    personLdif('eve'),
    `dn: cn=staff,ou=groups,${base}\nobjectClass: groupOfNames\ncn: staff\ndescription: all who work here\n`,
    `member: uid=ada,ou=people,${base}\nmember: UID=Ben, ou=people, ${base}\nmember: cn=team,ou=groups,${base}\n`,
    `owner: uid=ada,ou=people,${base}\n\n`,
    `dn: cn=team,ou=groups,${base}\nobjectClass: posixGroup\ncn: team\ngidNumber: 5001\nmemberUid: eve\n`,
  ].join(''),
)

test('without --apply the difference is printed and the directory stays byte for byte as it was', async (t) => {
  const before = await dumpOf(servers.ldap)
  const { stdout } = await promisify(execFile)(process.execPath, ['src/import/main.ts', '--ldif', first], {
    env: { ...bareEnvironment, ...(await tests.environmentOfPod()) },
  })
  t.equal(await dumpOf(servers.ldap), before)
  const lines = stdout.trim().split('\n')
  t.match(
    lines[0],
    /^\+ person ada: givenName Given, sn ada, mail ada@example.org, uidNumber 5001, homeDirectory \/srv\/ada, loginShell \/bin\/zsh; password: kept hash \{SSHA\} \(line \d+ \(uid=ada,/,
  )
  t.match(stdout, /person ben: .*kept hash \{SSHA512\}/)
  t.match(stdout, /person cem: .*kept hash \{CRYPT\}\$6\$/)
  t.match(stdout, /person dag: .*, locked; password: kept hash \{ARGON2\}\$argon2id\$/)
  t.match(stdout, /person eve: .*no password: must be invited or reset/)
  t.match(stdout, /\+ group staff: members: ada, ben; owners: ada/)
  t.match(stdout, /\+ group team: members: eve/)
  t.match(stdout, /\+ group team nested in staff/)
  t.match(stdout, /5 people and 2 groups; 1 other entries are passed over/)
  t.match(
    stdout,
    /5 people to make, 0 to change, 2 groups to make, 3 memberships, 1 owners and 1 nestings to add, 0 refused/,
  )
  for (const hash of Object.values(hashes)) t.notOk(stdout.includes(hash.slice(-20)), 'no hash is printed')
})

test('with --apply it is done: hashes sign in over HTTP, numbers and homes are kept, who was locked stays so', async (t) => {
  t.equal((await importWith(deps, ['--ldif', first, '--apply'])).code, 0)
  for (const uid of ['ada', 'ben', 'cem'] as const) t.ok(await login(uid, passwords[uid]))
  await t.rejects(login('dag', passwords.dag), /LoginFailed/)
  await t.rejects(login('eve', 'anything at all'), /LoginFailed/)
  t.match(await read('ada'), {
    uidNumber: 5001,
    givenName: 'Given',
    isActive: true,
    password_must_change: false,
  })
  t.match(await tests.entry('ada'), { homeDirectory: '/srv/ada', loginShell: '/bin/zsh', gidNumber: '5001' })
  const staff = await request('GET', '/api/group/staff/effective', { token: admin })
  const { effective } = staff.body.results as { effective: string[] }
  t.same(
    effective,
    ['ada', 'ben', 'eve'].map((uid) => `uid=${uid},ou=people,${servers.ldap.base}`),
  )
})

test('each change is in the audit log by the actor import, without a hash', async (t) => {
  const made = (await audited('user.create')).filter(({ actor }) => actor === 'import')
  t.same(new Set(made.map(({ target }) => target)), new Set(['ada', 'ben', 'cem', 'dag', 'eve']))
  t.match(made.find(({ target }) => target === 'ada')?.detail, { password: 'kept hash {SSHA}' })
  t.match(await audited('group.create'), [
    {},
    {},
    {},
    {},
    { actor: 'import', target: 'staff' },
    { actor: 'import', target: 'team' },
  ])
  t.same(
    (await audited('group.nest')).map(({ actor, target }) => [actor, target]),
    [['import', 'staff']],
  )
  const all = JSON.stringify(await deps.audit.read())
  for (const hash of Object.values(hashes)) t.notOk(all.includes(hash.slice(-20)))
})

test('a second run has nothing to do', async (t) => {
  const ran = await importWith(deps, ['--ldif', first])
  t.equal(ran.code, 0)
  t.same(
    ran.lines.filter((line) => /^[+~!]/.test(line)),
    [],
  )
  await deps.users.setActive('dag', true)
  t.ok(await login('dag', passwords.dag))
  t.match((await importWith(deps, ['--ldif', first])).text, '~ person dag: isActive true → false')
})

test('who is there keeps their password and number; other fields follow the source, and keys join', async (t) => {
  const changed = await fileOf(
    'changed.ldif',
    personLdif('ada', [
      `userPassword: ${ssha('another password')}`,
      'uidNumber: 7777',
      'mobile: +49 151 1234',
    ])
      .replace('sn: ada', 'sn: Lovelace')
      .replace('mail: ada@', 'mail: lovelace@'),
  )
  const dry = await importWith(deps, ['--ldif', changed])
  t.match(
    dry.lines[0],
    '~ person ada: sn ada → Lovelace, mail ada@example.org → lovelace@example.org, mobile (none) → +491511234',
  )
  await importWith(deps, ['--ldif', changed, '--apply'])
  t.match(await read('ada'), { sn: 'Lovelace', mail: 'lovelace@example.org', uidNumber: 5001 })
  t.ok(await login('ada', passwords.ada))
  t.match((await importWith(deps, ['--ldif', changed])).lines[0], /^The source/)
})

test('numbers that are kept are given to nobody else', async (t) => {
  const high = await fileOf('high.ldif', personLdif('hal', ['uidNumber: 20000']))
  t.equal((await importWith(deps, ['--ldif', high, '--apply'])).code, 0)
  t.equal((await read('hal')).uidNumber, 20_000)
  const next = await tests.newUser(admin)
  t.equal((await read(next.uid)).uidNumber, 20_001)
  const again = await fileOf(
    'again.ldif',
    personLdif('ian', ['uidNumber: 20000']) + personLdif('root0', ['uidNumber: 0']),
  )
  const refused = await importWith(deps, ['--ldif', again, '--apply'])
  t.equal(refused.code, 1)
  t.match(refused.text, /! refused: uidNumber belongs to hal \(.*uid=ian/)
  t.match(refused.text, /! refused: uidNumber is none that a person may have .*uid=root0/)
  t.equal((await importWith(deps, ['--ldif', again, '--apply', '--new-numbers'])).code, 0)
  t.ok(Number((await read('root0')).uidNumber) > 20_001)
})

test('what somebody else changes between the plan and its turn is refused, and the next step is done', async (t) => {
  const file = await fileOf(
    'race.ldif',
    personLdif('kim') + personLdif('lea', ['uidNumber: 4001']) + personLdif('max'),
  )
  const plan = await planImport(deps, await readState(deps), fromLdif(file, {}))
  await tests.newUser(admin, { uid: 'other', mail: 'kim@example.org' })
  await deps.users.create({
    ...{ uid: 'nia', givenName: 'N', sn: 'N', mail: 'n@example.org' },
    brought: { uidNumber: 4001 },
  })
  const outcomes = []
  for await (const { refused } of applyPlan(deps, plan)) outcomes.push(refused?.reason ?? 'done')
  t.same(outcomes, [
    'The mail address belongs to another account.',
    'uidNumber belongs to somebody else.',
    'done',
  ])
  t.match(await read('max'), { mail: 'max@example.org' })
})

test('the present state is read by pages, however many people the source has', async (t) => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, n) => `many${n},Many,Number${n},many${n}@example.org,crowd`)
  const csvOf = (count: number) =>
    fileOf('many.csv', ['uid,givenName,sn,mail,groups', ...rows(count)].join('\r\n'))
  const some = Number(process.env.IMPORT_PEOPLE ?? 1100)
  const started = Date.now()
  t.equal((await importWith(deps, ['--csv', await csvOf(some), '--apply'])).code, 0)
  t.comment(`${some} people and memberships made in ${Date.now() - started} ms`)
  const many = await csvOf(10_000)
  const before = process.memoryUsage().rss
  const ran = await importWith(deps, ['--csv', many])
  const [, people, requests] = /has (\d+) people and \d+ groups, read by (\d+) requests/.exec(ran.text) ?? []
  const [, making, joining] = /(\d+) people to make, .* (\d+) memberships/.exec(ran.text) ?? []
  t.same([making, joining], [10_000 - some, 10_000 - some].map(String))
  t.equal(
    Number(requests),
    1 + Math.ceil((Number(people) + 1) / 500),
    'a page of groups, and of 500 people each',
  )
  t.comment(`${Math.round((process.memoryUsage().rss - before) / 1024 / 1024)} MB more, ${requests} requests`)
})
