import { test } from 'tap'
import { startUserTests } from './support.ts'

const users = await startUserTests({ app_auth__failures: '5' })
const { admin, ask, newUser, login, read, request } = users

const both = (password: string) => ({ password, confirm: password })
const signs = (uid: string, password: string) =>
  login(uid, password).then(
    () => true,
    () => false,
  )
const alive = async (token: string) => (await request('GET', '/api/user/me', { token })).status === 200

test('PUT /api/user/password changes the own password and clears password_must_change', async (t) => {
  const { uid, token, password } = await newUser(admin)
  t.equal((await read(uid)).password_must_change, true)
  const { status, body } = await ask('PUT', 'password', token, both('a new password'))
  t.equal(status, 200)
  t.same(body, { results: true })
  t.equal((await read(uid)).password_must_change, false)
  t.notOk((await users.entry(uid))?.pwdReset)
  t.ok(await signs(uid, 'a new password'))
  t.notOk(await signs(uid, password), 'the old one is dead the moment the change answers')
  t.notOk(await users.binds(uid, password), 'for LDAP as well')
  t.ok(await users.binds(uid, 'a new password'))
})

test('PUT /api/user/:uid/password clears it for the own account and sets it when an admin changes another user’s', async (t) => {
  const { uid, token, password } = await newUser(admin)
  const own = await ask('PUT', `${uid}/password`, token, { ...both('own new password'), current: password })
  t.equal(own.status, 200)
  t.match(own.body, { results: true, message: String })
  t.equal((await read(uid)).password_must_change, false)
  const { status } = await ask('PUT', `${uid}/password`, admin, both('given by the admin'))
  t.equal(status, 200)
  t.equal((await read(uid)).password_must_change, true)
  t.ok(await signs(uid, 'given by the admin'))
  t.notOk(await signs(uid, 'own new password'))
})

test('confirm must equal password, which has 8 to 128 characters: else 400 and the password stays', async (t) => {
  const { uid, token, password } = await newUser(admin)
  const wrong = [
    { password: 'a new password', confirm: 'another password' },
    { password: 'a new password' },
    { confirm: 'a new password' },
    both('short'),
    both('x'.repeat(129)),
    { password: null, confirm: null },
    { password: ['a new password'], confirm: ['a new password'] },
    { password: 1234567890, confirm: 1234567890 },
    { ...both('a new password'), current: null },
    { ...both('a new password'), uid: 'admin' },
  ]
  for (const body of wrong)
    for (const path of ['password', `${uid}/password`])
      t.match(
        await ask('PUT', path, token, body),
        { status: 400, body: { name: 'InvalidInput' } },
        JSON.stringify(body),
      )
  t.equal((await ask('PUT', 'password', token, both('12345678'))).status, 200, '8 are enough')
  t.equal((await ask('PUT', 'password', token, both('ü'.repeat(128)))).status, 200, '128 are not too many')
  t.ok(await signs(uid, 'ü'.repeat(128)))
  t.notOk(await signs(uid, password))
})

test('current is checked when given: a wrong one is 401 LoginFailed and counts as a failure of the account', async (t) => {
  const { uid, token, password } = await newUser(admin)
  const change = (current: string) => ask('PUT', 'password', token, { ...both('a new password'), current })
  t.match(await change('not the password'), { status: 401, body: { name: 'LoginFailed' } })
  t.ok(await signs(uid, password), 'nothing changed')
  t.equal((await change(password)).status, 200)
  t.ok(await signs(uid, 'a new password'))
  t.match(
    (await users.audited('user.password'))
      .filter(({ target }) => target === uid)
      .map(({ outcome }) => outcome),
    ['refused', 'ok'],
  )
})

test('twenty wrong guesses at current at once close the doors of the account: the right one is refused too', async (t) => {
  const { token, password } = await newUser(admin)
  const change = (current: string) => ask('PUT', 'password', token, { ...both('a new password'), current })
  const guesses = await Promise.all(Array.from({ length: 20 }, (_, n) => change(`guess number ${n}`)))
  t.same([...new Set(guesses.map(({ status }) => status))], [401])
  t.match(await change(password), { status: 401, body: { name: 'LoginFailed' } }, 'the doors are closed')
})

