import { test } from 'tap'
import { startInviteTests } from '#test/invite/support.ts'
import { delivered } from '#test/support/delivered.ts'
import { forged } from '#test/support/forged.ts'
import { linkIn } from '#test/support/messages.ts'

type Token = Record<string, unknown> & {
  token: string
  created_by: string
  created_on: number
  is_valid: boolean
}
type Said<R> = { name: string; message: string; results: R; next?: string }

const { admin, adminUid, deps, invite, messages, newUser, post, request, revoke } = await startInviteTests()
const asked = <R = Token[]>(path: string, token?: string) =>
  request<Said<R>>('GET', `/api/token/${path}`, token === undefined ? {} : { token })
const tokens = async (path: string, token = admin) => (await asked(path, token)).body.results

const inviter = await newUser(admin)
await request('PUT', `/api/group/app_sso_invite/${inviter.uid}`, { token: admin })
const [older, newer] = [
  (await invite({ mail: 'guest@example.org', groups: ['app_sso_invite'] })).body.token,
  (await invite({})).body.token,
]
const theirs = (await invite({}, inviter.token)).body.token
await revoke(older)

const person = await newUser(admin)
const other = await newUser(admin)
for (const { mail } of [person, other, person]) await post('resetpassword', { mail })
await delivered(deps)
const secret = linkIn((await messages.mailTo(person.mail)).text)
  .split('/')
  .at(-1) as string

test('GET /api/token/ lists exactly InviteToken and PasswordResetToken', async (t) => {
  t.same((await asked('', person.token)).body, { results: ['InviteToken', 'PasswordResetToken'] })
})

test('GET /api/token/InviteToken: all to an admin, newest first, with token, created_by, created_on and is_valid', async (t) => {
  const listed = await tokens('InviteToken')
  t.same(
    listed.map(({ token, created_by, is_valid }) => [token, created_by, is_valid]),
    [
      [theirs, inviter.uid, true],
      [newer, adminUid, true],
      [older, adminUid, false],
    ],
  )
  for (const each of listed)
    t.strictSame(Object.keys(each), ['token', 'created_by', 'created_on', 'is_valid'])
  t.type(listed[0]?.created_on, 'number')
})

test('?detail answers full objects, unless it is false or 0', async (t) => {
  const [, , first] = await tokens('InviteToken?detail')
  t.match(first, { token: older, mail: 'guest@example.org', groups: '["app_sso_invite"]', state: 'revoked' })
  t.type(first?.expires_at, 'number')
  for (const off of ['false', '0'])
    for (const each of await tokens(`InviteToken?detail=${off}`)) t.equal(each.groups, undefined)
})

test('a caller sees the records that the caller created and no other', async (t) => {
  t.same(
    (await tokens('InviteToken?detail=1', inviter.token)).map(({ token }) => token),
    [theirs],
  )
  t.same(await tokens('InviteToken', person.token), [])
  const own = await tokens('PasswordResetToken', person.token)
  t.equal(own.length, 2)
  for (const { created_by, is_valid } of own)
    t.match({ created_by, is_valid }, { created_by: person.uid, is_valid: true })
  t.same(await tokens('PasswordResetToken', inviter.token), [])
  const [hidden] = await tokens('PasswordResetToken', other.token)
  for (const path of [`InviteToken/${newer}`, `PasswordResetToken/${hidden?.token}`])
    t.match(await asked(path, person.token), { status: 404, body: { name: 'NotFound' } }, path)
})

test('a PasswordResetToken is shown by its public id, never by the secret that opens it', async (t) => {
  const listed = await asked('PasswordResetToken?detail', admin)
  t.equal(listed.body.results.length, 3)
  t.notOk(listed.text.includes(secret))
  for (const { token, created_by, created_on, expires_at } of listed.body.results) {
    t.equal(expires_at, created_on + 24 * 3_600_000)
    t.ok([person.uid, other.uid].includes(created_by))
    const password = 'a password of its own'
    const opened = await post(`resetpassword/${token}`, { password, confirm: password })
    t.match(opened, { status: 401, body: { name: 'TokenInvalid' } }, 'the id opens nothing')
  }
  t.match(await asked(`PasswordResetToken/${secret}`, admin), { status: 404 }, 'and the secret finds nothing')
})

test('GET /api/token/:name/:token answers one token record, to its creator and to admins', async (t) => {
  const readers = [admin, inviter.token]
  for (const reader of readers) {
    const { status, body } = await asked<Token>(`InviteToken/${theirs}`, reader)
    t.equal(status, 200)
    t.match(body.results, {
      token: theirs,
      created_by: inviter.uid,
      is_valid: true,
      groups: '[]',
      mail: null,
    })
  }
  const [own] = await tokens('PasswordResetToken', person.token)
  for (const reader of [admin, person.token])
    t.match((await asked<Token>(`PasswordResetToken/${own?.token}`, reader)).body.results, own as Token)
})

test('limit and cursor page both types', async (t) => {
  for (const name of ['InviteToken', 'PasswordResetToken']) {
    const paged: Token[] = []
    for (let query = '?limit=2'; ; ) {
      const { body } = await asked(`${name}${query}`, admin)
      t.ok(body.results.length <= 2)
      paged.push(...body.results)
      if (body.next === undefined) break
      query = `?limit=2&cursor=${body.next}`
    }
    t.same(paged, await tokens(name))
    const { next = '' } = (await asked(`${name}?limit=1`, admin)).body
    for (const query of [`?limit=1&cursor=${forged(next)}`, `?cursor=${next}`, `?limit=1&q=x&cursor=${next}`])
      t.match(await asked(`${name}${query}`, admin), { status: 400, body: { name: 'InvalidInput' } }, query)
    t.match(
      await asked(`${name}?limit=1&cursor=${next}`, inviter.token),
      { status: 400 },
      'good for its own list only',
    )
  }
})

test('an unknown type or token is 404, and every token endpoint requires authentication', async (t) => {
  for (const path of [
    'AuthToken',
    'invitetoken',
    'constructor',
    `InviteToken/${'x'.repeat(43)}`,
    'Nothing/x',
  ])
    t.match(await asked(path, admin), { status: 404, body: { name: 'NotFound' } }, path)
  for (const path of ['', 'InviteToken', `InviteToken/${theirs}`])
    t.match(await asked(path), { status: 401, body: { name: 'Unauthorized' } }, path)
})

test('a reset that was used is gone, with the others of its account', async (t) => {
  const password = 'a new password, long enough'
  t.equal((await post(`resetpassword/${secret}`, { password, confirm: password })).status, 200)
  t.same(
    (await tokens('PasswordResetToken')).map(({ created_by }) => created_by),
    [other.uid],
  )
})
