import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { Decrypter } from 'age-encryption'
import tap, { test } from 'tap'
import { openedBy } from '#src/backup/recipient.ts'
import { readConfig } from '#src/config.ts'
import { startService } from '#src/main.ts'
import { groupTools } from '#test/group/support.ts'
import { clientOf } from '#test/support/client.ts'
import { headerOf, payloadOf, relyingParty, verifies } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'
import { empty, isUntouched, ofService, passphrase, run } from './support.ts'

const folder = await mkdtemp(join(tmpdir(), 'latchkey-backup-'))
const smtpPass = 'canary-of-smtp-pass-0123456789'
const settings = {
  app_seal__key: 'a key of the tests for what outlives a secret 0123456789',
  app_oauth__subject: 'entryUUID',
}
const service = await startTestService(settings)
tap.teardown(async () => {
  await service[Symbol.asyncDispose]()
  await rm(folder, { recursive: true, force: true })
})
const { newUser, deps } = service
const request: typeof service.request = async (...asked) => {
  const answer = await service.request(...asked)
  if (answer.status !== 200) throw new Error(`${asked[0]} ${asked[1]}: ${answer.text}`)
  return answer as never
}
const { admin, newGroup, ask } = await groupTools(service)
const party = relyingParty(service, admin)

// Somebody of each kind, and something in each family of records.
const ada = await newUser(admin, { uid: 'ada', givenName: 'Ada', sn: 'Lovelace, Countess' })
await request('PUT', '/api/user/password', {
  token: ada.token,
  body: { password: 'her own password', confirm: 'her own password' },
})
const newcomer = await newUser(admin, { uid: 'newcomer' })
const locked = await newUser(admin, { uid: 'locked' })
await request('PUT', '/api/user/locked/active', { token: admin, body: { active: false } })
const [outer, inner] = [await newGroup('outer'), await newGroup('inner')]
await ask('PUT', `${inner}/ada`)
await ask('PUT', `${outer}/nested/${inner}`)
await request('POST', '/api/conf', { token: admin, body: { smtp: { pass: smtpPass } } })
await request('PUT', '/api/tos', { token: admin, body: { text: 'Be kind.' } })
const application = await party.register({ allowed_groups: [outer] })
const adaBefore = await service.login('ada', 'her own password')
await request('POST', '/api/user/accept-tos', { token: adaBefore })
await party.allow(party.asking(application).asked, adaBefore)
const tokens = await party.tokensFor(application, adaBefore)
await request('POST', '/api/user/invite', { token: admin, body: { mail: 'guest@example.org' } })
const { redis, keys } = deps.store
const strange = {
  zset: Array.from({ length: 1500 }, (_, at) => [String(at), `member ${at}`]).flat(),
  list: Array.from({ length: 1500 }, (_, at) => `item ${at}`),
  set: Array.from({ length: 1500 }, (_, at) => `ü ${at}`),
  hash: Array.from({ length: 1500 }, (_, at) => [`field ${at}`, `value ${at}\n`]).flat(),
}
await redis.zadd('latchkey:{some}:zset', ...strange.zset)
await redis.rpush('latchkey:{some}:list', ...strange.list)
await redis.sadd('latchkey:{some}:set', ...strange.set)
await redis.hset('latchkey:{some}:hash', ...strange.hash)
await redis.set('latchkey:{some}:passing', 'soon gone', 'PX', 86_400_000)
await deps.audit.settled()

const file = join(folder, 'all.age')
const env = await service.environmentOfPod()
const made = await run('backup', env, file)

