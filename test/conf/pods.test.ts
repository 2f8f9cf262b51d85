import { test } from 'tap'
import { startMessages } from '#test/support/messages.ts'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { startConfTests } from './support.ts'

const { service, other, token, post, follows, redis } = await startConfTests()
const { admin, request } = service
const metadata = async () =>
  (await other.request<Record<string, unknown>>('GET', '/.well-known/openid-configuration')).body
const both = [service, other]

test('a mail server that is posted is used by every pod', async (t) => {
  await using messages = await startMessages()
  const to = { to: 'other@example.org' }
  const send = () => other.request('POST', '/api/conf/test-email', { token, body: to })
  t.match((await send()).body, { success: false, message: 'Mail is not configured.' })
  const { app_smtp__host: host, app_smtp__port: port } = messages.settings
  t.same((await post({ smtp: { host, port: Number(port) } })).body, { success: true })
  t.match((await send()).body, { success: true })
  t.match((await messages.mailTo(to.to)).to, to.to)
  await post({ smtp: { host: null, port: null } })
})

test('token lifetimes that are posted are given and advertised by every pod within a second', async (t) => {
  const party = relyingParty(other, token)
  const client = await party.register()
  const lifetime = async () => (await party.tokensFor(client, token)).expires_in
  t.equal(await lifetime(), 3600)
  await post({ oauth: { token_lifetime: { access_token: 120 } } })
  t.comment(await follows('advertised', async () => (await metadata()).access_token_lifetime === 120))
  t.equal(await lifetime(), 120)
  const { body } = await other.request<{ results: object }>('GET', `/api/oauth/client/${client.client_id}`, {
    token,
  })
  t.match(body.results, { token_lifetime: { access_token: 120 } })
  await post({ oauth: { token_lifetime: { access_token: null } } })
  await follows('back', async () => (await metadata()).access_token_lifetime === 3600)
})

test('a log level that is posted is every pod’s within a second, for requests too', async (t) => {
  const said = (path: string) => other.said().includes(path)
  await other.request('GET', '/login?before')
  await follows('a line', async () => said('login?before'))
  await post({ log: { level: 'error' } })
  // The level rules when a request under it leaves no line; whichever comes after has the same level.
  let asked = 0
  t.comment(
    await follows('silence', async () => {
      asked += 1
      await other.request('GET', `/login?try=${asked}`)
      await new Promise((resolve) => setTimeout(resolve, 300))
      return !said(`login?try=${asked}`)
    }),
  )
  await post({ log: { level: 'info' } })
  await follows('lines again', async () => {
    await other.request('GET', '/login?after')
    return said('login?after')
  })
  await post({ log: { level: null } })
})

test('limits, lifetimes of sessions, trusted proxies and the name that are posted hold on every pod within a second', async (t) => {
  const { uid } = await service.newUser(token)
  await post({
    auth: { failures: 2 },
    branding: { name: 'Posted' },
    trust_proxy: ['10.9.9.9'],
  })
  const page = async () => (await other.request('GET', '/login', { headers: { accept: 'text/html' } })).text
  t.comment(await follows('the name', async () => (await page()).includes('Posted')))
  // Nobody is believed any more about addresses, so all requests come from this machine's.
  const address = '10.1.2.3'
  await other.request('POST', '/api/auth/login', { body: { uid, password: 'wrong one' }, address })
  await follows('the event', async () => {
    const { events } = await service.deps.audit.page({ target: uid, action: 'login' }, { limit: 1 })
    return events[0]?.address === '127.0.0.1'
  })
  await post({ trust_proxy: null })
  for (let n = 0; n < 2; n++)
    await other.request('POST', '/api/auth/login', { body: { uid, password: 'wrong one' } })
  const closed = await service.deps.store.failures.list()
  t.ok(
    closed.some((account) => account.uid === uid),
    'the doors are closed after two',
  )

  await post({ auth: { failures: null, session_absolute_seconds: 2 } })
  const short = await other.login(admin.uid, admin.password)
  await follows('the end of a session', async () => {
    return (await other.request('GET', '/api/user/me', { token: short })).status === 401
  })
  // No session lives long enough to take it back.
  const { conf } = service.deps.store
  const clear = ['auth.session_absolute_seconds']
  await conf.change((await conf.read()).version, { set: [], clear, voids: false })
  await follows('longer sessions', async () => service.deps.config.auth.session_absolute_seconds > 2)
})

