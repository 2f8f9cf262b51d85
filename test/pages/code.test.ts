import { test } from 'tap'
import { freshAddress } from '#test/support/client.ts'
import { startMessages } from '#test/support/messages.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'

await using messages = await startMessages()
await using service = await startTestService({ ...messages.settings, app_onboarding__needs: 'password' })
const { admin, request, newUser } = service
const token = await service.login(admin.uid, admin.password)
const arrive = () => visitor(service, freshAddress())
const alert = (text: string) => /role="alert"[^>]*>([^<]*)/.exec(text)?.[1]
const codeIn = (text: string | undefined) => /\b\d{6}\b/.exec(text ?? '')?.[0] as string
const me = async (token: string | undefined) =>
  (await request('GET', '/api/user/me', { token: String(token) })).body

/** Somebody whose password is their own. */
async function settled(fields: Record<string, string> = {}) {
  const user = await newUser(token, fields)
  const password = `own ${user.password}`
  await request('PUT', '/api/user/password', { token: user.token, body: { password, confirm: password } })
  return { ...user, password }
}

await test('the sign-in page leads to signing in with a code instead, and on to where one was going', async (t) => {
  const user = await settled()
  const { go, session, locationOf } = arrive()
  const signIn = await go('GET', '/login?return_to=/terms')
  t.match(signIn.text, /href="\/login\/code\?return_to=%2Fterms">Sign in with a code instead</)
  const form = await go('GET', '/login/code?return_to=/terms')
  t.match(form.text, /name="return_to" value="\/terms"/)
  const fields = { login: user.mail, method: 'email', return_to: '/terms' }
  const asked = await go('POST', '/login/code', fields)
  t.equal(asked.status, 200)
  t.match(asked.text, /autocomplete="one-time-code"/)
  t.equal(session(), undefined)
  const code = codeIn((await messages.mailTo(user.mail)).text)
  t.notMatch(asked.text, code)
  const typed = `${code.slice(0, 3)} ${code.slice(3)}`
  const entered = await go('POST', '/login/code/verify', { ...fields, code: typed })
  t.equal(locationOf(entered), '/terms')
  t.match(await me(session()), { uid: user.uid })
  const record = await request('GET', `/api/user/${user.uid}/verification`, { token })
  t.match(record.body, { emailVerified: true })
})

await test('by text message the code goes to the phone of the account', async (t) => {
  const user = await settled({ mobile: '+15550301' })
  const { go, session } = arrive()
  const asked = await go('POST', '/login/code', { login: user.uid, method: 'sms' })
  t.match(asked.text, 'phone number')
  const [sms] = await messages.smsTo('+15550301')
  await go('POST', '/login/code/verify', { login: user.uid, method: 'sms', code: codeIn(sms?.body) })
  t.match(await me(session()), { uid: user.uid })
})

await test('whoever signs in with a code meets the open steps too', async (t) => {
  const user = await newUser(token)
  const { go, locationOf } = arrive()
  await go('POST', '/login/code', { login: user.uid, method: 'email' })
  const code = codeIn((await messages.mailTo(user.mail)).text)
  const entered = await go('POST', '/login/code/verify', { login: user.uid, method: 'email', code })
  t.equal(locationOf(entered), '/login/steps')
})

await test('known and unknown names get the same page, and a wrong code the same refusal', async (t) => {
  const user = await settled()
  const said: string[] = []
  for (const login of [user.uid, 'nobody-of-that-name']) {
    const { go, session } = arrive()
    const asked = await go('POST', '/login/code', { login, method: 'email' })
    const wrong = await go('POST', '/login/code/verify', { login, method: 'email', code: '12' })
    t.equal(wrong.status, 401)
    t.match(wrong.text, `name="login" value="${login}"`, 'what was typed is kept')
    t.equal(session(), undefined)
    said.push(`${asked.status} ${asked.text} ${alert(wrong.text)}`.replaceAll(login, 'NAME'))
  }
  t.equal(said[0], said[1])
  const { go } = arrive()
  const none = await go('POST', '/login/code', { login: user.uid, method: 'sms' })
  t.equal(none.status, 400)
  t.equal(alert(none.text), 'There is no phone number to send a code to.')
  t.match(none.text, /value="sms" checked/)
})

await test('forms that are not filled in are asked again', async (t) => {
  const { go, locationOf } = arrive()
  for (const fields of [{}, { login: '', method: 'email' }, { login: 'ada', method: 'pigeon' }] as Record<
    string,
    string
  >[]) {
    const answer = await go('POST', '/login/code', fields)
    t.equal(answer.status, 400)
    t.match(alert(answer.text), 'Enter your username')
  }
  const empty = await arrive().go('POST', '/login/code/verify', { login: 'ada', method: 'email', code: '' })
  t.equal(alert(empty.text), 'Enter the six digits that you were sent.')
  t.equal(
    locationOf(await go('GET', '/login/code/verify?return_to=/terms')),
    '/login/code?return_to=%2Fterms',
  )
})

await test('the forms are limited together with the API: 5 requests and 10 tries per 15 minutes', async (t) => {
  const address = freshAddress()
  const { go } = visitor(service, address)
  for (let n = 0; n < 4; n++)
    await request('POST', '/api/auth/otp/request', { address, body: { login: 'x', method: 'email' } })
  t.equal((await go('POST', '/login/code', { login: 'x', method: 'email' })).status, 200)
  const over = await go('POST', '/login/code', { login: 'x', method: 'email' })
  t.equal(over.status, 429)
  t.match(alert(over.text), 'Too many requests')
  t.match(over.headers.get('retry-after'), /^\d+$/)
  for (let n = 0; n < 10; n++)
    await request('POST', '/api/auth/otp/verify', { address, body: { login: 'x', code: '1' } })
  const tried = await go('POST', '/login/code/verify', { login: 'x', method: 'email', code: '1' })
  t.equal(tried.status, 429)
})

await test('a code signs in for an application, and posts from another origin are refused', async (t) => {
  const user = await settled()
  const { register, asking } = relyingParty(service, token)
  const client = await register({ skip_consent: true, name: 'Team Wiki' })
  const { go, locationOf } = arrive()
  const login = locationOf(await go('GET', `/oauth/authorize?${new URLSearchParams(asking(client).asked)}`))
  t.match((await go('GET', login)).text, `href="${login}/code"`)
  const form = await go('GET', `${login}/code`)
  t.match(form.text, 'Team Wiki')
  t.match(form.headers.get('content-security-policy'), "form-action 'self' https://app.example")
  const foreign = await go(
    'POST',
    `${login}/code`,
    { login: user.uid, method: 'email' },
    { origin: 'https://evil.example' },
  )
  t.equal(foreign.status, 401)
  await go('POST', `${login}/code`, { login: user.uid, method: 'email' })
  const code = codeIn((await messages.mailTo(user.mail)).text)
  const entered = await go('POST', `${login}/code/verify`, { login: user.uid, method: 'email', code })
  const back = await go('GET', locationOf(entered))
  t.match(locationOf(back), /^https:\/\/app\.example\/cb\?code=[0-9a-f-]{36}/)
})
