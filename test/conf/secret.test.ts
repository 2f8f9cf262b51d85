import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import { startMessages } from '#test/support/messages.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { keysIn } from '#test/support/redis.ts'
import { until } from '#test/support/until.ts'
import { startConfTests } from './support.ts'

const { service, other, token, redis } = await startConfTests({
  app_delivery__backoff: '200',
  app_delivery__attempts: '30',
})
const { admin, deps } = service
const pods = [service, other]
const fresh = () => randomBytes(36).toString('base64url')
const signIn = () => service.login(admin.uid, admin.password)
type Keys = { keys: { kid: string }[] }
const kidsOf = async ({ request }: Pick<typeof other, 'request'>) =>
  (await request<Keys>('GET', '/oauth/jwks')).body.keys.map(({ kid }) => kid).sort()
const replace = (jwtSecret: string | null, as: string) =>
  service.request('POST', '/api/conf', { token: as, body: { oauth: { jwtSecret } } })
/** Waits until a token opens nothing on any pod. */
const voided = (auth: string) =>
  until('the session is void on every pod', async () => {
    const asked = await Promise.all(
      pods.map(({ request }) => request('GET', '/api/user/me', { token: auth })),
    )
    return asked.every(({ status }) => status === 401)
  })

test('a new oauth.jwtSecret answers success, voids every session, code, token and signing key on every pod, and keeps clients, records and what is sealed', async (t) => {
  const party = relyingParty(service, token)
  const client = await party.register({ skip_consent: true })
  const person = await service.newUser(token)
  const tokens = await party.tokensFor(client, token)
  const unused = await party.codeFor(client, token)
  const kids = await kidsOf(service)
  await party.register()
  const paged = await service.request('GET', '/api/oauth/client/?limit=1', { token })
  const pass = 'a password of SMTP that is kept sealed'
  await service.request('POST', '/api/conf', { token, body: { smtp: { pass } } })

  const secret = fresh()
  const answer = await replace(secret, token)
  t.same([answer.status, answer.body], [200, { success: true }])
  for (const auth of [token, person.token]) await voided(auth)
  for (const pod of pods) {
    const there = relyingParty(pod, '')
    t.equal((await there.userinfo(tokens.access_token)).status, 401, 'access tokens')
    t.equal((await there.refresh(client, tokens.refresh_token)).status, 400, 'refresh tokens')
    t.equal((await there.redeem(client, unused)).status, 400, 'codes')
    const now = await until('new signing keys', async () => {
      const now = await kidsOf(pod)
      return now.every((kid) => !kids.includes(kid)) && now
    })
    t.equal(now.length, 3)
  }
  t.same(await kidsOf(service), await kidsOf(other), 'the same keys on both')

  const again = await signIn()
  const renewed = relyingParty(other, again)
  t.type((await renewed.tokensFor(client, again)).id_token, 'string', 'the client is what it was')
  const hint = { id_token_hint: tokens.id_token, prompt: 'none' }
  t.notMatch((await renewed.authorize(renewed.asking(client, hint).asked, again)).text, /code=/, 'ID tokens')
  const cursor = encodeURIComponent(String(paged.body.next))
  const forged = await service.request('GET', `/api/oauth/client/?limit=1&cursor=${cursor}`, { token: again })
  t.equal(forged.status, 400, 'cursors')
  t.equal(deps.config.smtp.pass, pass, 'stored secrets')
  t.equal((await service.request('GET', `/api/user/${person.uid}`, { token: again })).status, 200)
  t.type(await other.login(person.uid, person.password), 'string')

  const dump = JSON.stringify(await redis.hgetall(deps.store.keys.durable('conf')))
  const events = await service.request('GET', '/api/audit?action=conf.change', { token: again })
  const shown = await service.request('GET', '/api/conf', { token: again })
  for (const said of [dump, events.text, shown.text, other.said()]) {
    t.notMatch(said, secret)
    t.notMatch(said, pass)
  }
  t.match(events.body.results, [{ detail: { set: ['oauth.jwtSecret'] } }])
})

