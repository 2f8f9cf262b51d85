import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { selfSigned } from '#test/support/certificate.ts'
import { bounded, until } from '#test/support/until.ts'
import { standStill } from './graph-support.ts'
import { openOn, person, startTestDirectory } from './support.ts'

const dir = await mkdtemp(join(tmpdir(), 'latchkey-tls-'))
t.teardown(() => rm(dir, { recursive: true, force: true }))

async function files(name: string, hosts: Parameters<typeof selfSigned>[0]) {
  const { certificate, key } = selfSigned(hosts)
  const paths = { certificate: join(dir, `${name}.crt`), key: join(dir, `${name}.key`) }
  await Promise.all([writeFile(paths.certificate, certificate), writeFile(paths.key, key, { mode: 0o600 })])
  return paths
}
const right = await files('right', { ip: '127.0.0.1', name: 'localhost' })
const foreign = await files('foreign', { ip: '127.0.0.1', name: 'localhost' })
const { ldap, users, ...test } = await startTestDirectory({}, { tls: right })
t.teardown(() => test[Symbol.asyncDispose]())
const ada = await users.create(person({ uid: 'ada', password: 'the right word' }))

const ways = {
  ldaps: { url: ldap.ldapsUrl as string },
  StartTLS: { url: ldap.url, startTLS: 'true' },
}
for (const [way, settings] of Object.entries(ways)) {
  t.test(`a self-signed certificate of LDAP is refused (${way})`, async (t) => {
    await t.rejects(openOn(ldap, settings), { name: 'UpstreamFailure' })
  })

  t.test(`a certificate of another authority is refused (${way})`, async (t) => {
    await t.rejects(openOn(ldap, { ...settings, tls__ca: foreign.certificate }), { name: 'UpstreamFailure' })
  })

  t.test(
    `it is accepted when its authority is configured, and everything goes over TLS (${way})`,
    async (t) => {
      await using directory = await openOn(ldap, { ...settings, tls__ca: right.certificate, timeout: '4000' })
      t.equal((await directory.users.find('ada'))?.dn, ada.dn)
      t.equal(await directory.users.verifyPassword(ada, 'the right word'), true)
      t.equal(await directory.users.verifyPassword(ada, 'a wrong word'), false)
      t.equal(await directory.users.count(), 1)
      t.match(await directory.users.update('ada', { mobile: '+49123' }), { mobile: '+49123' })
      await directory.prepare()
      t.ok(await until('the feed of changes too', async () => directory.graphIsLive, 15, 10))
    },
  )

  t.test(`a connection over TLS that ends is replaced (${way})`, async (t) => {
    await using directory = await openOn(ldap, { ...settings, tls__ca: right.certificate, timeout: '4000' })
    const found = () =>
      until('it is replaced', () => directory.users.find('ada').catch(() => undefined), 15, 10)
    await ldap.kill()
    await t.rejects(directory.users.find('ada'), { name: 'UpstreamFailure' })
    await ldap.start()
    t.equal((await found())?.dn, ada.dn)
    t.equal(await directory.users.verifyPassword(ada, 'the right word'), true)
    await standStill(ldap.pid)
    await t.rejects(directory.users.find('ada'), { name: 'UpstreamFailure' })
    process.kill(ldap.pid, 'SIGCONT')
    t.equal((await found())?.dn, ada.dn)
  })

  t.test(`verification can be switched off by configuration (${way})`, async (t) => {
    await using directory = await openOn(ldap, { ...settings, tls__verify: 'false' })
    t.equal((await directory.users.find('ada'))?.dn, ada.dn)
  })
}

t.test("a certificate for another host's name is refused", async (t) => {
  const other = await files('other', { name: 'ldap.example.org' })
  const { ldap, ...test } = await startTestDirectory({}, { tls: other })
  t.teardown(() => test[Symbol.asyncDispose]())
  const both: Record<string, string>[] = [
    { url: ldap.ldapsUrl as string },
    { url: ldap.url, startTLS: 'true' },
  ]
  for (const settings of both)
    await t.rejects(openOn(ldap, { ...settings, tls__ca: other.certificate }), { name: 'UpstreamFailure' })
})

t.test('StartTLS that the server does not offer fails: nothing is sent in clear', async (t) => {
  const { ldap, ...test } = await startTestDirectory()
  t.teardown(() => test[Symbol.asyncDispose]())
  const sent: string[] = []
  const hooks = { onChange: async () => {}, onRoundTrip: (operation: string) => void sent.push(operation) }
  await t.rejects(openOn(ldap, { startTLS: 'true' }, hooks), { name: 'UpstreamFailure' })
  t.same(new Set(sent), new Set(['extended']), 'no bind went out')
})

t.test('a server that speaks no LDAP ends in UpstreamFailure within the time limit', async (t) => {
  const { createServer } = await import('node:http')
  const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  t.teardown(() => server.close())
  const { port } = server.address() as { port: number }
  const opening = openOn(ldap, { url: `ldap://127.0.0.1:${port}`, timeout: '600' })
  await t.rejects(bounded(2000, opening), { name: 'UpstreamFailure' })
})
