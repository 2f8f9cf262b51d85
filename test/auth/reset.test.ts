import { createHash } from 'node:crypto'
import { test } from 'tap'
import { freshAddress } from '#test/support/client.ts'
import { linkIn } from '#test/support/messages.ts'
import { startAuthTests } from './support.ts'

const auth = await startAuthTests()
const { post, admin, newUser, messages, deps, url, signsIn } = auth

const ask = (mail: string) => post('resetpassword', { mail })
const reset = (token: string, password: string, confirm = password) =>
  post(`resetpassword/${token}`, { password, confirm })
const tokenIn = (text: string) => linkIn(text).split('/').at(-1) as string
/** Asks for a link and answers the token that was mailed as the `nth`. */
async function tokenFor(mail: string, nth = 1): Promise<string> {
  await ask(mail)
  return tokenIn((await messages.mailTo(mail, nth)).text)
}
const invalid = { status: 401, body: { name: 'TokenInvalid' } }
const fresh = 'a new password'

test('POST /api/auth/resetpassword answers message, the same response whether or not the email exists', async (t) => {
  const { mail } = await newUser(admin)
  const [known, unknown] = [await ask(mail), await ask('nobody@example.org')]
  t.equal(known.status, 200)
  t.strictSame(unknown.body, known.body)
  t.same(Object.keys(known.body), ['message'])
  t.same([...unknown.headers.keys()], [...known.headers.keys()])
  const letter = await messages.mailTo(mail)
  t.ok(linkIn(letter.text).startsWith(`${url}/login/resetpassword/`))
  t.match(letter.html, linkIn(letter.text))
  t.match(tokenIn(letter.text), /^[\w-]{43}$/, '256 bits')
  t.same(await auth.mailsInTheEnd('nobody@example.org'), [])
})

test('a request costs the directory and Redis the same before its answer, known or not', async (t) => {
  const { mail } = await newUser(admin)
  const { run } = deps.background
  deps.background.run = () => {}
  const cost = async (address: string) => {
    const before = await auth.roundTrips()
    await ask(address)
    const after = await auth.roundTrips()
    return { ldap: after.ldap - before.ldap, redis: after.redis - before.redis }
  }
  const [known, unknown] = [await cost(mail), await cost('nobody@example.org')]
  deps.background.run = run
  t.same(known, unknown)
})

test('POST /api/auth/resetpassword/:token changes the password; the token is invalidated afterwards', async (t) => {
  const { uid, password, mail } = await newUser(admin)
  await ask(mail.toUpperCase())
  const token = tokenIn((await messages.mailTo(mail)).text)
  t.match(await reset(token, fresh), { status: 200, body: { message: String } })
  t.ok(await signsIn(uid, fresh))
  t.notOk(await signsIn(uid, password), 'the old password is dead the moment the change answers')
  t.match(await reset(token, 'yet another one'), invalid)
  t.ok(await signsIn(uid, fresh))
})

test('a reset ends all sessions, clears password_must_change and is audited', async (t) => {
  const { uid, mail, token } = await newUser(admin)
  const other = await auth.login(uid, `password of ${uid}`)
  t.match((await auth.me(token)).body, { password_must_change: true })
  t.equal((await reset(await tokenFor(mail), fresh)).status, 200)
  for (const session of [token, other]) t.equal((await auth.me(session)).status, 401)
  t.match((await auth.me(await auth.login(uid, fresh))).body, { uid, password_must_change: false })
  t.match((await auth.audited('user.reset')).at(-1), { actor: uid, target: uid, outcome: 'ok' })
  t.match((await auth.audited('user.reset-request')).at(-1), { actor: uid, target: uid })
})

test('a reset token sets only its own user’s password, once; older ones die', async (t) => {
  const one = await newUser(admin)
  const two = await newUser(admin)
  const old = await tokenFor(one.mail)
  const young = await tokenFor(one.mail, 2)
  const others = await tokenFor(two.mail)
  t.equal((await reset(young, fresh)).status, 200)
  t.match(await reset(old, 'from the old link'), invalid)
  t.ok(await signsIn(one.uid, fresh))
  t.ok(await signsIn(two.uid, two.password), 'nobody else is touched')
  t.equal((await reset(others, fresh)).status, 200)
})

test('a new password by any way kills the tokens', async (t) => {
  const { uid, mail, token } = await newUser(admin)
  const first = await tokenFor(mail)
  const change = { password: fresh, confirm: fresh }
  t.equal((await auth.request('PUT', '/api/user/password', { token, body: change })).status, 200)
  t.match(await reset(first, 'from the link'), invalid)
  const second = await tokenFor(mail, 2)
  t.equal(
    (await auth.request('PUT', `/api/user/${uid}/password`, { token: admin, body: change })).status,
    200,
  )
  t.match(await reset(second, 'from the link'), invalid)
})

test('one token by 20 resets at once sets one password', async (t) => {
  const { uid, mail } = await newUser(admin)
  const token = await tokenFor(mail)
  const tries = Array.from({ length: 20 }, (_, n) => reset(token, `password number ${n}`))
  const answers = await Promise.all(tries)
  const won = answers.findIndex(({ status }) => status === 200)
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers.filter((_, n) => n !== won)) t.match(answer, invalid)
  t.ok(await signsIn(uid, `password number ${won}`))
})

