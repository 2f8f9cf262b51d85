import { test } from 'tap'
import { linkIn } from '#test/support/messages.ts'
import { startAuthTests } from './support.ts'

const auth = await startAuthTests()
const { admin, deps, messages, newUser, post, request, signsIn } = auth

/** Locks an account as another program would: nothing of ours is told of it, so what was opened or sent before is left. */
const lockElsewhere = (uid: string) => deps.users.setActive(uid, false)

test('a code opens nothing while the account is locked, whoever locked it', async (t) => {
  const { uid, mail } = await newUser(admin)
  await post('otp/request', { login: uid, method: 'email' })
  const code = /\b\d{6}\b/.exec((await messages.mailTo(mail)).text)?.[0]
  await lockElsewhere(uid)
  const refused = { status: 401, body: { name: 'InvalidCode' } }
  t.match(await post('otp/verify', { login: uid, code }), refused)
  t.match(await auth.verification(uid), { emailVerified: false })
})

test('a reset link opens nothing while the account is locked, whoever locked it', async (t) => {
  const { uid, password, mail } = await newUser(admin)
  await post('resetpassword', { mail })
  const token = linkIn((await messages.mailTo(mail)).text)
    .split('/')
    .at(-1)
  await lockElsewhere(uid)
  const change = { password: 'a new password', confirm: 'a new password' }
  t.match(await post(`resetpassword/${token}`, change), { status: 401, body: { name: 'TokenInvalid' } })
  await auth.setActive(uid, true)
  t.ok(await signsIn(uid, password), 'the password is as it was')
})

test('a temporary password opens nothing while the account is locked, whoever locked it', async (t) => {
  const { uid } = await newUser(admin)
  const { body } = await request('POST', `/api/auth/impersonate/${uid}`, { token: admin })
  await lockElsewhere(uid)
  t.notOk(await signsIn(uid, String(body.temp_password)))
})
