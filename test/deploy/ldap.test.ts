import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'ldapts'
import tap, { test } from 'tap'
import type { Child } from '#quickstart/child.ts'
import { freePort } from '#quickstart/child.ts'
import { readConfig } from '#src/config.ts'
import { examine } from '#src/doctor/examine.ts'
import { startService } from '#src/main.ts'
import { run } from '#test/backup/support.ts'
import { selfSigned } from '#test/support/certificate.ts'
import { clientOf } from '#test/support/client.ts'
import { startNode } from '#test/support/redis-nodes.ts'
import { until } from '#test/support/until.ts'
import { startContainer } from './ldap-support.ts'

const dir = await mkdtemp(join(tmpdir(), 'latchkey-deploy-'))
const base = 'dc=example,dc=org'
const bindDN = `cn=latchkey,ou=services,${base}`
const password = 'a password of the service: $|&;'
const [first, second, port] = [await freePort(), await freePort(), await freePort()]
const urls = [first, second].map((each) => `ldap://127.0.0.1:${each}`)
const running = new Map<number, Child>()
tap.teardown(async () => {
  for (const child of running.values()) await child.kill()
  await rm(dir, { recursive: true, force: true })
})

/** Number 1 or 2 of the two servers, with what its volume holds. */
async function start(id: 1 | 2, differently: { waits?: boolean } = {}) {
  const settings = {
    ...{ LDAP_BASE: base, LDAP_PASSWORD: password },
    ...{ LDAP_SERVER_ID: String(id), LDAP_PEER: urls[2 - id] as string },
  }
  running.set(
    id,
    await startContainer(join(dir, `ldap-${id}`), [first, second][id - 1] as number, settings, differently),
  )
}

async function holds(at: number, dn: string): Promise<boolean> {
  const client = new Client({ url: urls[at] as string })
  try {
    await client.bind(bindDN, password)
    const { searchEntries } = await client.search(dn, { scope: 'base', attributes: ['userPassword'] })
    return searchEntries.length === 1
  } catch {
    return false
  } finally {
    await client.unbind().catch(() => {})
  }
}

const redis = await startNode(dir, 'server', 'appendonly yes')
tap.teardown(() => redis[Symbol.asyncDispose]())
const env = {
  app_listen__port: String(port),
  ...{
    OAUTH_ISSUER: `http://127.0.0.1:${port}`,
    JWT_SECRET: 'a signing secret of this test alone, long enough',
  },
  ...{ app_ldap__url: urls.join(','), app_ldap__base: base },
  ...{ app_ldap__bindDN: bindDN, app_ldap__bindPassword: password },
  ...{ app_redis__url: `redis://127.0.0.1:${redis.port}`, app_log__level: 'silent' },
}
const person = (uid: string) => `uid=${uid},ou=people,${base}`

test('two servers of the entrypoint script replicate, whichever starts first, and only the first makes entries', async (t) => {
  await start(1, { waits: true })
  t.notOk(await holds(0, base), 'it waits for the word of its peer')
  await start(2)
  await until('both hold the directory', async () => (await holds(0, base)) && (await holds(1, base)))
})

test('the service writes to one, and goes on with the other when that one is gone', async (t) => {
  await using service = await startService(readConfig(env))
  const client = clientOf(service.url)
  const { uid, password: secret } = service.firstAdmin as { uid: string; password: string }
  const admin = await client.login(uid, secret)
  await client.newUser(admin, { uid: 'ada', password: 'her own password' })
  await until('the second holds her', () => holds(1, person('ada')))
  const well = await until('the doctor finds nothing wrong with them', async () => {
    const { findings } = await examine(env)
    const found = findings.filter(({ check }) => check.startsWith('LDAP'))
    return found.every(({ level }) => level !== 'warning' && level !== 'error') && found.length
  })
  t.ok(well > 0)

  await running.get(1)?.kill()
  await until('the second answers', async () => (await client.request('GET', '/readyz')).status === 200)
  await client.login('ada', 'her own password')
  await client.newUser(await client.login(uid, secret), { uid: 'ben', password: 'his own password' })
  await start(1)
  await until('the first has caught up', () => holds(0, person('ben')))
})

