import { test } from 'tap'
import { fromLdif } from '#src/connect.ts'
import { applyPlan } from '#src/import/apply.ts'
import { planImport } from '#src/import/plan.ts'
import { readState } from '#src/import/state.ts'
import { startUserTests } from '#test/user/support.ts'
import { dumpOf, fileOf, importWith, personLdif, ssha } from './support.ts'

const { deps, servers, admin, adminUid, read, request } = await startUserTests()
const base = 'dc=old,dc=example'
const group = (cn: string, lines: string[]) =>
  [`dn: cn=${cn},ou=groups,${base}`, 'objectClass: groupOfNames', `cn: ${cn}`, ...lines, '', ''].join('\n')
const member = (cn: string) => `member: cn=${cn},ou=groups,${base}`

test('what breaks a rule is refused by its place, field and reason, and the rest is imported', async (t) => {
  const broken = ssha('a secret that is broken').slice(0, -16)
  const file = await fileOf(
    'hostile.ldif',
    [
      personLdif('good'),
      personLdif('good').replace('people', 'others').replace('good@', 'second@'),
      personLdif('badmail').replace('badmail@example.org', 'not a mail'),
      personLdif('taken').replace('taken@', 'GOOD@'),
      personLdif('Big').replace('sn: Big', `sn: ${'x'.repeat(1024 * 1024)}`),
      personLdif('long').replace('sn: long', `sn: ${'x'.repeat(100_000)}`),
      personLdif('coded').replace('sn: coded', 'sn:: %%%'),
      personLdif('me'),
      personLdif('Upper'),
      personLdif('far', [], 'dc=elsewhere'),
      personLdif('key', ['sshPublicKey: ssh-ed25519 AAAA']),
      personLdif('home', ['homeDirectory: ../etc']),
      personLdif('esc').replace('sn: esc', `sn:: ${Buffer.from('a\u001b[2Jb').toString('base64')}`),
      personLdif('clear', ['userPassword: in clear text']),
      personLdif('half', [`userPassword: ${broken}`]),
      personLdif('dear', [`userPassword: {CRYPT}$6$rounds=999999999$salt$${'a'.repeat(86)}`]),
      personLdif('other', ['userPassword: {PBKDF2-SHA256}1000$c2FsdA$AAAAAAAAAAAAAAAAAAAAAA']),
      personLdif('sasl', ['userPassword: {SASL}somebody@example.org']),
      group('loop1', [member('loop2')]),
      group('loop2', [member('loop3')]),
      group('loop3', [member('loop1'), member('loop3'), `member: uid=nobody,ou=people,${base}`]),
      group('bad/name', [`member: uid=good,ou=people,${base}`]),
      group('app_sso_admin', [`member: uid=good,ou=people,${base}`, member('loop1')]),
      group('app_sso_new', [`member: uid=good,ou=people,${base}`]),
    ].join(''),
  )
  const args = ['--ldif', file, '--base', base]
  const dry = await importWith(deps, args)
  t.equal(dry.code, 1)
  for (const said of [
    /uid stands twice: first at line 1/,
    /mail is not a mail address .*badmail/,
    /mail belongs to good .*taken/,
    /sn is too long .*Big/,
    /sn is too long or too short .*long/,
    /sn is broken base64 .*coded/,
    /uid is a word that the service keeps for itself .*uid=me/,
    /uid must be 1 to 32 of a-z .*Upper/,
    /dn stands outside the base .*far/,
    /sshPublicKey The key is not a valid/,
    /homeDirectory is no absolute path .*home/,
    /sn holds signs that a name cannot have .*esc/,
    /password clear text is no hash .*clear/,
    /password \{SSHA\} is broken .*half/,
    /password \{CRYPT\}\$6\$ is broken, or too costly to check .*dear/,
    /password \{PBKDF2-SHA256\} is not verified by this directory .*other/,
    /password \{SASL\} is of a kind that is not known here .*sasl/,
    /member names nobody who is here or is imported: uid=nobody/,
    /member is the group itself .*loop3/,
    /member loop1 nested in it would form a loop .*loop3/,
    /cn must start with a letter .*bad/,
    /member good would come into a permission group.*app_sso_admin/,
    /member loop1 would come into a permission group.*app_sso_admin/,
    /cn is a permission group.*app_sso_new/,
  ])
    t.match(dry.text, said)
  t.match(
    dry.text,
    /1 people to make, 0 to change, 3 groups to make, 0 memberships, 0 owners and 2 nestings to add/,
  )
  for (const secret of ['in clear text', broken.slice(7), 'rounds=', 'c2FsdA', '\u001b', 'somebody@'])
    t.notOk(dry.text.includes(secret))
  const applied = await importWith(deps, [...args, '--apply'])
  t.match(applied.text, /6 of 6 steps were done, 0 were refused meanwhile/)
  t.match(await read('good'), { mail: 'good@example.org' })
  const again = await importWith(deps, args)
  t.same(
    again.lines.filter((line) => /^[+~]/.test(line)),
    [],
  )
})

