import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import tap, { test } from 'tap'
import { freePort } from '#quickstart/child.ts'
import { readConfig } from '#src/config.ts'
import type { Deps } from '#src/deps.ts'
import { startService } from '#src/main.ts'
import { bareEnvironment } from '#test/support/bare.ts'
import { clientOf } from '#test/support/client.ts'
import { startMessages } from '#test/support/messages.ts'
import { keysIn } from '#test/support/redis.ts'
import { startTestServers } from '#test/support/servers.ts'
import { until } from '#test/support/until.ts'

const fresh = () => randomBytes(36).toString('base64url')
const [servers, messages, port] = await Promise.all([startTestServers(), startMessages(), freePort()])
tap.teardown(() => Promise.all([servers[Symbol.asyncDispose](), messages[Symbol.asyncDispose]()]))
const url = `http://127.0.0.1:${port}`
const environment = {
  app_listen__port: String(port),
  app_oauth__issuer: url,
  app_oauth__jwtSecret: fresh(),
  app_ldap__url: servers.ldap.url,
  app_ldap__base: servers.ldap.base,
  app_ldap__bindDN: servers.ldap.bindDN,
  app_ldap__bindPassword: servers.ldap.bindPassword,
  ...servers.redis.settings,
  app_trust_proxy: '127.0.0.1',
  app_log__level: 'silent',
  ...{ app_delivery__backoff: '500', app_delivery__attempts: '30' },
  ...{ app_ldap__password__memory: '1024', app_ldap__password__passes: '1' },
}
const { request, login } = clientOf(url)
const start = (more: Record<string, string> = {}) => startService(readConfig({ ...environment, ...more }))

/** The program as an operator runs it. */
async function reseal(more: Record<string, string>): Promise<{ code: number; said: string }> {
  const env = { ...bareEnvironment, ...environment, ...more }
  const run = promisify(execFile)(process.execPath, ['src/conf/reseal.ts'], { env })
  return run.then(
    ({ stdout }) => ({ code: 0, said: stdout }),
    ({ code, stdout, stderr }) => ({ code, said: stdout + stderr }),
  )
}

const pass = `a password of SMTP, ${fresh()}`
const secret = fresh()
let password = ''
let webhookSecrets: string[] = []
let pluginId = ''
const pluginSecret = fresh()
const secretsOf = async ({ store }: Deps) => (await store.webhooks.all()).flatMap(store.webhooks.secretsOf)
/** Everything that is sealed opens, and the chain over the audit log holds. */
async function opensAll(deps: Deps): Promise<boolean> {
  const { fault, seals } = await deps.audit.seals.verify()
  return (
    deps.config.smtp.pass === pass &&
    deps.config.oauth.jwtSecret === secret &&
    String(await secretsOf(deps)) === String(webhookSecrets) &&
    (await deps.store.plugins.openSecrets(pluginId)).secret === pluginSecret &&
    fault === undefined &&
    seals > 0
  )
}

test('npm run reseal refuses while a pod runs', async (t) => {
  await using service = await start()
  password = service.firstAdmin?.password ?? ''
  const token = await login('admin', password)
  const post = (path: string, body: object) => request('POST', path, { token, body })
  const hook = { name: 'hook', url: 'https://hook.example/', events: ['*'] }
  t.equal((await post('/api/webhooks', hook)).status, 200)
  webhookSecrets = await secretsOf(service.deps)
  t.equal(webhookSecrets.length, 1)
  const plugin = {
    pluginType: 'messaging/webhook',
    name: 'Plugin',
    config: { url: 'https://hook.example/', message: 'x' },
  }
  const made = await post('/api/plugins', plugin)
  t.equal(made.status, 200, made.text)
  pluginId = (made.body.results as { id: string }).id
  t.ok(await service.deps.store.plugins.setSecrets(pluginId, { secret: pluginSecret }))
  // A letter that waits for a mail server.
  await post('/api/conf', { smtp: { host: '127.0.0.1', port: 1, pass } })
  await request('POST', '/api/auth/resetpassword', { body: { mail: 'admin@localhost.localdomain' } })
  await until('the letter waits', async () => (await service.deps.store.jobs.counts()).delayed > 0)
  t.equal((await post('/api/conf', { oauth: { jwtSecret: secret } })).status, 200)
  await until('the events are sealed', async () => (await service.deps.audit.seals.verify()).unsealed === 0)
  t.ok(await opensAll(service.deps))
  const { code, said } = await reseal({ app_seal__key: fresh() })
  t.equal(code, 1)
  t.match(said, /Nothing was moved:\n {2}1 of its pods run/)
})

