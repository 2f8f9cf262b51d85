import { mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises'
import { networkInterfaces, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { Client } from 'ldapts'
import t from 'tap'
import { findBinaries } from '#quickstart/binaries.ts'
import { freePort } from '#quickstart/child.ts'
import { invited } from '#quickstart/demo-data.ts'
import { exists } from '#quickstart/packages.ts'
import { testDataDir } from './support/data-dir.ts'
import { accepts, isAlive, login, quickStartIn, serverPids } from './support/quickstart.ts'
import { until } from './support/until.ts'

await findBinaries(testDataDir)
const dataDir = await mkdtemp(join(tmpdir(), 'latchkey-quickstart-'))
await symlink(join(testDataDir, 'servers'), join(dataDir, 'servers'))
t.teardown(() => rm(dataDir, { recursive: true, force: true }))
const port = await freePort()
const { launch, started } = quickStartIn(dataDir, port)

let first: Awaited<ReturnType<typeof started>>

t.test('the first start prints the address and the generated password of the administrator', async (t) => {
  first = await started()
  t.match(first.output(), `Latchkey is ready at  ${first.ready.url}`)
  t.match(first.output(), first.ready.admin.password)
  t.ok(first.ready.admin.password.length >= 16, 'the password is generated')
  t.equal((await login(first.ready)).status, 200, 'and signs the administrator in')
})

t.test('quickstart.json holds what scripts need, readable by its owner only', async (t) => {
  const { ready } = first
  t.strictSame(Object.keys(ready), ['url', 'admin', 'ldap', 'redis', 'mail', 'sms', 'pid'])
  t.strictSame(ready.mail, { dir: join(dataDir, 'mail') })
  t.strictSame(ready.sms, { dir: join(dataDir, 'sms') })
  t.equal(ready.url, `http://localhost:${port}`)
  for (const file of [
    'quickstart.json',
    'quickstart.env',
    'jwt.secret',
    'administrator.json',
    'ldap/latchkey.password',
    'redis/redis.conf',
  ])
    t.equal((await stat(join(dataDir, file))).mode & 0o777, 0o600, file)
})

t.test('anonymous reads the root DSE and the schema, and nothing else', async (t) => {
  const { url, base } = first.ready.ldap
  const anonymous = new Client({ url })
  const { searchEntries } = await anonymous.search('', { scope: 'base', attributes: ['namingContexts'] })
  t.match(searchEntries[0], { namingContexts: base })
  await t.rejects(anonymous.search(base, { scope: 'sub' }), { code: 32 })
  await t.rejects(anonymous.search(`ou=people,${base}`, { scope: 'sub' }), { code: 32 })
  await anonymous.unbind()
})

t.test('the service binds as its own identity, never as root DN', async (t) => {
  const { url, base, bindDN, bindPassword } = first.ready.ldap
  const service = new Client({ url })
  await service.bind(bindDN, bindPassword)
  const { searchEntries } = await service.search(bindDN, { scope: 'base', attributes: ['userPassword'] })
  t.match(searchEntries, [{ dn: `cn=latchkey,ou=services,${base}`, userPassword: /^\{SSHA512\}/ }])
  await t.rejects(
    service.search('cn=config', { scope: 'sub' }),
    { code: 32 },
    'reads no configuration of slapd',
  )
  const admin = await service.search(`uid=${first.ready.admin.uid},ou=people,${base}`, {
    attributes: ['userPassword'],
  })
  t.match(admin.searchEntries[0], { userPassword: /^\{ARGON2\}\$argon2id\$v=19\$m=19456,t=2,p=1\$/ })
  await service.unbind()
  await t.rejects(
    new Client({ url }).bind(`cn=manager,${base}`, 'anything'),
    { code: 49 },
    'the root DN has no password',
  )
})

t.test('Redis keeps every write and evicts nothing', async (t) => {
  const redis = new Redis(first.ready.redis.url)
  t.strictSame(await redis.config('GET', 'appendonly'), ['appendonly', 'yes'])
  t.strictSame(await redis.config('GET', 'maxmemory-policy'), ['maxmemory-policy', 'noeviction'])
  redis.disconnect()
})

t.test('everything listens on the loopback interface only', async (t) => {
  const outside = Object.values(networkInterfaces())
    .flat()
    .find((address) => address?.family === 'IPv4' && !address.internal)
  const { url, ldap, redis } = first.ready
  for (const address of [url, ldap.url, redis.url]) {
    const { port } = new URL(address)
    t.ok(await accepts('127.0.0.1', Number(port)))
    if (outside) t.notOk(await accepts(outside.address, Number(port)))
  }
})

t.test('a second quick start on the same data is refused with a sentence', async (t) => {
  const second = launch({ PORT: '0' })
  t.equal(await second.ended(), 1)
  t.match(second.output(), `Another quick start (process ${first.ready.pid}) uses ${dataDir}`)
  t.equal((await login(first.ready)).status, 200, 'the first one goes on')
})

t.test('a port that is taken is said in a sentence', async (t) => {
  const other = await mkdtemp(join(tmpdir(), 'latchkey-quickstart-'))
  t.teardown(() => rm(other, { recursive: true, force: true }))
  const second = launch({ DATA_DIR: other })
  t.equal(await second.ended(), 1)
  t.match(second.output(), `Port ${port} is in use`)
})

t.test('a server that ends by itself is started again', async (t) => {
  const { slapd, redis } = await serverPids(dataDir, first.ready)
  process.kill(slapd, 'SIGKILL')
  process.kill(redis, 'SIGKILL')
  await until('the server is there again', async () => {
    const { slapd: newSlapd, redis: newRedis } = await serverPids(dataDir, first.ready).catch(() => ({
      slapd,
      redis,
    }))
    return (
      newSlapd !== slapd && newRedis !== redis && (await fetch(`${first.ready.url}/readyz`)).status === 200
    )
  })
  t.equal((await login(first.ready)).status, 200)
})

t.test('SIGTERM stops everything', async (t) => {
  const pids = Object.values(await serverPids(dataDir, first.ready))
  first.child.kill('SIGTERM')
  t.equal(await first.ended(), 0)
  for (const pid of pids) t.notOk(isAlive(pid))
  t.notOk(await exists(join(dataDir, 'quickstart.json')), 'nobody takes it for ready any more')
})

t.test('a second start finds its data again and shows no password', async (t) => {
  const second = await started()
  t.strictSame(second.ready.admin, first.ready.admin)
  t.notMatch(second.output(), first.ready.admin.password)
  t.equal((await login(second.ready)).status, 200)

  t.test('Ctrl-C stops everything', async (t) => {
    const pids = Object.values(await serverPids(dataDir, second.ready))
    second.child.kill('SIGINT')
    t.equal(await second.ended(), 0)
    for (const pid of pids) t.notOk(isAlive(pid))
  })
})

t.test('no server survives a quick start that is killed, and the next one takes over', async (t) => {
  const killed = await started()
  const pids = Object.values(await serverPids(dataDir, killed.ready))
  killed.child.kill('SIGKILL')
  await killed.ended()
  await until('the servers end', async () => pids.every((pid) => !isAlive(pid)))
  const next = await started()
  t.equal((await login(next.ready)).status, 200)
  next.child.kill('SIGTERM')
  await next.ended()
})

t.test('--demo fills an organisation through the API', async (t) => {
  const secret = 'a signing secret of the person who starts it'
  const issuer = 'http://sso.example.org'
  // Two hundred passwords are hashed: cheaply here.
  const hashes = { app_ldap__password__memory: '1024', app_ldap__password__passes: '1' }
  const demo = await started({ OAUTH_ISSUER: issuer, JWT_SECRET: secret, ...hashes }, ['--demo'])
  await until('the demo is filled', async () => demo.output().includes('Demo:'), 240)
  t.match(demo.output(), 'Demo: 200 people in 40 groups')
  const { token } = (await login(demo.ready)).body
  const results = async <T>(path: string) => {
    const response = await fetch(demo.ready.url + path, { headers: { 'auth-token': token } })
    return ((await response.json()) as { results: T }).results
  }
  t.equal((await results<unknown[]>('/api/user/')).length, 201)
  t.equal((await results<unknown[]>('/api/group/')).length, 44)
  t.equal((await results<unknown[]>('/api/oauth/client/')).length, 5)
  const { effective } = await results<{ effective: string[] }>('/api/group/company/effective')
  t.equal(effective.length, 200, 'everybody is in it through the nesting')
  t.equal((await results<unknown[]>('/api/user/invite')).length, invited.length, 'pending invites')
  const discovery = await fetch(`${demo.ready.url}/.well-known/openid-configuration`)
  t.match(await discovery.json(), { issuer }, 'settings come from the environment')
  t.equal(demo.ready.pid, demo.child.pid, 'one Node process')
  demo.child.kill('SIGTERM')
  await demo.ended()
})

t.test('nothing but the data folder is written', async (t) => {
  const names = ['administrator.json', 'jwt.secret', 'ldap', 'mail', 'redis', 'servers', 'sms']
  t.strictSame((await readdir(dataDir)).sort(), names)
})
