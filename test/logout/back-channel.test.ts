import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import { delivered } from '#test/support/delivered.ts'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { keysIn } from '#test/support/redis.ts'
import { startLogoutTests } from './support.ts'

const {
  admin,
  application,
  deps,
  login,
  newUser,
  request,
  tellable,
  tokensFor,
  userinfo,
  codeFor,
  redeem,
  register,
  service,
} = await startLogoutTests({ app_delivery__attempts: '4', app_egress__timeout: '3000' })
const logout = (token: string) => request('POST', '/api/auth/logout', { token })

test('discovery advertises back-channel logout with sessions', async (t) => {
  const { body } = await request('GET', '/.well-known/openid-configuration')
  t.match(body, { backchannel_logout_supported: true, backchannel_logout_session_supported: true })
})

for (const alg of ['RS256', 'ES256', 'EdDSA'])
  test(`a client is told in a logout token signed with its algorithm, ${alg}, and with the sid of its ID token`, async (t) => {
    const { uid, token } = await newUser(admin)
    const client = await tellable({ id_token_signed_response_alg: alg })
    const { id_token } = await tokensFor(client, token, { nonce: 'never to be seen in a logout token' })
    const { sid } = payloadOf(id_token)
    t.type(sid, 'string')
    await logout(token)
    const notice = await application.notice(client.name)
    t.match(notice, { sub: uid, sid, aud: client.client_id })
    t.same(Object.keys(notice).sort(), ['aud', 'events', 'exp', 'iat', 'iss', 'jti', 'sid', 'sub'])
    t.equal((notice.exp as number) - (notice.iat as number), 120)
  })

test('a refreshed ID token has the same sid; a client that wants no logouts has none', async (t) => {
  const { token } = await newUser(admin)
  const [told, untold] = [await tellable(), await register()]
  const given = await tokensFor(told, token)
  const { body } = await request<{ id_token: string }>('POST', '/oauth/token', {
    body: {
      ...{ grant_type: 'refresh_token', refresh_token: given.refresh_token },
      ...{ client_id: told.client_id, client_secret: told.client_secret },
    },
  })
  t.equal(payloadOf(body.id_token).sid, payloadOf(given.id_token).sid)
  t.notOk('sid' in payloadOf((await tokensFor(untold, token)).id_token))
})

test('two clients of one session, and two sessions at one client, have sids of their own', async (t) => {
  const { uid, password, token } = await newUser(admin)
  const again = await login(uid, password)
  const [one, two] = [await tellable(), await tellable()]
  const sids = new Set<unknown>()
  for (const session of [token, again])
    for (const client of [one, two]) sids.add(payloadOf((await tokensFor(client, session)).id_token).sid)
  t.equal(sids.size, 4)
  await logout(again)
  await application.notice(one.name)
  await delivered(deps)
  t.same(
    [application.told(one.name).length, application.told(two.name).length],
    [1, 1],
    'the other session goes on',
  )
})

test('ten parallel authorizations in one session all get told', async (t) => {
  const { token } = await newUser(admin)
  const clients = await Promise.all(Array.from({ length: 10 }, () => tellable({ skip_consent: true })))
  const given = await Promise.all(
    clients.map(async (client) => {
      const { body } = await redeem(client, await codeFor(client, token))
      return payloadOf(body.id_token).sid
    }),
  )
  t.equal((await logout(token)).status, 200)
  for (const [n, { name }] of clients.entries()) t.equal((await application.notice(name)).sid, given[n], name)
  await delivered(deps)
  for (const { name } of clients) t.equal(application.told(name).length, 1, 'once')
})

test('whoever signs out does not wait for a slow or failing application, which is told again until it listens', async (t) => {
  const { token } = await newUser(admin)
  const client = await tellable()
  const { access_token } = await tokensFor(client, token)
  application.failing.set(`/${client.name}`, { status: 0, times: 2 })
  t.equal((await logout(token)).status, 200)
  t.equal((await userinfo(access_token)).status, 401, 'what was given is ended already')
  t.equal(application.told(client.name).length, 0)
  await application.notice(client.name)
  await delivered(deps)
  t.equal(application.told(client.name).length, 1, 'each try brings a token of its own')
})

