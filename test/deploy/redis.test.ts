import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { Redis } from 'ioredis'
import tap, { test } from 'tap'
import { findBinaries } from '#quickstart/binaries.ts'
import type { Child } from '#quickstart/child.ts'
import { freePort, startChild } from '#quickstart/child.ts'
import { readConfig } from '#src/config.ts'
import { openInspection } from '#src/connect.ts'
import { runAll } from '#src/doctor/findings.ts'
import { redisCheck } from '#src/doctor/redis.ts'
import { testDataDir } from '#test/support/data-dir.ts'
import { accepts } from '#test/support/quickstart.ts'
import { until } from '#test/support/until.ts'

const dir = await mkdtemp(join(tmpdir(), 'latchkey-deploy-'))
let password = 'a-password.of~redis_1'
const script = join(import.meta.dirname, '../../deploy/redis/start.sh')
const { redis: binary } = await findBinaries(testDataDir)
const running: Child[] = []
tap.teardown(async () => {
  for (const child of running) await child.kill()
  await rm(dir, { recursive: true, force: true })
})
const ports = await Promise.all(Array.from({ length: 6 }, freePort))
const [first = 0, ...others] = ports.slice(0, 3)
const sentinels = ports.slice(3)

/** deploy/redis/start.sh as the container runs it, on loopback, in a folder that stands for its volume. */
async function start(kind: 'server' | 'sentinel', port: number): Promise<Child> {
  const data = join(dir, String(port))
  await mkdir(data, { recursive: true })
  const child = await startChild({
    ...{ command: '/bin/sh', args: [script, kind], cwd: data },
    env: {
      PATH: `${dirname(binary.path)}:/usr/bin:/bin`,
      ...binary.env,
      ...{ DATA: data, REDIS_PASSWORD: password, REDIS_NAME: '127.0.0.1', REDIS_PORT: String(port) },
      ...{ REDIS_PRIMARY: '127.0.0.1', REDIS_PRIMARY_PORT: String(first) },
    },
    ready: () => accepts('127.0.0.1', port),
  })
  running.push(child)
  return child
}

/** One command to one server, and what it says, also where it refuses. */
async function told(port: number, ...[command = '', ...words]: string[]): Promise<string> {
  const client = new Redis({
    port,
    password: ports.slice(0, 3).includes(port) ? password : '',
    lazyConnect: true,
  })
  client.on('error', () => {})
  try {
    return String(await client.call(command, ...words))
  } catch (error) {
    return String(error)
  } finally {
    client.disconnect()
  }
}

const config = () =>
  readConfig({
    ...{ app_ldap__base: 'dc=test', app_ldap__bindDN: 'cn=test', app_ldap__bindPassword: 'test' },
    ...{
      OAUTH_ISSUER: 'http://localhost:3000',
      JWT_SECRET: 'a signing secret of this test alone, long enough',
    },
    app_redis__url: `redis://:${password}@127.0.0.1`,
    app_redis__sentinels: sentinels.map((port) => `127.0.0.1:${port}`).join(','),
    app_redis__replicas: '1',
  })

