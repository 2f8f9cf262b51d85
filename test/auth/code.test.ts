import { test } from 'tap'
import { codesOf, startAuthTests } from './support.ts'

const auth = await startAuthTests()
const { admin, newUser, messages, deps } = auth
const { ask, verify, codeIn, codeByMail, wrongFor } = codesOf(auth)

test('POST /api/auth/otp/request answers message, method and expires_at and mails six digits', async (t) => {
  const { uid, mail } = await newUser(admin)
  const { status, body, text } = await ask(uid)
  t.equal(status, 200)
  t.match(body, { message: String, method: 'email', expires_at: Number })
  const minutes = ((body.expires_at as number) - Date.now()) / 60_000
  t.ok(minutes > 9.5 && minutes <= 10, 'ten minutes')
  const letter = await messages.mailTo(mail)
  const code = codeIn(letter.text)
  t.match(code, /^\d{6}$/)
  t.match(letter.html, code, 'in both bodies')
  t.notMatch(letter.subject, code)
  t.notMatch(text, code, 'never in a response')
})

test('POST /api/auth/otp/verify answers login and token, and marks the email as verified', async (t) => {
  const { uid, mail } = await newUser(admin)
  t.match(await auth.verification(uid), { emailVerified: false })
  await ask(mail)
  const { status, body, headers } = await verify(uid.toUpperCase(), await codeByMail(mail))
  t.equal(status, 200)
  t.match(body, { login: true, token: /^[\w-]{43}$/ })
  t.match(headers.get('set-cookie'), /^latchkey=/)
  t.match((await auth.me(body.token)).body, { uid })
  t.match(await auth.verification(uid), {
    emailVerified: true,
    emailVerifiedAt: Number,
    phoneVerified: false,
  })
})

test('by SMS the code goes to the mobile of the directory and marks the phone as verified', async (t) => {
  const { uid } = await newUser(admin, { mobile: '+15550201' })
  t.match(await ask(uid, 'sms'), { status: 200, body: { method: 'sms', expires_at: Number } })
  const [sms] = await messages.smsTo('+15550201')
  const { status, body } = await verify(uid, codeIn(sms?.body))
  t.equal(status, 200)
  t.match((await auth.me(body.token)).body, { uid })
  t.match(await auth.verification(uid), { emailVerified: false, phoneVerified: true })
})

test('a code may be typed with blanks, and works once', async (t) => {
  const { uid, mail } = await newUser(admin)
  await ask(uid)
  const code = await codeByMail(mail)
  t.equal((await verify(uid, ` ${code.slice(0, 3)} ${code.slice(3)}`)).status, 200)
  t.match(await verify(uid, code), { status: 401, body: { name: 'InvalidCode' } })
})

test('a wrong, unknown or missing code is 401 InvalidCode, the same for every login', async (t) => {
  const { uid, mail } = await newUser(admin)
  await ask(uid)
  const code = await codeByMail(mail)
  const answers = await Promise.all([
    verify(uid, wrongFor(code)),
    verify('nobody-at-all', code),
    verify(auth.adminUid, code),
    verify(uid, 'abcdef'),
    verify('a)(uid=*', code),
  ])
  for (const { status, body, headers } of answers) {
    t.equal(status, 401)
    t.strictSame(body, { name: 'InvalidCode', message: 'The code is not valid or has expired.' })
    t.equal(headers.get('set-cookie'), null)
  }
  t.equal((await verify(uid, code)).status, 200, 'the code of the right account still works')
})

test('five wrong one-time codes kill the code, even for the right one afterwards, from whatever address', async (t) => {
  const { uid, mail } = await newUser(admin)
  await ask(uid)
  const code = await codeByMail(mail)
  for (let n = 0; n < 5; n++) t.equal((await verify(uid, wrongFor(code))).status, 401)
  t.match(await verify(uid, code), { status: 401, body: { name: 'InvalidCode' } })
  t.match(await auth.verification(uid), { emailVerified: false })
})

test('a new request replaces the old', async (t) => {
  const { uid, mail } = await newUser(admin)
  await ask(uid)
  const old = await codeByMail(mail)
  await ask(uid)
  const fresh = await codeByMail(mail, 2)
  if (old !== fresh) t.equal((await verify(uid, old)).status, 401)
  t.equal((await verify(uid, fresh)).status, 200)
})

