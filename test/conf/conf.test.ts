import { setTimeout } from 'node:timers/promises'
import tap, { test } from 'tap'
import { leaves, valueAt } from '#src/settings.ts'
import { startMessages } from '#test/support/messages.ts'
import { startTestService } from '#test/support/service.ts'

const smtpPass = 'canary-of-smtp-pass-0123456789'
const messages = await startMessages()
const service = await startTestService({
  ...messages.settings,
  app_smtp__user: 'mailer',
  app_smtp__pass: smtpPass,
})
tap.teardown(async () => {
  await service[Symbol.asyncDispose]()
  await messages[Symbol.asyncDispose]()
})
const { request, login, admin, deps, servers } = service
const token = await login(admin.uid, admin.password)

type Tree = Record<string, Record<string, unknown>>
const conf = async () => (await request<Tree>('GET', '/api/conf', { token })).body
const sources = async () => (await request<Tree>('GET', '/api/conf/sources', { token })).body
const post = (body: unknown) => request('POST', '/api/conf', { token, body })
const storedNow = () => deps.store.redis.hgetall(deps.store.keys.durable('conf'))

test('GET /api/conf answers the effective tree, every secret of it masked', async (t) => {
  const tree = await conf()
  for (const { path, schema } of leaves())
    t.same(
      valueAt(tree, path),
      schema.secret ? '********' : valueAt(deps.config, path),
      `${path.join('.')} is shown`,
    )
  t.equal(tree.smtp?.pass, '********')
  t.equal(tree.oauth?.jwtSecret, '********')
})

test('GET /api/conf/schema declares every setting: kind, limits, default, name in the environment, and no value', async (t) => {
  const { body, text } = await request<{ results: Record<string, unknown>[] }>('GET', '/api/conf/schema', {
    token,
  })
  t.same(
    body.results.map(({ path }) => path),
    leaves().map(({ path }) => path.join('.')),
  )
  const of = (path: string) => body.results.find((setting) => setting.path === path)
  t.match(of('smtp.port'), {
    environment: 'app_smtp__port',
    schema: { type: 'integer', minimum: 1, maximum: 65535 },
    ...{ default: 587, secret: false, bootstrap: false, description: 'SMTP port.' },
  })
  t.match(of('smtp.pass'), { secret: true, default: '' })
  t.match(of('ldap.url'), { bootstrap: true, schema: { type: 'array' } })
  t.notMatch(text, smtpPass)
})

test('GET /api/conf/sources says of each leaf whether it is default, environment or stored', async (t) => {
  t.match(await sources(), {
    listen: { host: 'default', port: 'environment' },
    smtp: { host: 'environment', secure: 'default', pass: 'environment' },
    branding: { name: 'default' },
    oauth: { token_lifetime: { access_token: 'default' }, jwtSecret: 'environment' },
  })
  t.equal((await post({ branding: { name: 'Our house' } })).status, 200)
  t.equal((await sources()).branding?.name, 'stored')
  t.same((await post({ branding: { name: null } })).body, { success: true })
  t.equal((await sources()).branding?.name, 'default', 'null goes back')
  t.equal((await conf()).branding?.name, 'Latchkey')
  t.notOk('branding.name' in (await storedNow()))
})

test('the whole answer of GET posted back changes nothing and stores nothing', async (t) => {
  await post({ delivery: { attempts: 3 } })
  const before = [await conf(), await sources(), await storedNow()]
  const { status, body } = await post(before[0])
  t.equal(status, 200)
  t.same(body, { success: true })
  t.same([await conf(), await sources(), await storedNow()], before)
  t.equal(deps.config.smtp.pass, smtpPass, 'the secrets are what they were')
})