test('--drop-unknown-hashes imports them without a password', async (t) => {
  const file = await fileOf('drop.ldif', personLdif('clear', ['userPassword: in clear text']))
  const ran = await importWith(deps, ['--ldif', file, '--drop-unknown-hashes', '--apply'])
  t.match(ran, { code: 0, text: /no password: must be invited or reset \(clear text is no hash\)/ })
  t.match(await read('clear'), { uid: 'clear' })
  t.notOk((await dumpOf(servers.ldap)).includes('in clear text'))
})

test('permission groups gain nobody, through a chain neither, unless --permission-groups says so', async (t) => {
  await request('POST', '/api/group/', { token: admin, body: { name: 'inner' } })
  const nested = await request('PUT', '/api/group/app_sso_admin/nested/inner', { token: admin })
  const nestedOr =
    nested.status === 200
      ? nested
      : await request('POST', '/api/group/app_sso_admin/nest/inner', { token: admin })
  t.equal(nestedOr.status, 200, nestedOr.text)
  const file = await fileOf('chain.csv', 'uid,givenName,sn,mail,groups\nmal,Mal,Ory,mal@example.org,inner\n')
  const refused = await importWith(deps, ['--csv', file, '--apply'])
  t.match(refused.text, /member mal would come into a permission group/)
  t.notMatch((await deps.groups.find('inner'))?.member, [/uid=mal/])
  t.equal((await importWith(deps, ['--csv', file, '--apply', '--permission-groups'])).code, 0)
  t.match((await deps.groups.find('inner'))?.member, [new RegExp(`uid=${adminUid}`), /uid=mal/])
})

test('CSV: our own export comes back as no difference; quotes, CRLF, a byte order mark', async (t) => {
  await deps.users.update('good', { sn: 'O"Quote, Jr.', mobile: '+49151' })
  const exported = await request('GET', '/api/user/export', { token: admin })
  t.match(exported.text, /"O""Quote, Jr\.",good@example\.org,'\+49151/)
  const same = await importWith(deps, ['--csv', await fileOf('export.csv', `\uFEFF${exported.text}`)])
  t.same(
    same.lines.filter((line) => /^[+~!]/.test(line)),
    [],
  )
  const locked = exported.text.replace(/(good@.*),true,/, '$1,false,')
  const ran = await importWith(deps, ['--csv', await fileOf('locked.csv', locked), '--apply'])
  t.match(ran.lines[0], '~ person good: isActive true → false')
  t.match(await read('good'), { isActive: false })
})

test('CSV: a header or a row that does not fit is refused, and says why', async (t) => {
  const lines = async (text: string | Buffer) =>
    (await importWith(deps, ['--csv', await fileOf('bad.csv', text)])).lines.filter((line) =>
      /^[+~!]/.test(line),
    )
  t.match(await lines('uid,mail,wrong\na,b,c\n'), [/header has a column that is not known \("wrong"\)/])
  t.match(await lines('uid,uid\na,b\n'), [/header names a column twice/])
  t.match(await lines('mail\na@b\n'), [/header lacks the column uid/])
  t.match(await lines(''), [/header is missing/])
  t.match(await lines('uid,givenName,sn,mail\nx,y\nok,O,K,ok@example.org\n'), [
    /person ok/,
    /row has 2 cells instead of 4 \(line 2\)/,
  ])
  t.match(await lines('uid,isActive\nadmin,perhaps\n'), [/isActive must be true or false/])
  t.match(await lines('uid,sn\n"open,quote\n'), [/row has quotes that do not close/])
  t.match(await lines(`uid,givenName,sn,mail\nbig,a,${'x'.repeat(1024 * 1024)},b@example.org\n`), [
    /sn is too long or too short \(line 2 \(big\)\)/,
  ])
  await t.rejects(lines(Buffer.from('uid,sn\nm\xfcller,M\xfcller\n', 'latin1')), {
    message: /is not text in UTF-8/,
  })
})

test('a group that has come to lead to an app_sso_ group since the plan gets nobody either', async (t) => {
  const people = [personLdif('late'), personLdif('already')].join('')
  const group = (...uids: string[]) =>
    [`dn: cn=turned,ou=groups,${base}`, 'objectClass: groupOfNames', 'cn: turned']
      .concat(uids.map((uid) => `member: uid=${uid},ou=people,${base}`))
      .concat('', '')
      .join('\n')
  const first = await fileOf('turned.ldif', people + group('already'))
  t.equal((await importWith(deps, ['--ldif', first, '--apply'])).code, 0)
  const plan = await planImport(
    deps,
    await readState(deps),
    fromLdif(await fileOf('more.ldif', people + group('already', 'late')), {}),
  )
  t.match(plan, { refused: [], steps: [{ does: 'add member', cn: 'turned', uid: 'late' }] })
  await request('PUT', '/api/group/app_sso_invite/nested/turned', { token: admin })
  const outcomes = []
  for await (const { refused } of applyPlan(deps, plan)) outcomes.push(refused?.field ?? 'done')
  t.same(outcomes, ['add member'])
  t.notMatch((await deps.groups.effectiveMembersOf('app_sso_invite'))?.effective.join(), /uid=late/)
  for await (const { refused } of applyPlan(deps, plan, { permissionGroups: true })) t.notOk(refused)
})