test('one code by 20 verifications at once opens one session', async (t) => {
  const { uid, mail } = await newUser(admin)
  await ask(uid)
  const code = await codeByMail(mail)
  const before = (await deps.sessions.list(uid)).length
  const answers = await Promise.all(Array.from({ length: 20 }, () => verify(uid, code)))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.equal(answers.filter(({ status }) => status === 401).length, 19)
  t.equal((await deps.sessions.list(uid)).length, before + 1)
})

test('fifty simultaneous wrong codes: no more than five reach the verifier', async (t) => {
  const { uid, mail } = await newUser(admin)
  await ask(uid)
  const code = await codeByMail(mail)
  const others = Array.from({ length: 50 }, (_, n) => String((Number(code) + n + 1) % 1_000_000))
  const tries = others.map((wrong) => verify(uid, wrong.padStart(6, '0')))
  t.ok((await Promise.all(tries)).every(({ status }) => status === 401))
  t.equal((await verify(uid, code)).status, 401, 'it is dead')
})

test('an unknown login by email gets the same 200 with a plausible expires_at, and the same headers', async (t) => {
  const { uid } = await newUser(admin)
  const [known, unknown] = [await ask(uid), await ask('nobody-here')]
  t.equal(unknown.status, known.status)
  t.equal(unknown.body.message, known.body.message)
  t.ok(Math.abs((unknown.body.expires_at as number) - (known.body.expires_at as number)) < 5000)
  t.same([...unknown.headers.keys()], [...known.headers.keys()])
})

test('a request by email costs the directory and Redis the same before its answer, known or not', async (t) => {
  const { uid } = await newUser(admin)
  const sent: string[] = []
  const { run } = deps.background
  deps.background.run = (what) => void sent.push(what)
  const cost = async (login: string) => {
    const before = await auth.roundTrips()
    await ask(login)
    const after = await auth.roundTrips()
    return { ldap: after.ldap - before.ldap, redis: after.redis - before.redis }
  }
  const [known, unknown] = [await cost(uid), await cost('nobody-there')]
  deps.background.run = run
  t.same(known, unknown)
  t.equal(sent.length, 2, 'whatever is sent is sent after the answer')
})

test('a wrong code costs the directory and Redis the same, whoever has one, has none or is nobody', async (t) => {
  const [has, hasNone] = [await newUser(admin), await newUser(admin)]
  await ask(has.uid)
  const code = await codeByMail(has.mail)
  await deps.audit.settled()
  const cost = async (login: string) => {
    const before = await auth.roundTrips()
    await verify(login, wrongFor(code))
    await deps.audit.settled()
    const after = await auth.roundTrips()
    return { ldap: after.ldap - before.ldap, redis: after.redis - before.redis }
  }
  const known = await cost(has.uid)
  t.same(await cost(hasNone.uid), known)
  t.same(await cost('nobody-anywhere'), known)
})

test('sms for an account without mobile, an unknown login or a locked account is one and the same 400', async (t) => {
  const bare = await newUser(admin)
  const locked = await newUser(admin, { mobile: '+15550202' })
  await auth.setActive(locked.uid, false)
  const answers = [await ask(bare.uid, 'sms'), await ask('nobody', 'sms'), await ask(locked.uid, 'sms')]
  for (const { status, body } of answers) {
    t.equal(status, 400)
    t.strictSame(body, answers[0]?.body)
    t.equal(body.name, 'InvalidInput')
  }
  t.same(await messages.smsTo('+15550202'), [])
})

test('an SMS that is not taken is 502, and one that cannot be mailed is told to nobody', async (t) => {
  const { uid } = await newUser(admin, { mobile: '+15550203' })
  const { sms, smtp } = deps.config
  const [url, host] = [sms.url, smtp.host]
  sms.url = 'http://127.0.0.1:1'
  smtp.host = ''
  t.match(await ask(uid, 'sms'), { status: 502, body: { name: 'UpstreamFailure' } })
  const { redis, keys } = deps.store
  t.equal(await redis.exists(keys.voidable('account', uid, 'code')), 0, 'no code is left')
  t.equal((await ask(uid)).status, 200)
  await deps.background.settled()
  sms.url = url
  smtp.host = host
})