test('an unknown key, a wrong type, a wrong value or settings that do not go together are 400 InvalidInput naming the key, and nothing is stored', async (t) => {
  const before = await storedNow()
  for (const [key, changes] of [
    ['smtp.hots', { smtp: { hots: 'x' } }],
    ['nothing', { nothing: {} }],
    ['smtp', { smtp: null }],
    ['smtp', { smtp: 'x' }],
    ['smtp.port', { smtp: { port: '25' } }],
    ['smtp.port', { smtp: { port: 70_000 } }],
    ['smtp.secure', { smtp: { secure: 'true' } }],
    ['smtp.from', { smtp: { from: 'a@example.org\r\nBcc: b@example.org' } }],
    ['branding.name', { branding: { name: ['x'] } }],
    ['log.level', { log: { level: 'loud' } }],
    ['onboarding.needs', { onboarding: { needs: 'tos' } }],
    ['onboarding.needs', { onboarding: { needs: ['tos', 'tos'] } }],
    ['egress.allow', { egress: { allow: ['http://x'] } }],
    ['trust_proxy', { trust_proxy: ['somewhere'] }],
    ['sms.url', { sms: { url: 'nowhere' } }],
    ['oauth.issuer', { oauth: { issuer: 'https://x.example/' } }],
    ['oauth.issuer', { oauth: { issuer: '' } }],
    ['oauth.jwtSecret', { oauth: { jwtSecret: 'short' } }],
    ['oauth.jwtSecret', { oauth: { jwtSecret: '1234567890'.repeat(4) } }],
    ['oauth.keys.retain_seconds', { auth: { session_absolute_seconds: 99_999_999 } }],
    ['oauth.token_lifetime.access_token', { oauth: { token_lifetime: { access_token: 0 } } }],
  ] as const) {
    const answer = await post({ branding: { name: 'half of it' }, ...changes })
    t.match(answer, { status: 400, body: { name: 'InvalidInput' } }, answer.text)
    t.ok(String(answer.body.message).startsWith(key), `${key}: ${answer.text}`)
    t.notMatch(answer.text, /short|1234567890/, 'a secret is not repeated')
  }
  t.same(await storedNow(), before)
  t.equal(deps.config.branding.name, 'Latchkey')
  for (const body of ['[]', '"x"', '7', 'null', '{']) t.equal((await post(body)).status, 400, body)
})

test('bootstrap settings are shown, and 400 naming the key when a POST would change one', async (t) => {
  for (const [key, changes] of [
    ['listen.port', { listen: { port: 1 } }],
    ['ldap.base', { ldap: { base: 'dc=elsewhere' } }],
    ['ldap.bindPassword', { ldap: { bindPassword: 'another one' } }],
    ['redis.url', { redis: { url: 'redis://elsewhere' } }],
    ['seal.key', { seal: { key: 'another key that is long enough 0123456789' } }],
  ] as const) {
    const { status, body } = await post(changes)
    t.equal(status, 400)
    t.match(body, { name: 'InvalidInput', message: `${key} comes from the environment` })
  }
  const { ldap, redis } = await conf()
  t.equal((await post({ ldap, redis })).status, 200, 'the same is no change')
})

test('a blank or masked secret is kept, another is stored sealed and never shown', async (t) => {
  for (const pass of ['', '********']) t.equal((await post({ smtp: { pass } })).status, 200)
  t.equal(deps.config.smtp.pass, smtpPass)
  t.notOk('smtp.pass' in (await storedNow()))

  const pass = 'canary-of-a-new-smtp-pass-9876543210'
  const { text } = await post({ smtp: { pass } })
  t.equal(deps.config.smtp.pass, pass)
  await deps.audit.settled()
  const events = await request('GET', '/api/audit?action=conf.change', { token })
  const read = JSON.stringify([text, await conf(), await sources(), events.body, await storedNow()])
  for (const secret of [pass, smtpPass]) t.notMatch(read, secret)
  t.match(events.body.results, [{ actor: admin.uid, detail: { set: ['smtp.pass'], cleared: [] } }])
  await post({ smtp: { pass: null } })
  t.equal(deps.config.smtp.pass, smtpPass, 'back to the environment’s')
})

test('of many POSTs of different keys at once, through two pods, every one holds', async (t) => {
  await using pod = await service.secondPod()
  const names = ['attempts', 'backoff', 'concurrency'] as const
  const changes = [
    ...names.map((name, at) => ({ delivery: { [name]: 5 + at } })),
    ...['from', 'user', 'host'].map((name) => ({ smtp: { [name]: `${name}@example.org` } })),
    ...['session_idle_seconds', 'failures'].map((name) => ({ auth: { [name]: 77 } })),
  ]
  const posted = changes.map((body, at) =>
    (at % 2 ? pod : service).request('POST', '/api/conf', { token, body }),
  )
  for (const { status, text } of await Promise.all(posted)) t.equal(status, 200, text)
  for (const { request } of [service, pod])
    t.match((await request('GET', '/api/conf', { token })).body, {
      delivery: { attempts: 5, backoff: 6, concurrency: 7 },
      smtp: { from: 'from@example.org', user: 'user@example.org', host: 'host@example.org' },
      auth: { session_idle_seconds: 77, failures: 77 },
    })
  await post({ smtp: { from: null, user: null, host: null }, auth: { failures: null } })
})