test('auth.require_current_password makes current required: 400 CurrentPasswordRequired', async (t) => {
  const { uid, token, password } = await newUser(admin)
  users.deps.config.auth.require_current_password = true
  for (const path of ['password', `${uid}/password`])
    t.match(await ask('PUT', path, token, both('a new password')), {
      status: 400,
      body: { name: 'CurrentPasswordRequired' },
    })
  const byAdmin = await ask('PUT', `${uid}/password`, admin, both('a new password'))
  users.deps.config.auth.require_current_password = false
  t.equal(byAdmin.status, 200, 'an admin needs none for somebody else')
  t.notOk(await signs(uid, password))
})

test('a password change ends all other sessions of that user, on every pod; the own one stays', async (t) => {
  await using pod = await users.secondPod()
  const { uid, token, password } = await newUser(admin)
  const [other, elsewhere] = [await login(uid, password), await pod.login(uid, password)]
  t.equal((await ask('PUT', 'password', token, both('a new password'))).status, 200)
  t.ok(await alive(token))
  t.notOk(await alive(other))
  t.equal((await pod.request('GET', '/api/user/me', { token: elsewhere })).status, 401)
  await ask('PUT', `${uid}/password`, admin, both('given by the admin'))
  t.notOk(await alive(token), 'an admin’s change ends them all')
})

test('PUT /api/user/:uid/password of somebody else is 401 for who is no admin, of nobody 404', async (t) => {
  const { uid, password } = await newUser(admin)
  const stranger = await newUser(admin)
  t.match(await ask('PUT', `${uid}/password`, stranger.token, both('a new password')), {
    status: 401,
    body: { name: 'InsufficientPermission' },
  })
  t.match(await request('PUT', '/api/user/password', { body: both('a new password') }), {
    status: 401,
    body: { name: 'Unauthorized' },
  })
  t.match(await ask('PUT', 'nobody/password', admin, both('a new password')), {
    status: 404,
    body: { name: 'NotFound' },
  })
  t.match(await ask('PUT', `${uid}/password`, admin, { ...both('a new password'), current: 'x' }), {
    status: 400,
    body: { name: 'InvalidInput', message: /current/ },
  })
  t.ok(await signs(uid, password))
})

test('a locked account stays locked when an admin gives it a password', async (t) => {
  const { uid } = await newUser(admin)
  await ask('PUT', `${uid}/active`, admin, { active: false })
  t.equal((await ask('PUT', `${uid}/password`, admin, both('a new password'))).status, 200)
  t.equal((await read(uid)).isActive, false)
  t.notOk(await signs(uid, 'a new password'))
  t.notOk(await users.binds(uid, 'a new password'))
})

test('an impersonated session cannot change password, mail, mobile or keys', async (t) => {
  const { uid, password } = await newUser(admin)
  const origin = { address: '127.0.0.1', agent: 'test', impersonator: users.adminUid }
  const { token } = await users.deps.sessions.create({ uid, ...origin })
  const refused = { status: 401, body: { name: 'InsufficientPermission' } }
  t.match(await ask('PUT', 'password', token, both('a new password')), refused)
  t.match(await ask('PUT', `${uid}/password`, token, both('a new password')), refused)
  t.match(await ask('PUT', uid, token, { mail: 'taken-over@example.org' }), refused)
  t.match(await ask('PUT', uid, token, { mobile: '+15550131' }), refused)
  t.match(await ask('PUT', uid, token, { sshPublicKey: null }), refused)
  t.match(await ask('POST', 'key', token, { key: 'ssh-ed25519 x' }), refused)
  t.equal((await ask('PUT', uid, token, { sn: 'Other' })).status, 200)
  t.ok(await signs(uid, password))
  t.match((await users.audited('user.update')).at(-1), { actor: users.adminUid, target: uid })
})

test('no answer and no event of a password change holds a password', async (t) => {
  const { uid, token } = await newUser(admin)
  const secret = 'Canary-4711-password'
  const { text } = await ask('PUT', 'password', token, both(secret))
  t.notMatch(text, secret)
  t.notMatch((await ask('GET', uid, admin)).text, secret)
  await users.deps.audit.settled()
  t.notMatch(JSON.stringify(await users.deps.audit.read()), secret)
})
