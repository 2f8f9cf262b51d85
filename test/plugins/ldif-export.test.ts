import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Attribute, Change, Client } from 'ldapts'
import tap, { test } from 'tap'
import { findBinaries } from '#quickstart/binaries.ts'
import { startSlapd } from '#quickstart/slapd.ts'
import { callsFor } from '#src/plugins/calls.ts'
import { ldifOf } from '#src/plugins/types/ldif.ts'
import { testDataDir } from '#test/support/data-dir.ts'
import { until } from '#test/support/until.ts'
import { startPluginTests } from './support.ts'

type Answer = { success: boolean; message: string; log: string }
const folder = await mkdtemp(join(tmpdir(), 'backup-'))
tap.teardown(() => rm(folder, { recursive: true, force: true }))
const service = await startPluginTests({ app_plugins__folder: folder })
const { ask, request, adminToken, newUser, deps, servers } = service
const run = promisify(execFile)
const binaries = await findBinaries(testDataDir)
const { base } = servers.ldap
const people = `ou=people,${base}`

async function instance(name: string, config: object = {}) {
  const { body, text } = await ask('POST', '', { pluginType: 'sync/ldif-export', name, config })
  const { id, slug } = body.results
  if (!id) throw new Error(text)
  return {
    id,
    slug,
    look: async () => (await ask<Answer>('POST', `/${id}/test`)).body,
    files: async () => (await readdir(folder)).filter((file) => file.startsWith(`${slug}-`)).sort(),
  }
}

/** slapcat and slapadd, in the folder of a slapd. */
function slapd(dir: string, tool: 'cat' | 'add', ...args: string[]) {
  const options = { cwd: dir, env: { ...process.env, ...binaries.slapd.env }, maxBuffer: 2 ** 28 }
  return run(binaries.slapd.path, ['-T', tool, '-F', 'conf', '-n', '1', ...args], options)
}

/** Lines of each entry below people and groups, by DN, as slapd itself writes what it holds. */
async function held(dir: string): Promise<Map<string, string[]>> {
  const entries = new Map<string, string[]>()
  const { stdout } = await slapd(dir, 'cat')
  for (const entry of stdout.replaceAll('\n ', '').split('\n\n')) {
    const [dn = '', ...lines] = entry.split('\n')
    if (!/ou=(people|groups),/.test(dn)) continue
    const lasting = lines.filter((line) => !/^(entryCSN|structuralObjectClass|contextCSN)/.test(line))
    entries.set(dn, lasting.sort())
  }
  return entries
}

/** What an empty slapd holds once it has read the file. */
async function restored(
  file: string,
  t: { teardown(act: () => unknown): void },
): Promise<Map<string, string[]>> {
  const dir = await mkdtemp(join(tmpdir(), 'restore-'))
  t.teardown(() => rm(dir, { recursive: true, force: true }))
  const empty = await startSlapd({ dir, binaries, nosync: true })
  await empty.stop()
  await rm(join(dir, 'db'), { recursive: true })
  await mkdir(join(dir, 'db'))
  await slapd(dir, 'add', '-l', join(folder, file))
  return held(dir)
}

const client = new Client({ url: servers.ldap.url })
await client.bind(servers.ldap.bindDN, servers.ldap.bindPassword)
tap.teardown(() => client.unbind())
const change = (dn: string, type: string, ...values: (string | Buffer)[]) =>
  client.modify(
    dn,
    new Change({ operation: 'replace', modification: new Attribute({ type, values: values as string[] }) }),
  )

test('sync/ldif-export writes people and groups that an empty slapd reads back as they were, without password hashes', async (t) => {
  const odd = await newUser(adminToken, { givenName: 'Zoë', sn: 'Müller-Łódź' })
  const locked = await newUser(adminToken)
  await request('PUT', `/api/user/${locked.uid}/active`, { token: adminToken, body: { active: false } })
  await change(odd.dn, 'jpegPhoto', Buffer.from([0xff, 0xd8, 0, 1, 0xfe, 10]))
  await change(
    odd.dn,
    'description',
    ' blank before',
    ': colon',
    '<angle',
    'blank after ',
    `long ${'x'.repeat(500)}`,
  )
  await change(odd.dn, 'title', 'line\nbreak')
  for (const name of ['inner', 'outer'])
    await request('POST', '/api/group/', { token: adminToken, body: { name, description: 'ü' } })
  await request('PUT', '/api/group/outer/nested/inner', { token: adminToken })
  const { look, files } = await instance('whole')
  t.match(await look(), { success: true, log: /\d+ entries: whole-\d{8}T\d{9}Z\.ldif/ })
  const [file = ''] = await files()
  const text = await readFile(join(folder, file), 'utf8')
  t.match(text, /^dn: dc=/)
  t.ok(text.split('\n').every((line) => line.length <= 76 && /^[ -~]*$/.test(line)))
  t.notMatch(text.replaceAll('\n ', ''), /userPassword|pwdHistory|ARGON2|e0FSR09OMn0/i)
  t.notMatch(text, /^dn: .*ou=services/m, 'the identity of the service is no person')
  t.equal((await stat(join(folder, file))).mode & 0o777, 0o600)

  const original = await held(join(servers.dir, 'ldap'))
  const withoutHashes = [...original].map(
    ([dn, lines]) => [dn, lines.filter((line) => !/^(userPassword|pwdHistory):/.test(line))] as const,
  )
  const read = await restored(file, t)
  t.ok(read.size > 5)
  t.same(Object.fromEntries(read), Object.fromEntries(withoutHashes))
})