test('three servers and three Sentinels of the script are what the service wants of Redis', async (t) => {
  const servers = await Promise.all([first, ...others].map((port) => start('server', port)))
  await until('the replicas follow', async () =>
    (await told(first, 'INFO', 'replication')).includes('connected_slaves:2'),
  )
  await Promise.all(sentinels.map((port) => start('sentinel', port)))
  await until('the Sentinels know each other', async () =>
    (await Promise.all(sentinels.map((port) => told(port, 'INFO', 'sentinel')))).every((info) =>
      /slaves=2,sentinels=3/.test(info),
    ),
  )
  const wrong = async () => {
    const found = await runAll([redisCheck(config(), openInspection(config()))])
    return found.filter(({ level }) => level !== 'ok')
  }
  await until('the doctor finds nothing wrong with them', async () => (await wrong()).length === 0)

  t.test('nobody gets in without the password, which nobody else on the machine reads', async (t) => {
    for (const port of ports.slice(0, 3)) {
      const stranger = new Redis({ port, lazyConnect: true })
      stranger.on('error', () => {})
      await t.rejects(stranger.call('GET', 'x'), { message: /^NOAUTH/ })
      stranger.disconnect()
    }
    for (const port of ports) {
      const file = join(dir, String(port), sentinels.includes(port) ? 'sentinel.conf' : 'redis.conf')
      t.equal((await stat(file)).mode & 0o077, 0, file)
    }
  })

  t.test('a new password comes to all of them while they run, as docs/operations.md has it', async (t) => {
    const [before, next] = [password, 'another-password.of~redis_2']
    const all = async (...command: string[]) => {
      for (const port of [first, ...others]) t.equal(await told(port, ...command), 'OK')
    }
    await all('ACL', 'SETUSER', 'default', `>${next}`)
    await all('CONFIG', 'SET', 'masterauth', next)
    for (const port of sentinels)
      t.equal(await told(port, 'SENTINEL', 'SET', 'mymaster', 'auth-pass', next), 'OK')
    password = next
    await all('ACL', 'SETUSER', 'default', `<${before}`)
    await until('the doctor finds nothing wrong with them', async () => (await wrong()).length === 0)
    t.match(await told(first, 'AUTH', before), /WRONGPASS/)
  })

  t.test('a lost primary is replaced, and comes back as a replica, also after restarts of all', async (t) => {
    await until('two replicas are good', async () => (await told(first, 'SET', 'kept', 'yes')) === 'OK')
    await servers[0]?.kill()
    const roles = () => Promise.all(others.map((port) => told(port, 'ROLE')))
    await until('another is primary', async () => (await roles()).some((role) => role.startsWith('master')))
    const next = others[(await roles()).findIndex((role) => role.startsWith('master'))] as number
    await start('server', first)
    await until('the first follows it', async () =>
      (await told(first, 'ROLE')).startsWith(`slave,127.0.0.1,${next},connected`),
    )
    t.equal(await told(first, 'GET', 'kept'), 'yes')
    await until('the third follows it too', async () =>
      (await told(next, 'INFO', 'replication')).includes('connected_slaves:2'),
    )
    const rest = running.splice(0).reverse() // the Sentinels first: they would replace a primary that is slow to stop
    for (const child of rest) await child.stop()
    await Promise.all([...others, first].map((port) => start('server', port)))
    for (const port of [first, ...others])
      t.match(
        await told(port, 'ROLE'),
        port === next ? /^master,/ : new RegExp(`^slave,127.0.0.1,${next},`),
        'each knows its part, with no Sentinel there to tell it',
      )
    await Promise.all(sentinels.map((port) => start('sentinel', port)))
    await until('they stand as they stood', async () =>
      (await told(next, 'INFO', 'replication')).includes('connected_slaves:2'),
    )
    t.match(await told(sentinels[0] as number, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster'), `,${next}`)
  })
})

test('neither starts without a password, or with one that no URL could carry', async (t) => {
  const settings = { DATA: dir, REDIS_NAME: '127.0.0.1', REDIS_PRIMARY: '127.0.0.1', REDIS_PORT: '1' }
  for (const kind of ['server', 'sentinel'])
    for (const [given, said] of [
      [{}, /set REDIS_PASSWORD/],
      [{ REDIS_PASSWORD: '' }, /set REDIS_PASSWORD/],
      [{ REDIS_PASSWORD: 'a@b/c' }, /letters, digits and/],
    ] as const)
      await t.rejects(
        promisify(execFile)('/bin/sh', [script, kind], {
          env: { PATH: `${dirname(binary.path)}:/usr/bin:/bin`, ...binary.env, ...settings, ...given },
          timeout: 5_000,
        }),
        { message: said },
      )
})