test('an issuer that is posted is every pod’s within a second: in discovery, tokens, cookies and headers', async (t) => {
  const admins = await service.login(admin.uid, admin.password)
  const before = (await metadata()).issuer
  const client = await relyingParty(service, admins).register()
  const issuer = 'https://sso.example.org'
  const change = await request('POST', '/api/conf', {
    token: admins,
    body: { oauth: { issuer } },
  })
  t.equal(change.status, 200, change.text)
  t.comment(await follows('the issuer', async () => (await metadata()).issuer === issuer))
  for (const each of both) {
    const { id_token } = await relyingParty(each, admins).tokensFor(
      client,
      await each.login(admin.uid, admin.password),
    )
    t.equal(payloadOf(id_token).iss, issuer)
    const { headers } = await each.request('POST', '/api/auth/login', {
      body: { uid: admin.uid, password: admin.password },
    })
    t.match(headers.get('set-cookie'), /^__Host-latchkey=.*Secure/)
    t.equal(headers.get('strict-transport-security'), 'max-age=31536000')
  }
  await request('POST', '/api/conf', { token: admins, body: { oauth: { issuer: null } } })
  await follows('the old issuer', async () => (await metadata()).issuer === before)
})

test('key times that are posted are followed at once, not at the next look', async (t) => {
  const keys = async () => (await other.request<{ keys: object[] }>('GET', '/oauth/jwks')).body.keys.length
  t.equal(await keys(), 3)
  const admins = await service.login(admin.uid, admin.password)
  const body = { oauth: { keys: { period_seconds: 8, prepublish_seconds: 4 } } }
  t.equal((await request('POST', '/api/conf', { token: admins, body })).status, 200)
  await follows('the next keys are published', async () => (await keys()) > 3)
  await request('POST', '/api/conf', {
    token: admins,
    body: { oauth: { keys: { period_seconds: null, prepublish_seconds: null } } },
  })
})

test('a pod that hears nothing of a change sees it all the same, and one that starts later has it from the start', async (t) => {
  const hash = service.deps.store.keys.durable('conf')
  await redis.hset(hash, 'branding.name', JSON.stringify({ value: 'Untold' }), '@version', 'untold')
  const page = async (at: Pick<typeof other, 'request'>) =>
    (await at.request('GET', '/login', { headers: { accept: 'text/html' } })).text.includes('Untold')
  for (const each of both) t.comment(await follows('an untold change', () => page(each)))
  await using later = await service.secondPod()
  t.ok(await page(later))
  t.equal(later.deps.config.branding.name, 'Untold')
})

test('what is stored that this release does not know or take is left out, and Redis that comes back empty leaves the environment’s', async (t) => {
  const hash = service.deps.store.keys.durable('conf')
  const value = (of: unknown) => JSON.stringify({ value: of })
  const strange = { 'smtp.colour': value('red'), 'smtp.port': value('x'), 'listen.port': value(1) }
  await redis.hset(hash, { ...strange, 'branding.name': value('Known'), '@version': 'strange' })
  const { config, standing } = service.deps
  await follows('the known', async () => config.branding.name === 'Known')
  t.equal(config.smtp.port, 587)
  t.equal(standing.sourceOf(['smtp', 'port']), 'default')
  t.equal(standing.sourceOf(['listen', 'port']), 'environment')
  await redis.del(hash)
  await follows('the environment', async () => config.branding.name === 'Latchkey')
})