test('sync/ldif-export holds password hashes where include_hashes says so, and fails where the directory shows none', async (t) => {
  const { look, files } = await instance('hashes', { include_hashes: true })
  t.match(await look(), { success: true, log: /with password hashes/ })
  const [file = ''] = await files()
  t.same(
    Object.fromEntries(await restored(file, t)),
    Object.fromEntries(await held(join(servers.dir, 'ldap'))),
  )
  const asked = { filter: '(userPassword=*)', attributes: ['userPassword'] }
  const { searchEntries: hashed } = await client.search(people, asked)
  t.ok(hashed.length > 0)
  for (const { dn } of hashed) await change(dn, 'userPassword')
  t.match(await look(), { success: false, message: /shows the service no password hashes/ })
  t.same(await files(), [file], 'and leaves nothing')
  for (const { dn, userPassword } of hashed) await change(dn, 'userPassword', String(userPassword))
})

test('sync/ldif-export keeps the newest files of its own and touches no other; one that fails leaves nothing', async (t) => {
  const { look, files, id, slug } = await instance('few', { keep: 2 })
  const foreign = ['few-else-20200101T000000000Z.ldif', 'few-notes.ldif', 'other.ldif']
  for (const file of foreign) await writeFile(join(folder, file), 'x')
  const left = join(folder, `.${slug}-0123456789abcdef.part`)
  await writeFile(left, 'of a pod that died')
  await utimes(left, 0, 0)
  const first = (await look()) && (await files()).find((file) => !foreign.includes(file))
  for (let n = 0; n < 2; n++) await look()
  const own = (await files()).filter((file) => !foreign.includes(file))
  t.equal(own.length, 2)
  t.notOk(own.includes(first ?? ''))
  const all = await readdir(folder)
  t.ok(foreign.every((file) => all.includes(file)))
  t.same(
    all.filter((file) => file.endsWith('.part')),
    [],
  )

  const record = await deps.store.plugins.find(id)
  if (!record) throw new Error('no record')
  {
    await using calls = callsFor(deps, record, { directory: 'read', file: 'ldif' })
    await calls.served.appendFile?.('half of it')
    await calls.served.nextEntries?.({ hashes: false })
    t.equal((await readdir(folder)).filter((file) => file.endsWith('.part')).length, 1)
  }
  t.same((await readdir(folder)).sort(), all.sort(), 'what was not kept is gone')
  await deps.audit.settled()
  const events = (await deps.audit.read({ limit: 10_000 })).filter(({ actor }) => actor === `plugin:${id}`)
  t.match(
    events,
    [1, 2, 3].map(() => ({ action: 'plugin.file', target: 'few', detail: { file: /^few-/ } })),
  )
})

test('sync/ldif-export says where it cannot write', async (t) => {
  const { look } = await instance('nowhere')
  deps.config.plugins.folder = join(folder, 'missing')
  t.match(await look(), { success: false, message: /could not be written: ENOENT/ })
  deps.config.plugins.folder = ''
  t.match(await look(), { success: false, message: /plugins\.folder names no folder/ })
  deps.config.plugins.folder = folder
  for (const wrong of [{ keep: 0 }, { include_hashes: 'yes' }, { folder: '/etc' }])
    t.match(await ask('POST', '', { pluginType: 'sync/ldif-export', name: 'wrong', config: wrong }), {
      status: 400,
      body: { name: 'InvalidInput' },
    })
})

test('sync/ldif-export writes thousands page by page in a small heap', async (t) => {
  const many = 10_000
  const entries = Array.from({ length: many }, (_, n) =>
    [
      `dn: uid=many${n},${people}\nobjectClass: inetOrgPerson\nuid: many${n}`,
      `cn: Many ${n}\nsn: ${n}\nmail: many${n}@example.org\n`,
    ].join('\n'),
  )
  const ldif = join(servers.dir, 'many.ldif')
  await writeFile(ldif, entries.join('\n'))
  await servers.ldap.stop()
  await slapd(join(servers.dir, 'ldap'), 'add', '-q', '-l', ldif)
  await servers.ldap.start()
  await until('the directory is back', async () => (await request('GET', '/readyz')).status === 200)
  deps.config.plugins.memory = 32
  const { look, files } = await instance('large')
  t.match(await look(), { success: true })
  const text = await readFile(join(folder, (await files())[0] ?? ''), 'utf8')
  t.equal(text.match(/^dn: uid=many/gm)?.length, many)
})

test('LDIF is written as RFC 2849 has it', async (t) => {
  const one = (value: string) => ldifOf({ dn: 'cn=x', attributes: [['a', [value]]] }).split('\n')[1]
  for (const plain of ['x', 'a b', 'a:b<c', '=']) t.equal(one(plain), `a: ${plain}`)
  t.equal(one(''), 'a: ')
  for (const coded of [' x', ':x', '<x', 'x ', 'ü', 'a\nb', 'a\rb', 'a\0b', ' '])
    t.equal(one(coded), `a:: ${Buffer.from(coded).toString('base64')}`)
  t.match(ldifOf({ dn: 'cn=ü', attributes: [] }), /^dn:: Y249w7w=\n\n$/)
  const long = ldifOf({ dn: 'cn=x', attributes: [['a', ['y'.repeat(200)]]] })
  t.ok(long.split('\n').every((line) => line.length <= 76))
  t.match(long.replaceAll('\n ', ''), `a: ${'y'.repeat(200)}\n`)
})