test('only 200 and 204 say that an application has understood; after any other answer it is told again', async (t) => {
  const { token } = await newUser(admin)
  const tell = async (status: number) => {
    const client = await tellable({ skip_consent: true })
    await tokensFor(client, token)
    application.failing.set(`/${client.name}`, { status, times: 1 })
    return client.name
  }
  const understood = await tell(204)
  const again = await Promise.all([201, 302, 400, 404].map(tell))
  await logout(token)
  for (const name of again) await application.notice(name)
  await delivered(deps)
  const { delayed } = await deps.store.jobs.counts()
  t.same([application.told(understood).length, delayed], [0, 0], '204 was enough')
})

test('setting oauth.subject to entryUUID names the same sub in the logout token as in the ID token', async (t) => {
  await using pod = await service.secondPod({ app_oauth__subject: 'entryUUID' })
  const { token } = await newUser(admin)
  const client = await tellable()
  const { sub } = payloadOf((await relyingParty(pod, admin).tokensFor(client, token)).id_token)
  t.match(sub, /^[0-9a-f-]{36}$/)
  await pod.request('POST', '/api/auth/logout', { token })
  t.equal((await application.notice(client.name)).sub, sub)
})

test('an application that never listens is given up, and the audit log says so', async (t) => {
  const { uid, token } = await newUser(admin)
  const client = await tellable()
  await tokensFor(client, token)
  application.failing.set(`/${client.name}`, { status: 500, times: 99 })
  await logout(token)
  const failed = async () =>
    (await deps.audit.read()).find(
      ({ action, target }) => action === 'logout.notice' && target === client.client_id,
    )
  while (!(await failed())) await setTimeout(20)
  t.match(await failed(), { actor: uid, outcome: 'failed', detail: { sid: String } })
})

test('an address outside of egress.allow is never spoken to', async (t) => {
  const { token } = await newUser(admin)
  const { client_id, ...client } = await tellable({
    backchannel_logout_uri: application.uriOf('elsewhere').replace('127.0.0.1', '127.0.0.2'),
  })
  await tokensFor({ ...client, client_id }, token)
  await logout(token)
  const failed = async () =>
    (await deps.audit.read()).find(({ action, target }) => action === 'logout.notice' && target === client_id)
  while (!(await failed())) await setTimeout(20)
  t.match(await failed(), { outcome: 'failed' })
})

test('what waits to be told is sealed in Redis and survives the pod that was asked', async (t) => {
  const settings = { app_redis__prefix: 'alone', app_delivery__backoff: '1000' }
  const pod = await service.secondPod(settings)
  application.from.keys = () => next.url
  const alone = await startParty(pod)
  const { uid, token } = await pod.newUser(alone.admin)
  const client = await alone.register({ backchannel_logout_uri: application.uriOf('survivor') })
  application.expect('survivor', client.client_id)
  application.failing.set('/survivor', { status: 503, times: 1 })
  await alone.tokensFor(client, token)
  await pod.request('POST', '/api/auth/logout', { token })
  while ((await pod.deps.store.jobs.counts()).delayed === 0) await setTimeout(10)
  const [key = ''] = await keysIn(deps.store.redis, 'alone:{jobs}:delivery:logout-*')
  const { data = '' } = await deps.store.redis.hgetall(key)
  t.same(Object.keys(JSON.parse(data)), ['sealed'])
  await pod[Symbol.asyncDispose]()
  t.equal(application.told('survivor').length, 0)
  const next = await service.secondPod(settings)
  t.match(await application.notice('survivor'), { sub: uid, aud: client.client_id })
  await next[Symbol.asyncDispose]()
  application.from.keys = () => service.url
})

async function startParty(pod: Pick<typeof service, 'request' | 'login'>) {
  const token = await pod.login(service.admin.uid, service.admin.password)
  return { admin: token, ...relyingParty(pod, token) }
}
