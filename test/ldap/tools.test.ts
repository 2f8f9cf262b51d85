import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'tap'
import { findLdapTools } from '#test/support/programs.ts'
import { startTestService } from '#test/support/service.ts'

const run = promisify(execFile)
const tools = await findLdapTools()

/** Standard output, or the exit code of a tool that failed (LDAP's result code). */
async function tool(name: string, ...args: string[]): Promise<string | number> {
  const env = { ...tools.env, LDAPNOINIT: '1' }
  return run(join(tools.folder, name), args, { env }).then(
    ({ stdout }) => stdout,
    (error) => error.code as number,
  )
}

test('ldapsearch with the service’s bind sees the users the API made, as plain standard entries', async (t) => {
  await using service = await startTestService()
  const { ldap } = service.servers
  const admin = await service.login(service.admin.uid, service.admin.password)
  const { uid } = await service.newUser(admin, { uid: 'alice', givenName: 'Alice', sn: 'Liddell' })
  const bind = [
    '-x',
    '-LLL',
    '-o',
    'ldif-wrap=no',
    '-H',
    ldap.url,
    '-D',
    ldap.bindDN,
    '-w',
    ldap.bindPassword,
  ]
  const found = String(await tool('ldapsearch', ...bind, '-b', ldap.base, `(uid=${uid})`))
  const lines = found.trim().split('\n')
  t.equal(lines[0], `dn: uid=alice,ou=people,${ldap.base}`)
  for (const line of [
    'objectClass: inetOrgPerson',
    'objectClass: posixAccount',
    'objectClass: ldapPublicKey',
    'uid: alice',
    'cn: Alice Liddell',
    'givenName: Alice',
    'sn: Liddell',
    'mail: alice@example.org',
    'homeDirectory: /home/alice',
    'loginShell: /bin/bash',
  ])
    t.ok(lines.includes(line), line)
  const number = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.split(': ')[1]
  t.ok(Number(number('uidNumber')) >= 10000)
  t.equal(number('gidNumber'), number('uidNumber'), 'the same number for both')
  t.match(lines.find((line) => line.startsWith('userPassword:: ')) ?? '', /./)
  const hash = Buffer.from(number('userPassword:') ?? '', 'base64').toString()
  t.match(hash, /^\{ARGON2\}\$argon2id\$/, 'hashed with a memory-hard scheme that stock slapd verifies')
})

test('ldapwhoami as a user works and stops working when the account is locked, through a password change too', async (t) => {
  await using service = await startTestService()
  const { ldap } = service.servers
  const admin = await service.login(service.admin.uid, service.admin.password)
  const { uid, dn, password } = await service.newUser(admin)
  const whoami = (secret: string) => tool('ldapwhoami', '-x', '-H', ldap.url, '-D', dn, '-w', secret)
  const setActive = (active: boolean) =>
    service.request('PUT', `/api/user/${uid}/active`, { token: admin, body: { active } })
  t.equal(await whoami(password), `dn:${dn}\n`)
  await setActive(false)
  t.equal(await whoami(password), 49)
  const changed = 'another password altogether'
  const body = { password: changed, confirm: changed }
  t.equal((await service.request('PUT', `/api/user/${uid}/password`, { token: admin, body })).status, 200)
  t.equal(await whoami(changed), 49, 'still locked')
  await setActive(true)
  t.equal(await whoami(changed), `dn:${dn}\n`)
  t.equal(await whoami(password), 49, 'the old password is dead')
})

test('anonymous reads nothing', async (t) => {
  await using service = await startTestService()
  const { ldap } = service.servers
  t.equal(await tool('ldapsearch', '-x', '-H', ldap.url, '-b', ldap.base, '(objectClass=*)'), 32)
})
