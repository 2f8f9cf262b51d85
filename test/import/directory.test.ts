import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'ldapts'
import tap, { test } from 'tap'
import { bareEnvironment } from '#test/support/bare.ts'
import { selfSigned } from '#test/support/certificate.ts'
import { startTestServers } from '#test/support/servers.ts'
import { startUserTests } from '#test/user/support.ts'
import { fileOf, importWith, ssha } from './support.ts'

const made = selfSigned({ ip: '127.0.0.1' })
const tls = {
  certificate: await fileOf('ldap.crt', made.certificate),
  key: await fileOf('ldap.key', made.key),
}
const [old, tests] = await Promise.all([
  startTestServers({ ldap: { base: 'dc=old,dc=example', tls } }),
  startUserTests(),
])
tap.teardown(() => old[Symbol.asyncDispose]())
const { deps, login, read } = tests
const { base, url, bindDN, bindPassword } = old.ldap
const password = 'as it was in the old directory'
await teachMemberUid()
await fillOld()
const from = ['--ldap', url, '--bind-dn', bindDN, '--base', base]

test('people and groups of a running directory: names and hashes, member, uniqueMember and memberUid, nested groups', async (t) => {
  const dry = await importWith(deps, from, bindPassword)
  t.equal(dry.code, 0, dry.text)
  t.match(dry.text, /The source has 603 people and 4 groups/)
  t.match(
    dry.text,
    /person zoe: .*uidNumber 3001.*password: kept hash \{SSHA\} \(uid=zoe,ou=people,dc=old,dc=example\)/,
  )
  t.match(dry.text, /person ann: givenName Ann Marie, sn Smith, .*no password: must be invited or reset/)
  t.notOk(dry.text.includes(bindPassword))
  const applied = await importWith(deps, [...from, '--apply'], bindPassword)
  t.equal(applied.code, 0, applied.text)
  t.ok(await login('zoe', password))
  t.match(await read('mono'), { givenName: 'Cher', sn: 'Cher' })
  const membersOf = async (cn: string) => (await deps.groups.find(cn))?.member.map((dn) => dn.split(',')[0])
  t.same(await membersOf('staff'), ['uid=zoe', 'cn=admins'])
  t.same(await membersOf('admins'), ['uid=ann'])
  t.same(await membersOf('hosts'), ['uid=mono', 'uid=zoe'])
  t.equal((await membersOf('everybody'))?.length, 600)
  const again = await importWith(deps, from, bindPassword)
  t.same(
    again.lines.filter((line) => /^[+~!]/.test(line)),
    [],
  )
})

test('only what is below the bases is taken, and a member outside them is refused', async (t) => {
  const ran = await importWith(
    deps,
    [...from, '--people-base', `ou=services,${base}`, '--groups-base', `ou=teams,${base}`],
    bindPassword,
  )
  t.match(ran.text, /The source has 0 people and 4 groups/)
  t.match(ran.text, /member names nobody who is here or is imported: uid=zoe,ou=people,dc=old,dc=example/)
  t.equal(ran.code, 1)
})

test('the command takes the password from a file, upgrades by StartTLS, and says what it needs', async (t) => {
  const file = await fileOf('password', `${bindPassword}\n`)
  const run = (args: string[], env: Record<string, string> = {}) =>
    promisify(execFile)(process.execPath, ['src/import/main.ts', ...args], {
      env: { ...bareEnvironment, ...settings, ...env },
    }).then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      ({ code, stdout, stderr }) => ({ code, said: stdout + stderr }),
    )
  const settings = await tests.environmentOfPod()
  const secure = [...from, '--start-tls', '--password-file', file]
  t.match(await run(secure, { NODE_EXTRA_CA_CERTS: tls.certificate }), { code: 0, said: /0 people to make/ })
  t.match(await run(secure), { code: 2, said: /certificate/ })
  const wrong = await run(from, { IMPORT_PASSWORD: 'a wrong password' })
  t.match(wrong, { code: 2, said: /LDAP refuses the bind: 49/ })
  t.notOk(wrong.said.includes('a wrong password'))
  t.match(await run(from), { code: 2, said: /Give the password of --bind-dn/ })
  t.match(await run(['--ldif', 'a', '--csv', 'b']), { code: 2, said: /Give one of/ })
  t.match(await run(['--ldif', '/nowhere/at-all.ldif']), { code: 2, said: /no such file/ })
})

/** An attribute of RFC 2307 that our own schema has no use for. The owner of slapd adds it over the socket. */
async function teachMemberUid(): Promise<void> {
  const socket = connect({ path: join(old.dir, 'ldap/ldapi') })
  await once(socket, 'connect')
  const createConnection = (() => socket) as unknown as typeof connect
  const owner = new Client({ url: 'ldap://localhost', createConnection })
  await owner.bind('EXTERNAL')
  await owner.add('cn=nis,cn=schema,cn=config', {
    ...{ objectClass: 'olcSchemaConfig', cn: 'nis' },
    olcAttributeTypes:
      "( 1.3.6.1.1.1.1.12 NAME 'memberUid' EQUALITY caseExactIA5Match SYNTAX 1.3.6.1.4.1.1466.115.121.1.26 )",
  })
  await owner.unbind()
}

/** Another house's directory. */
async function fillOld(): Promise<void> {
  const client = new Client({ url })
  await client.bind(bindDN, bindPassword)
  const person = (uid: string, fields: Record<string, string | string[]>) =>
    client.add(`uid=${uid},ou=people,${base}`, {
      ...{ objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, mail: `${uid}@old.example` },
      ...fields,
    })
  await person('zoe', {
    objectClass: ['inetOrgPerson', 'posixAccount'],
    ...{ cn: 'Zoe Old', givenName: 'Zoe', sn: 'Old', userPassword: ssha(password) },
    ...{ uidNumber: '3001', gidNumber: '100', homeDirectory: '/home/zoe' },
  })
  await person('ann', { cn: 'Ann Marie Smith', sn: 'Smith' })
  await person('mono', { cn: 'Cher', sn: 'Cher' })
  const crowd = Array.from({ length: 600 }, (_, n) => `p${n}`)
  for (const uid of crowd) await person(uid, { givenName: 'Of', sn: 'Crowd' })
  await client.add(`ou=teams,${base}`, { objectClass: 'organizationalUnit', ou: 'teams' })
  const dns = (uids: string[]) => uids.map((uid) => `uid=${uid},ou=people,${base}`)
  const group = (cn: string, fields: Record<string, string | string[]>) =>
    client.add(`cn=${cn},ou=teams,${base}`, { cn, ...fields })
  await group('staff', {
    objectClass: 'groupOfNames',
    member: [...dns(['zoe']), `cn=admins,ou=teams,${base}`],
  })
  await group('admins', { objectClass: 'groupOfUniqueNames', uniqueMember: dns(['ann']) })
  await group('hosts', {
    objectClass: ['organizationalRole', 'posixGroup', 'extensibleObject'],
    ...{ gidNumber: '3001', memberUid: ['mono', 'ZOE'] },
  })
  await group('everybody', { objectClass: 'groupOfNames', member: dns(crowd) })
  await client.unbind()
}