test('a letter that waited for its mail server while the secret changed is delivered', async (t) => {
  await using messages = await startMessages()
  const auth = await signIn()
  await service.request('POST', '/api/conf', { token: auth, body: { smtp: { host: '127.0.0.1', port: 1 } } })
  const mail = 'waiting@example.org'
  await service.newUser(auth, { uid: 'waiting', mail })
  await service.request('POST', '/api/auth/resetpassword', { body: { mail } })
  await until('the letter is tried', async () => (await deps.store.jobs.counts()).delayed > 0)
  await replace(fresh(), auth)
  const { app_smtp__host: host, app_smtp__port } = messages.settings
  const body = { smtp: { host, port: Number(app_smtp__port) } }
  await service.request('POST', '/api/conf', { token: await signIn(), body })
  t.match((await messages.mailTo(mail)).subject, 'Choose a new password')
})

test('a pod that starts with the environment’s secret starts under the stored one; posting the same again voids nothing', async (t) => {
  const secret = fresh()
  await replace(secret, await signIn())
  const auth = await signIn()
  await using later = await service.secondPod()
  t.equal((await later.request('GET', '/api/user/me', { token: auth })).status, 200)
  await until('the same keys', async () => String(await kidsOf(later)) === String(await kidsOf(service)))
  t.equal((await replace(secret, auth)).status, 200)
  t.equal((await service.request('GET', '/api/user/me', { token: auth })).status, 200)
})

test('a secret that comes back revives nothing of its first time', async (t) => {
  await replace(null, await signIn())
  const old = await signIn()
  await replace(fresh(), old)
  await voided(old)
  const { status } = await replace(null, await signIn())
  t.equal(status, 200)
  await voided(old)
  t.type(await signIn(), 'string')
})

test('a sign-in that is under way while the secret changes gives a token that opens nothing', async (t) => {
  const { hostname, port } = new URL(service.url)
  const body = JSON.stringify({ uid: admin.uid, password: admin.password })
  const socket = connect(Number(port), hostname)
  t.teardown(() => socket.destroy())
  const head = ['POST /api/auth/login HTTP/1.1', `Host: ${hostname}`, 'Connection: close']
  head.push('Content-Type: application/json', `Content-Length: ${body.length}`, 'X-Forwarded-For: 10.77.0.1')
  socket.write(`${head.join('\r\n')}\r\n\r\n${body.slice(0, 10)}`)
  await until('the request has begun', async () => {
    const counted = await keysIn(redis, '*{rate}:10.77.0.1login')
    return counted.length > 0
  })
  await replace(fresh(), await signIn())
  socket.write(body.slice(10))
  const said = await text(socket)
  const late = /"token":"([\w-]+)"/.exec(said)?.[1]
  t.type(late, 'string', said)
  t.equal((await service.request('GET', '/api/user/me', { token: String(late) })).status, 401)
})

test('many changes of the secret at once end in one, and every pod agrees on it', async (t) => {
  const auth = await signIn()
  const answers = await Promise.all(Array.from({ length: 8 }, () => replace(fresh(), auth)))
  for (const { status } of answers) t.ok([200, 401].includes(status), `${status}`)
  const now = await until('one secret on both', async () => {
    const now = await signIn()
    return (await other.request('GET', '/api/user/me', { token: now })).status === 200 && now
  })
  t.type(now, 'string')
  await until('the same keys', async () => String(await kidsOf(service)) === String(await kidsOf(other)))
})

test('a pod that cannot open what is stored does not start, and says which setting and why', async (t) => {
  await t.rejects(
    service.secondPod({ app_oauth__jwtSecret: fresh() }),
    /oauth\.jwtSecret: is stored, sealed with another key than ours/,
  )
  await replace(null, await signIn())
})

test('a pod that is told to end while a new secret takes effect ends, and does not wait for its next look at the keys', async (t) => {
  const pod = await service.secondPod()
  const body = { oauth: { jwtSecret: fresh() } }
  t.equal((await pod.request('POST', '/api/conf', { token: await signIn(), body })).status, 200)
  const ended = pod[Symbol.asyncDispose]().then(() => true)
  // The next look is half a minute away or more.
  t.ok(await Promise.race([ended, setTimeout(25_000, false, { ref: false })]))
  await ended
})
