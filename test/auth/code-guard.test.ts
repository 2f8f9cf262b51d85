import { createHash } from 'node:crypto'
import { test } from 'tap'
import { freshAddress } from '#test/support/client.ts'
import { codesOf, startAuthTests } from './support.ts'

const auth = await startAuthTests()
const { post, admin, newUser, messages, deps } = auth
const { ask, verify, codeByMail } = codesOf(auth)

test('the address a code goes to comes from the directory, never from the request', async (t) => {
  const { uid, mail } = await newUser(admin)
  for (const extra of [{ mail: 'evil@example.org' }, { to: 'evil@example.org' }, { mobile: '+15550000' }])
    t.match(await post('otp/request', { login: uid, method: 'email', ...extra }), {
      status: 400,
      body: { name: 'InvalidInput' },
    })
  t.same(await auth.mailsInTheEnd(mail), [])
  await ask(mail.toUpperCase())
  t.equal((await messages.mailTo(mail)).to, mail)
})

test('a locked account gets no code, and one it has opens nothing', async (t) => {
  const { uid, mail } = await newUser(admin)
  await ask(uid)
  const code = await codeByMail(mail)
  await auth.setActive(uid, false)
  t.equal((await ask(uid)).status, 200)
  t.equal((await auth.mailsInTheEnd(mail)).length, 1)
  t.equal((await verify(uid, code)).status, 401)
  await auth.setActive(uid, true)
  t.equal((await verify(uid, code)).status, 401, 'locking ended it')
})

test('a code sent to an old address opens nothing after the address changed', async (t) => {
  const { uid, mail, token } = await newUser(admin)
  await ask(uid)
  const code = await codeByMail(mail)
  await auth.request('PUT', `/api/user/${uid}`, { token, body: { mail: `new-${mail}` } })
  t.equal((await verify(uid, code)).status, 401)
  t.match(await auth.verification(uid), { emailVerified: false })
})

test('a password change ends a code', async (t) => {
  const { uid, mail, token } = await newUser(admin)
  await ask(uid)
  const code = await codeByMail(mail)
  const body = { password: 'another password', confirm: 'another password' }
  t.equal((await auth.request('PUT', '/api/user/password', { token, body })).status, 200)
  t.equal((await verify(uid, code)).status, 401)
})

test('an expired code is refused with nothing running in the background', async (t) => {
  const { uid, mail } = await newUser(admin)
  await ask(uid)
  const code = await codeByMail(mail)
  const { redis, keys } = deps.store
  const key = keys.voidable('account', uid, 'code')
  const left = await redis.pttl(key)
  t.ok(left > 590_000 && left <= 600_000, 'Redis ends it after ten minutes')
  await redis.pexpire(key, 1)
  await new Promise((resolve) => setTimeout(resolve, 10))
  t.equal((await verify(uid, code)).status, 401)
})

test('neither a code nor a plain hash of it is stored, audited or logged', async (t) => {
  const { uid, mail } = await newUser(admin)
  await ask(uid)
  const code = await codeByMail(mail)
  const stored = await auth.storedText()
  t.notMatch(stored, `"${code}"`)
  for (const encoding of ['hex', 'base64url'] as const)
    for (const text of [code, uid + code, `${uid}\n${code}`])
      t.notMatch(stored, createHash('sha256').update(text).digest(encoding))
  await verify(uid, code)
  // Of its own an event has a time, in its id too, whose digits may be anything.
  const events = (await deps.audit.read()).map(({ id: _, at: __, ...said }) => said)
  t.notMatch(JSON.stringify(events), code)
})

test('wrong codes count as failures of the account and close all its doors', async (t) => {
  const { uid, password, mail } = await newUser(admin)
  await Promise.all(Array.from({ length: 30 }, () => verify(uid, '000000')))
  t.match(await post('login', { uid, password }), { status: 401, body: { name: 'LoginFailed' } })
  await ask(uid)
  t.equal((await verify(uid, await codeByMail(mail))).status, 401, 'the right code too')
})

test('right codes do not count as failures, and requests are audited', async (t) => {
  const { uid, mail } = await newUser(admin)
  await ask(uid)
  await verify(uid, await codeByMail(mail))
  t.notOk((await deps.store.failures.list()).some((closed) => closed.uid === uid))
  t.match((await auth.audited('code.request')).at(-1), { actor: uid, target: uid, detail: { kind: 'mail' } })
  const signIns = (await auth.audited('login')).filter(({ target }) => target === uid)
  t.match(signIns.at(-1), { outcome: 'ok', detail: { door: 'code' } })
})

test('a code verified by a foreign page is refused', async (t) => {
  const { uid, mail } = await newUser(admin)
  await ask(uid)
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const body = { login: uid, code: await codeByMail(mail) }
  t.match(await auth.request('POST', '/api/auth/otp/verify', { body, headers }), {
    status: 401,
    body: { name: 'InsufficientPermission' },
  })
})

test('what is no request is 400 InvalidInput', async (t) => {
  for (const body of [{}, { login: 'a' }, { login: 'a', method: 'pigeon' }, { login: 1, method: 'email' }])
    t.match(await post('otp/request', body), { status: 400, body: { name: 'InvalidInput' } })
  for (const code of [123456, null, '', ['123456'], '1'.repeat(33)])
    t.match(await verify('a', code), { status: 400, body: { name: 'InvalidInput' } })
})

test('POST /api/auth/otp/request: 5 requests per 15 minutes; otp/verify: 10 requests per 15 minutes', async (t) => {
  const address = freshAddress()
  for (let n = 0; n < 5; n++) t.equal((await ask('nobody', 'email', address)).status, 200)
  const sixth = await ask('nobody', 'email', address)
  t.match(sixth, { status: 429, body: { name: 'TooManyRequests' } })
  t.ok(Number(sixth.headers.get('retry-after')) > 0)
  for (let n = 0; n < 10; n++) t.equal((await verify('nobody', '000000', address)).status, 401)
  const eleventh = await verify('nobody', '000000', address)
  t.match(eleventh, { status: 429, body: { name: 'TooManyRequests' } })
  t.ok(Number(eleventh.headers.get('retry-after')) > 0)
})
