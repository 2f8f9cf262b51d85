import { test } from 'tap'
import { codesOf, startAuthTests } from '#test/auth/support.ts'

const auth = await startAuthTests()
const { admin, newUser, request, messages } = auth
const { codeByMail, codeIn, wrongFor } = codesOf(auth)
const url = '/api/user/me/verification'
const send = (token: string, kind: string) => request('POST', url, { token, body: { kind } })
const confirm = (token: string, code: unknown) => request('PUT', url, { token, body: { code } })

test('a person sees what they verified, and verifies mail and phone by the code that was sent there', async (t) => {
  const { uid, mail, token } = await newUser(admin, { mobile: '+4930777001' })
  const before = await request('GET', url, { token })
  t.match(before, { status: 200, body: { results: { uid, emailVerified: false, phoneVerified: false } } })
  t.match(await send(token, 'mail'), { status: 200, body: { expires_at: Number } })
  const letter = await messages.mailTo(mail)
  t.match(letter.text, 'confirm that this address is yours')
  t.match(await confirm(token, codeIn(letter.text)), {
    status: 200,
    body: { results: { emailVerified: true, phoneVerified: false } },
  })
  t.equal((await send(token, 'mobile')).status, 200)
  const [sms] = await messages.smsTo('+4930777001')
  t.match(await confirm(token, codeIn(sms?.body)), {
    status: 200,
    body: { results: { phoneVerified: true } },
  })
  const verified = (await auth.audited('user.verify')).filter(({ target }) => target === uid)
  t.same(
    verified.map(({ detail }) => detail),
    [{ kind: 'mail' }, { kind: 'mobile' }],
  )
  t.match(
    (await request('GET', '/api/auth/session/', { token })).body.results,
    { length: 1 },
    'no session more',
  )
})

test('a code works once, only for its account, and not for an address that was changed since', async (t) => {
  const one = await newUser(admin)
  const other = await newUser(admin)
  await send(one.token, 'mail')
  const code = await codeByMail(one.mail)
  const refused = { status: 401, body: { name: 'InvalidCode' } }
  t.match(await confirm(other.token, code), refused)
  t.match(await confirm(one.token, wrongFor(code)), refused)
  t.equal((await confirm(one.token, code)).status, 200)
  t.match(await confirm(one.token, code), refused)
  await send(other.token, 'mail')
  const late = await codeByMail(other.mail)
  const body = { mail: `new-${other.mail}` }
  await request('PUT', `/api/user/${other.uid}`, { token: other.token, body })
  t.match(await confirm(other.token, late), refused)
  t.match((await request('GET', url, { token: other.token })).body, { results: { emailVerified: false } })
})

test('400 for a phone number that is not there; who acts in somebody’s name verifies nothing', async (t) => {
  const { uid, token } = await newUser(admin)
  t.match(await send(token, 'mobile'), { status: 400, body: { name: 'InvalidInput' } })
  const { body } = await request<{ temp_password: string }>('POST', `/api/auth/impersonate/${uid}`, {
    token: admin,
  })
  const acting = await auth.login(uid, body.temp_password)
  const refused = { status: 401, body: { name: 'InsufficientPermission' } }
  t.match(await send(acting, 'mail'), refused)
  t.match(await confirm(acting, '123456'), refused)
})