test('only the mailed token sets a new password; no cookie, step or id replaces it', async (t) => {
  const { uid, password, mail, token: session } = await newUser(admin)
  await ask(mail)
  const mailed = tokenIn((await messages.mailTo(mail)).text)
  const [kept] = await deps.store.resets.of(uid)
  const hash = createHash('sha256').update(mailed).digest('base64url')
  const guesses = [
    session,
    uid,
    kept?.id ?? '',
    hash,
    mailed.slice(1),
    `${mailed}A`,
    'A'.repeat(43),
    '%20',
    '*',
  ]
  for (const guess of guesses)
    t.match(
      await auth.request('POST', `/api/auth/resetpassword/${guess}`, {
        token: session,
        body: { password: fresh, confirm: fresh },
        headers: { cookie: `latchkey=${session}` },
      }),
      invalid,
      guess,
    )
  t.ok(await signsIn(uid, password))
  t.equal((await reset(mailed, fresh)).status, 200, 'and wrong tries do not use it up')
})

test('confirm must equal password and the password be 8 to 128 characters, else 400 and the token stays good', async (t) => {
  const { uid, mail } = await newUser(admin)
  const token = await tokenFor(mail)
  const wrong: [unknown, unknown][] = [
    ...([
      [fresh, 'another password'],
      ['short', 'short'],
      ['x'.repeat(129), 'x'.repeat(129)],
    ] as const),
    ...([
      [null, null],
      ['', ''],
      [[fresh], [fresh]],
      [12345678, 12345678],
    ] as const),
  ].map(([password, confirm]) => [password, confirm])
  for (const [password, confirm] of wrong)
    t.match(await post(`resetpassword/${token}`, { password, confirm }), {
      status: 400,
      body: { name: 'InvalidInput' },
    })
  t.equal((await reset(token, fresh)).status, 200)
  t.ok(await signsIn(uid, fresh))
})

test('a locked account gets no link, and one it has opens nothing, also after it is unlocked', async (t) => {
  const { uid, password, mail } = await newUser(admin)
  const token = await tokenFor(mail)
  await auth.setActive(uid, false)
  t.equal((await ask(mail)).status, 200)
  t.equal((await auth.mailsInTheEnd(mail)).length, 1)
  t.match(await reset(token, fresh), invalid)
  await auth.setActive(uid, true)
  t.match(await reset(token, fresh), invalid)
  t.ok(await signsIn(uid, password))
})

test('a link to an old address opens nothing after the address changed', async (t) => {
  const { uid, password, mail, token } = await newUser(admin)
  const link = await tokenFor(mail)
  await auth.request('PUT', `/api/user/${uid}`, { token, body: { mail: `new-${mail}` } })
  t.match(await reset(link, fresh), invalid)
  t.ok(await signsIn(uid, password))
})

test('a deleted user’s link does not open the account that has the name next', async (t) => {
  const { uid, mail } = await newUser(admin)
  const link = await tokenFor(mail)
  await auth.request('DELETE', `/api/user/${uid}`, { token: admin })
  const next = await newUser(admin, { uid, mail, password: 'of somebody else' })
  t.match(await reset(link, fresh), invalid)
  t.ok(await signsIn(next.uid, 'of somebody else'))
})

test('reset tokens expire after 24 hours, with nothing running in the background', async (t) => {
  const { uid, mail } = await newUser(admin)
  const token = await tokenFor(mail)
  const { redis, keys } = deps.store
  const key = keys.voidable('account', uid, 'resets')
  const left = await redis.pttl(key)
  t.ok(left > 86_390_000 && left <= 86_400_000)
  const [field = '', record = ''] = Object.entries(await redis.hgetall(key))[0] ?? []
  await redis.hset(key, field, JSON.stringify({ ...JSON.parse(record), expires_at: Date.now() - 1 }))
  t.match(await reset(token, fresh), invalid)
})

test('the token is stored hashed, and stands in no response and no audit event', async (t) => {
  const { mail } = await newUser(admin)
  const { text } = await ask(mail)
  const token = tokenIn((await messages.mailTo(mail)).text)
  const answers = [text, (await reset(token, fresh)).text, (await reset(token, fresh)).text]
  t.notMatch(answers.join(), token)
  t.notMatch(await auth.storedText(), token)
})

test('links in mails start with the configured issuer under hostile Host, X-Forwarded-Host, Forwarded', async (t) => {
  const { mail } = await newUser(admin)
  const headers = {
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example;proto=https',
    'x-forwarded-proto': 'https',
  }
  await auth.request('POST', '/api/auth/resetpassword', { headers, body: { mail } })
  const letter = await messages.mailTo(mail)
  t.ok(linkIn(letter.text).startsWith(`${url}/login/resetpassword/`))
  t.notMatch(letter.raw, 'evil.example')
})

test('a mail that cannot be sent changes nothing about the answer', async (t) => {
  const { mail } = await newUser(admin)
  const { smtp } = deps.config
  const host = smtp.host
  smtp.host = ''
  t.equal((await ask(mail)).status, 200)
  await deps.background.settled()
  smtp.host = host
})

test('POST /api/auth/resetpassword: 5 requests per hour per client address, then 429', async (t) => {
  const address = freshAddress()
  const one = () => post('resetpassword', { mail: 'nobody@example.org' }, { address })
  for (let n = 0; n < 5; n++) t.equal((await one()).status, 200)
  const sixth = await one()
  t.match(sixth, { status: 429, body: { name: 'TooManyRequests' } })
  t.ok(Number(sixth.headers.get('retry-after')) > 0)
})
