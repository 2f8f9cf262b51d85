import { Attribute, Change } from 'ldapts'
import tap, { test } from 'tap'
import { examine } from '#src/doctor/examine.ts'
import { startTestService } from '#test/support/service.ts'
import { found, reconfigure } from './support.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())

const replace = (type: string, value: string) => [
  new Change({ operation: 'replace', modification: new Attribute({ type, values: [value] }) }),
]

test('two people with one number or one address, as a lost server that comes back may bring them, are told of', async (t) => {
  const env = await service.environmentOfPod()
  const token = await service.login('admin', service.admin.password)
  const [one, two] = [await service.newUser(token), await service.newUser(token)]
  const { body } = await service.request<{ results: { uidNumber: string } }>('GET', `/api/user/${one.uid}`, {
    token,
  })
  const before = await examine(env)
  t.notOk(before.findings.some(({ what }) => /two people/.test(what)))
  // Replication writes what slapd would let nobody else write twice.
  const onlyNames = 'serialize ldap:///ou=people,dc=example,dc=org?uid?sub'
  const { dir } = service.servers
  await reconfigure(
    dir,
    'olcOverlay={1}unique,olcDatabase={1}mdb,cn=config',
    replace('olcUniqueURI', onlyNames),
  )
  await reconfigure(dir, two.dn, replace('uidNumber', String(body.results.uidNumber)))
  await reconfigure(dir, two.dn, replace('mail', one.mail.toUpperCase()))
  const report = await examine(env)
  found(t, report, [/LDAP directory/, 'error', new RegExp(`uidNumber ${body.results.uidNumber}\\b`)])
  found(t, report, [/LDAP directory/, 'error', new RegExp(`mail ${one.mail}`)])
})