test('npm run backup writes one file, readable by its owner, in which nothing stands in the clear', async (t) => {
  t.match(made, { code: 0, said: /LDAP entries \(\d+ with a password\)/ })
  const bytes = await readFile(file)
  t.match(bytes.toString('latin1'), /^age-encryption\.org\/v1\n-> scrypt /)
  for (const secret of ['uid=ada', passphrase, smtpPass, application.client_secret, '{ARGON2}']) {
    t.notOk(bytes.includes(secret), `${secret} is not in the file`)
    t.notOk(made.said.includes(secret), `${secret} is not said`)
  }
  const decrypter = new Decrypter()
  decrypter.addIdentity(openedBy(passphrase))
  const plain = gunzipSync(await decrypter.decrypt(bytes)).toString()
  for (const secret of [
    smtpPass,
    application.client_secret,
    ada.token,
    tokens.refresh_token,
    env.app_seal__key,
  ])
    t.notOk(plain.includes(String(secret)), 'what is sealed or hashed stays so inside')
  const families = new Set([...plain.matchAll(/"key":"latchkey:\{?([^:}]+)/g)].map(([, family]) => family))
  for (const family of ['audit', 'conf', 'consent', 'directory', 'terms', 'verification'])
    t.ok(families.has(family), `${family} is in it`)
  for (const family of ['invite', 'rate', 'failures', 'jobs', 'lock'])
    t.notOk(families.has(family), `${family} is not`)
  t.notMatch(plain, /"key":"latchkey:[^{][^"]*:(session|account|grant)/)
  t.match(await run('backup', env, file), { code: 1, said: /is there already/ })
  t.match(await run('backup', { ...env, BACKUP_PASSPHRASE: 'short' }, `${file}2`), {
    code: 1,
    said: /16 char/,
  })
})

test('restored into empty servers, everybody signs in as before, and stays who they are', async (t) => {
  await using target = await empty(env)
  await using stack = new AsyncDisposableStack()
  await until('all is sealed', async () => (await deps.audit.seals.verify()).unsealed === 0)
  const later = join(folder, 'later.age')
  t.match(await run('backup', env, later), { code: 0 })
  t.match(await run('restore', target.env, '--check', later), { code: 0, said: /is whole/ })
  t.ok(await isUntouched(target), '--check writes nothing')
  const restored = await run('restore', target.env, later)
  t.match(restored, { code: 0, said: /are back/ })
  t.notMatch(restored.said, /ARGON2|canary/)
  t.match(await run('verify', ofService(target.env)), { code: 0, said: /hold/ })

  const pod = stack.use(await startService(readConfig(ofService(target.env))))
  t.equal(pod.firstAdmin, undefined, 'the administrator is the one there was')
  const { events } = await pod.deps.audit.page({ actor: 'service', action: 'backup.restore' }, { limit: 2 })
  const { events: backups } = await deps.audit.page({ action: 'backup.create' }, { limit: 1 })
  t.match(events, [{ target: backups[0]?.target, outcome: 'ok' }], 'in the audit log of both')
  const client = clientOf(pod.url)
  const again = relyingParty(client, '')
  const token = await client.login('ada', 'her own password')
  const redeemed = await again.tokensFor(application, token)
  t.equal(payloadOf(redeemed.id_token).sub, payloadOf(tokens.id_token).sub)
  t.match(payloadOf(redeemed.id_token).groups, [inner, outer])
  t.equal(headerOf(redeemed.id_token).kid, headerOf(tokens.id_token).kid)
  const jwks = await client.request<{ keys: Record<string, string>[] }>('GET', '/oauth/jwks')
  t.ok(verifies(tokens.id_token, jwks.body.keys), 'ID tokens from before hold')

  const login = (uid: string, password: string) =>
    client.request('POST', '/api/auth/login', { body: { uid, password } })
  t.equal((await login(locked.uid, locked.password)).status, 401, 'who was locked stays out')
  await client.login(newcomer.uid, newcomer.password)
  for (const uid of ['ada', 'newcomer', 'locked', service.admin.uid]) {
    const [before, after] = [await deps.users.find(uid), await pod.deps.users.find(uid)]
    t.same(after, before, `${uid} is the same, with dates and entryUUID`)
  }
  t.equal((await pod.deps.users.find('newcomer'))?.password_must_change, true)
  t.equal((await client.request('GET', '/api/user/', { token: ada.token })).status, 401, 'sessions are over')
  t.equal((await again.refresh(application, tokens.refresh_token)).status, 400, 'so are tokens')

  t.equal(pod.deps.config.smtp.pass, smtpPass)
  t.match(await pod.deps.store.terms.current(), { text: 'Be kind.', version: 1 })
  const given = await deps.store.consents.all('ada')
  t.same(await pod.deps.store.consents.all('ada'), given)
  t.ok(given.length > 0)
  t.same(
    await pod.deps.store.resources.findClient(application.client_id),
    await deps.store.resources.findClient(application.client_id),
  )
  const [next, number] = [
    await newUser(admin),
    await clientOf(pod.url).newUser(await client.login(service.admin.uid, service.admin.password), {
      uid: 'later',
    }),
  ]
  t.equal(
    (await pod.deps.users.find(number.uid))?.uidNumber,
    (await deps.users.find(next.uid))?.uidNumber,
    'numbers go on where they were',
  )

  const there = pod.deps.store.redis
  t.same(
    await there.zrange('latchkey:{some}:zset', '0', '-1'),
    await redis.zrange('latchkey:{some}:zset', '0', '-1'),
  )
  t.same(await there.lrange('latchkey:{some}:list', 0, -1), strange.list)
  t.same((await there.smembers('latchkey:{some}:set')).sort(), strange.set.toSorted())
  t.same(await there.hgetall('latchkey:{some}:hash'), await redis.hgetall('latchkey:{some}:hash'))
  const left = await there.pttl('latchkey:{some}:passing')
  t.ok(left > 0 && left <= 86_400_000, 'what passes keeps its end')
  t.equal(await there.exists(keys.durable('restore')), 0)
})