const sealKey = fresh()

test('with the wrong old key npm run reseal says what it cannot open, and writes nothing', async (t) => {
  const before = await stored()
  const { code, said } = await reseal({ app_seal__key: sealKey, RESEAL_FROM: fresh() })
  t.equal(code, 1)
  for (const what of ['conf smtp.pass', 'conf oauth.jwtSecret', /webhook \S+/, /delivery mail-/, 'audit log'])
    t.match(said, what)
  t.notMatch(said, pass)
  t.same(await stored(), before)
})

test('npm run reseal moves everything that is sealed to a new key, from which a pod starts; without it none does', async (t) => {
  await t.rejects(start({ app_seal__key: sealKey }), /smtp\.pass: is stored, sealed with another key/)
  const { code, said } = await reseal({ app_seal__key: sealKey })
  t.equal(code, 0, said)
  t.match(
    said,
    /settings: 2 moved\njobs of delivery: 1 moved\njobs of plugins: 0 moved\nsecrets of webhooks: 1 moved\nsecrets of plugins: 1 moved\nseals .* [1-9]\d* moved/,
  )
  await t.rejects(start(), /smtp\.pass: is stored, sealed with another key/)
  await using service = await start({ app_seal__key: sealKey })
  t.ok(await opensAll(service.deps))
  const { app_smtp__host: host, app_smtp__port } = messages.settings
  const body = { smtp: { host, port: Number(app_smtp__port), user: null } }
  const token = await login('admin', password)
  t.equal((await request('POST', '/api/conf', { token, body })).status, 200)
  t.match(await messages.mailTo('admin@localhost.localdomain'), { subject: /Choose a new password/ })
})

test('npm run reseal goes on where it was interrupted, and has nothing to do a second time', async (t) => {
  const next = fresh()
  const dumps = await dumped()
  const [keep] = [...dumps.keys()].filter((key) => key.includes('{webhook}:records'))
  t.equal((await reseal({ app_seal__key: next, RESEAL_FROM: sealKey })).code, 0)
  // As if it had ended before the webhooks.
  await using redis = await servers.redis.open()
  await redis.restore(String(keep), 0, dumps.get(String(keep)) as Buffer, 'REPLACE')
  const again = await reseal({ app_seal__key: next, RESEAL_FROM: sealKey })
  t.match(again, {
    code: 0,
    said: /settings: 0 moved\n.*\n.*\nsecrets of webhooks: 1 moved\n.*\nseals .*: 0 moved/,
  })
  const third = await reseal({ app_seal__key: next, RESEAL_FROM: sealKey })
  t.match(third, { code: 0, said: /secrets of webhooks: 0 moved/ })
  await using service = await start({ app_seal__key: next })
  t.ok(await opensAll(service.deps))
})

/** Redis past the service. */
async function dumped(): Promise<Map<string, Buffer>> {
  await using redis = await servers.redis.open()
  const keys = (await keysIn(redis)).sort()
  const dumps = await Promise.all(keys.map((key) => redis.dumpBuffer(key)))
  return new Map(keys.map((key, at) => [key, dumps[at] as Buffer]))
}
/** What does not go by itself meanwhile. */
async function stored(): Promise<string[]> {
  await using redis = await servers.redis.open()
  const dumps = await dumped()
  const lasting = await Promise.all(
    [...dumps].map(async ([key, dump]) =>
      (await redis.pttl(key)) === -1 ? [`${key} ${dump.toString('base64')}`] : [],
    ),
  )
  return lasting.flat()
}
