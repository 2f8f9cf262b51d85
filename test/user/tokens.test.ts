import { test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { startUserTests } from './support.ts'

const users = await startUserTests()
const { admin, ask, newUser, request } = users
const party = relyingParty(users, admin)
const client = await party.register({ scopes: ['openid', 'profile', 'email', 'offline_access'] })

/** A person with what an application got for them: an access and a refresh token, and a code not yet redeemed. */
async function signedInPerson(scope = 'openid profile') {
  const person = await newUser(admin)
  const tokens = await party.tokensFor(client, person.token, { scope, prompt: 'consent' })
  const code = await party.codeFor(client, person.token)
  return { ...person, ...tokens, code }
}
type Person = Awaited<ReturnType<typeof signedInPerson>>

const userinfo = ({ access_token }: Person) => party.userinfo(access_token)

const endings: [what: string, act: (person: Person) => Promise<{ status: number }>][] = [
  ['deactivation', ({ uid }) => ask('PUT', `${uid}/active`, admin, { active: false })],
  ['deletion', ({ uid }) => ask('DELETE', uid, admin)],
  [
    'a password given by an admin',
    ({ uid }) =>
      ask('PUT', `${uid}/password`, admin, { password: 'a new password', confirm: 'a new password' }),
  ],
]
for (const [what, act] of endings)
  for (const scope of ['openid profile', 'openid profile offline_access'])
    test(`${what} ends refresh and access tokens and codes of the user at once (${scope})`, async (t) => {
      const person = await signedInPerson(scope)
      t.equal((await userinfo(person)).status, 200)
      t.equal((await act(person)).status, 200)
      t.equal((await userinfo(person)).status, 401)
      t.match((await party.refresh(client, person.refresh_token)).body, { error: 'invalid_grant' })
      t.match((await party.redeem(client, { ...person.code })).body, { error: 'invalid_grant' })
      t.equal((await request('GET', '/api/user/me', { token: person.token })).status, 401)
    })

test('an unlocked account gets none of its old tokens back', async (t) => {
  const person = await signedInPerson()
  await ask('PUT', `${person.uid}/active`, admin, { active: false })
  await ask('PUT', `${person.uid}/active`, admin, { active: true })
  t.equal((await userinfo(person)).status, 401)
  t.match((await party.refresh(client, person.refresh_token)).body, { error: 'invalid_grant' })
})

test('an own password change ends refresh tokens too', async (t) => {
  const person = await signedInPerson()
  const changed = { password: 'a new password', confirm: 'a new password' }
  t.equal((await ask('PUT', 'password', person.token, changed)).status, 200)
  t.match((await party.refresh(client, person.refresh_token)).body, { error: 'invalid_grant' })
  t.equal(
    (await request('GET', '/api/user/me', { token: person.token })).status,
    200,
    'the session itself stays',
  )
})