test('a server that lost its volume gets everything from its peer, and makes no entries of its own', async (t) => {
  for (const [id, at] of [
    [1, 0],
    [2, 1],
  ] as const) {
    await running.get(id)?.kill()
    await rm(join(dir, `ldap-${id}`), { recursive: true })
    await start(id)
    await until(
      `server ${id} has everything`,
      async () => (await holds(at, person('ben'))) && holds(at, bindDN),
    )
  }
  t.ok(await holds(1, person('ada')))
  const passwords = await readFile(join(dir, 'ldap-1/.password')).catch(() => undefined)
  t.equal(passwords, undefined, 'no password is left in the volume')
  for (const each of ['conf', 'db']) t.equal((await stat(join(dir, 'ldap-1', each))).mode & 0o077, 0, each)
})

test('LDAP_RESTORE_PASSWORD lets a restore in, until the next start without it', async (t) => {
  const file = join(dir, 'all.age')
  t.match(await run('backup', env, file), { code: 0 })
  const [at, data] = [await freePort(), join(dir, 'restored')]
  const settings = { LDAP_BASE: base, LDAP_PASSWORD: password }
  const restore = 'a password for the restore'
  const open = await startContainer(data, at, { ...settings, LDAP_RESTORE_PASSWORD: restore })
  running.set(3, open)
  await using empty = await startNode(dir, 'server')
  const target = {
    ...env,
    app_ldap__url: `ldap://127.0.0.1:${at}`,
    app_redis__url: `redis://127.0.0.1:${empty.port}`,
    RESTORE_LDAP_BIND_DN: `cn=manager,${base}`,
    RESTORE_LDAP_PASSWORD: restore,
  }
  t.match(await run('restore', target, file), { code: 0, said: /are back/ })
  await open.kill()
  running.set(3, await startContainer(data, at, settings))
  const manager = new Client({ url: target.app_ldap__url })
  await t.rejects(manager.bind(`cn=manager,${base}`, restore), { code: 49 })
})

test('StartTLS with the certificate that is given; Linux hosts read with the password that is theirs', async (t) => {
  const [at, data] = [await freePort(), join(dir, 'encrypted')]
  const { certificate, key } = selfSigned({ name: 'localhost' })
  const files = { LDAP_TLS_CERTIFICATE: join(dir, 'ldap.crt'), LDAP_TLS_KEY: join(dir, 'ldap.key') }
  await writeFile(files.LDAP_TLS_CERTIFICATE, certificate)
  await writeFile(files.LDAP_TLS_KEY, key, { mode: 0o600 })
  const host = 'a password of Linux hosts'
  const settings = { LDAP_BASE: base, LDAP_PASSWORD: password, LDAP_HOST_PASSWORD: host }
  running.set(4, await startContainer(data, at, { ...settings, ...files }))
  const client = new Client({ url: `ldap://localhost:${at}` })
  await client.startTLS({ ca: [certificate] })
  await client.bind(`cn=host,ou=services,${base}`, host)
  const { searchEntries } = await client.search(`ou=people,${base}`, { scope: 'base' })
  t.equal(searchEntries.length, 1)
  await client.unbind()
})

test('no server starts without a password, or with one that its peer could not be told', async (t) => {
  const at = await freePort()
  for (const [settings, said] of [
    [{}, /set LDAP_PASSWORD/],
    [{ LDAP_PASSWORD: 'with a "quote', LDAP_SERVER_ID: '1', LDAP_PEER: 'ldap://127.0.0.1:1' }, /no quote/],
    [{ LDAP_PASSWORD: password, LDAP_PEER: 'ldap://127.0.0.1:1' }, /set LDAP_SERVER_ID/],
  ] as const)
    await t.rejects(startContainer(join(dir, 'none'), at, { LDAP_BASE: base, ...settings }), {
      message: said,
    })
})