test('of two POSTs at once that do not go together one is refused, whichever pods they reach', async (t) => {
  await using pod = await service.secondPod()
  const absolute = deps.config.auth.session_absolute_seconds
  const retain = (retain_seconds: number | null) => ({ oauth: { keys: { retain_seconds } } })
  const last = (session_absolute_seconds: number | null) => ({ auth: { session_absolute_seconds } })
  for (let round = 0; round < 10; round++) {
    t.equal((await post(retain(absolute + 1000))).status, 200)
    // Each alone is sound.
    const answers = await Promise.all([
      post(last(absolute + 600)),
      pod.request('POST', '/api/conf', { token, body: retain(absolute + 300) }),
    ])
    t.same(answers.map(({ status }) => status).sort(), [200, 400], `round ${round}`)
    await post({ ...retain(null), ...last(null) })
  }
})

test('POST /api/conf/test-email sends through the real path and answers success and message', async (t) => {
  await post({ smtp: { user: '' } })
  const sent = await request('POST', '/api/conf/test-email', { token, body: { to: 'try@example.org' } })
  t.match(sent, { status: 200, body: { success: true, message: 'Handed over for try@example.org.' } })
  t.match((await messages.mailTo('try@example.org')).subject, 'Test mail of Latchkey')

  await post({ smtp: { port: 1 } })
  const failed = await request('POST', '/api/conf/test-email', { token, body: { to: 'try@example.org' } })
  t.match(failed, { status: 200, body: { success: false, message: /ECONNREFUSED/ } })
  await post({ smtp: { port: null, user: null } })
  for (const to of ['nobody', 'a@example.org\r\nBcc: b@example.org', '', 7])
    t.equal((await request('POST', '/api/conf/test-email', { token, body: { to } })).status, 400)
})

test('a test goes by what is stored at that moment, though nobody has told this pod', async (t) => {
  const hash = deps.store.keys.durable('conf')
  await deps.store.redis.hset(hash, 'smtp.port', JSON.stringify({ value: 1 }), '@version', 'untold')
  const { body } = await request('POST', '/api/conf/test-email', { token, body: { to: 'try@example.org' } })
  t.match(body, { success: false, message: /ECONNREFUSED/ })
  t.equal((await post({ smtp: { port: null } })).status, 200)
})

test('POST /api/conf/test-sms sends through the real path and answers success and message', async (t) => {
  const sent = await request('POST', '/api/conf/test-sms', { token, body: { to: '+1 555 0100' } })
  t.match(sent, { status: 200, body: { success: true } })
  t.match((await messages.smsTo('+15550100'))[0]?.body, /test of the SMS settings/)
  await post({ sms: { url: 'http://127.0.0.1:1' } })
  const failed = await request('POST', '/api/conf/test-sms', { token, body: { to: '+15550100' } })
  t.match(failed, { status: 200, body: { success: false } })
  t.notMatch(failed.text, deps.config.sms.authToken)
  await post({ sms: { url: null } })
  t.equal((await request('POST', '/api/conf/test-sms', { token, body: { to: 'x' } })).status, 400)
})

test('without Redis every operation of the configuration is 502 in bounded time, and nothing changes', async (t) => {
  await servers.redis.kill()
  const answers = await Promise.all([
    request('GET', '/api/conf', { token }),
    request('GET', '/api/conf/sources', { token }),
    post({ branding: { name: 'lost' } }),
    request('POST', '/api/conf/test-email', { token, body: { to: 'try@example.org' } }),
  ])
  for (const { status, body } of answers)
    t.match({ status, body }, { status: 502, body: { name: 'UpstreamFailure' } })
  await servers.redis.start()
  while ((await request('GET', '/readyz')).status !== 200) await setTimeout(50)
  t.equal((await conf()).branding?.name, 'Latchkey')
})
