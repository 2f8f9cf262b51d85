import tap, { test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

type Shown = {
  id: string
  name: string
  scope: string
  created_on: number
  expires_at: number
  last_used_on: number | null
}
type Said = { results: Shown; token: string; name: string; message: string }

const service = await startTestService()
const other = await service.secondPod()
const { request, login, newUser, deps } = service
const admin = await login(service.admin.uid, service.admin.password)
tap.teardown(async () => {
  await other[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
const day = 86_400_000
const denied = { status: 401, body: { name: 'InsufficientPermission' } }
const unknown = { status: 401, body: { name: 'Unauthorized' } }
const asked = { name: 'backup', scope: 'write', expires_in_days: 30 }
const make = (token: string, fields: object = {}) =>
  request<Said>('POST', '/api/api-token', { token, body: { ...asked, ...fields } })
const tokenOf = async (session: string, scope = 'write') => (await make(session, { scope })).body.token
const list = async (token: string) =>
  (await request<{ results: Shown[] }>('GET', '/api/api-token', { token })).body.results
const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } })
const by = (token: string, method: string, path: string, body?: unknown, pod: typeof request = request) =>
  pod(method, path, { ...bearer(token), ...(body === undefined ? {} : { body }) })
const me = (token: string, pod: typeof request = request) => by(token, 'GET', '/api/user/me', undefined, pod)

test('POST /api/api-token answers results and the token this once; GET lists one’s own without it', async (t) => {
  const { token } = await newUser(admin)
  const began = Date.now()
  const made = await make(token)
  t.equal(made.status, 200)
  t.match(made.body.results, { name: 'backup', scope: 'write', last_used_on: null })
  t.ok(Math.abs(made.body.results.expires_at - began - 30 * day) < 60_000)
  t.match(made.body.token, /^lkp_[\w-]+\.[\w-]{43}$/)
  const { token: second } = (await make(token, { name: 'second', scope: 'read' })).body
  const listed = await request('GET', '/api/api-token', { token })
  t.match(await list(token), [{ name: 'second' }, { name: 'backup' }])
  for (const secret of [made.body.token, second])
    t.notOk(listed.text.includes(secret.split('.')[1] as string), 'never shown again')
  const stranger = await newUser(admin)
  t.same(await list(stranger.token), [], 'of others nothing is listed')
  const { id } = made.body.results
  t.match(await request('DELETE', `/api/api-token/${id}`, { token: stranger.token }), { status: 404 })
  t.equal((await me(made.body.token)).status, 200)
})

test('a token sent as Authorization: Bearer acts for its owner on every pod, beside a cookie too', async (t) => {
  const { uid, token: session } = await newUser(admin)
  const token = await tokenOf(session)
  for (const pod of [request, other.request]) t.match(await me(token, pod), { status: 200, body: { uid } })
  const stranger = await newUser(admin)
  const beside = { authorization: `Bearer ${token}`, cookie: `latchkey=${stranger.token}` }
  t.match(await request('GET', '/api/user/me', { headers: beside }), { body: { uid } })
  t.match(
    await request('GET', '/api/user/me', { ...bearer(token), token: stranger.token }),
    { body: { uid: stranger.uid } },
    'auth-token goes before it',
  )
  const dead = { authorization: 'Bearer lkp_x', cookie: `latchkey=${session}` }
  t.match(
    await request('GET', '/api/user/me', { headers: dead }),
    unknown,
    'and a wrong one before the cookie',
  )
})

test('what is no personal access token opens nothing: forged, of another owner’s name, or an access token of the provider', async (t) => {
  const [mine, theirs] = [await newUser(admin), await newUser(admin)]
  const token = await tokenOf(mine.token)
  const [name = '', secret = ''] = token.split('.')
  const otherName = `lkp_${Buffer.from(theirs.uid).toString('base64url')}`
  const forged = [`${otherName}.${secret}`, `${name}.${'x'.repeat(43)}`, name, `${name}.`, `lkp_.${secret}`]
  for (const each of [...forged, `lkp_${'x'.repeat(2000)}`, 'lkp_', `lkp_${'%'.repeat(9)}.é`.slice(0, 13)])
    t.match(await me(each), unknown, each.slice(0, 60))
  const { register, tokensFor } = relyingParty(service, admin)
  await request('PUT', `/api/group/app_sso_oauth_admin/${service.admin.uid}`, { token: admin })
  const { access_token } = await tokensFor(await register({ skip_consent: true }), mine.token)
  t.match(await me(access_token as string), unknown)
  const cookie = { authorization: `Bearer ${access_token}`, cookie: `latchkey=${theirs.token}` }
  t.match(await request('GET', '/api/user/me', { headers: cookie }), { body: { uid: theirs.uid } })
})

test('read means GET only; write means what the owner may', async (t) => {
  const { uid, token: session } = await newUser(admin)
  const [read, write] = [await tokenOf(session, 'read'), await tokenOf(session)]
  const change = { givenName: 'Changed' }
  t.equal((await me(read)).status, 200)
  t.equal((await by(read, 'HEAD', '/api/user/me')).status, 200)
  t.match(await by(read, 'PUT', `/api/user/${uid}`, change), denied)
  t.match(await by(read, 'DELETE', `/api/user/${uid}`), denied)
  t.equal((await by(write, 'PUT', `/api/user/${uid}`, change)).status, 200)
  t.match((await me(read)).body, change)
  t.match(await by(write, 'GET', '/api/user/'), denied, 'what the owner may not, the token may not')
  t.equal((await by(await tokenOf(admin, 'read'), 'GET', '/api/user/')).status, 200)
})

test('it makes no tokens, changes no password, mail, number or key, impersonates nobody and gives nobody an app_sso_ group', async (t) => {
  const { uid, token: session, password } = await newUser(admin)
  const victim = await newUser(admin)
  const [own, powerful] = [await tokenOf(session), await tokenOf(admin)]
  const next = { password: 'another password', confirm: 'another password' }
  const refused: [string, string, string, unknown?][] = [
    [own, 'POST', '/api/api-token', asked],
    [own, 'GET', '/api/api-token'],
    [own, 'PUT', '/api/user/password', next],
    [own, 'PUT', `/api/user/${uid}/password`, next],
    [own, 'PUT', `/api/user/${uid}`, { mail: 'thief@example.org' }],
    [own, 'PUT', `/api/user/${uid}`, { mobile: '+15550100' }],
    [own, 'PUT', `/api/user/${uid}`, { sshPublicKey: 'ssh-ed25519 AAAA' }],
    [own, 'POST', '/api/user/key', { key: 'ssh-ed25519 AAAA' }],
    [own, 'POST', '/api/user/accept-tos'],
    [own, 'DELETE', '/api/auth/session'],
    [powerful, 'PUT', `/api/user/${victim.uid}/password`, next],
    [powerful, 'PUT', `/api/user/${victim.uid}`, { mail: 'thief2@example.org' }],
    [powerful, 'POST', `/api/auth/impersonate/${victim.uid}`],
    [powerful, 'PUT', `/api/group/app_sso_admin/${victim.uid}`],
    [powerful, 'PUT', `/api/group/owner/app_sso_admin/${victim.uid}`],
    [powerful, 'POST', '/api/user/invite', { groups: ['app_sso_admin'] }],
    [powerful, 'GET', '/api/user/invite'],
    [powerful, 'GET', '/api/token/InviteToken'],
  ]
  for (const [token, method, path, body] of refused)
    t.match(await by(token, method, path, body), denied, `${method} ${path}`)
  await request('POST', '/api/group/', { token: admin, body: { name: 'nearly', description: '' } })
  t.match(await by(powerful, 'PUT', '/api/group/app_sso_invite/nested/nearly'), denied)
  await request('PUT', '/api/group/app_sso_invite/nested/nearly', { token: admin })
  t.match(await by(powerful, 'PUT', `/api/group/nearly/${victim.uid}`), denied, 'through nesting neither')
  t.ok(await login(uid, password))
  t.notMatch(await request('GET', `/api/user/${victim.uid}`, { token: admin }), {
    body: { results: { mail: /thief/ } },
  })
})

test('a name that was somebody’s is not made anew with a token', async (t) => {
  const gone = await newUser(admin)
  const powerful = await tokenOf(admin)
  const fields = { givenName: 'Another', sn: 'One', mail: gone.mail, password: 'known to the thief' }
  t.equal((await by(powerful, 'DELETE', `/api/user/${gone.uid}`)).status, 200)
  t.match(await by(powerful, 'POST', '/api/user/', { uid: gone.uid, ...fields }), denied)
  const made = await by(powerful, 'POST', '/api/user/', { uid: `${gone.uid}2`, ...fields })
  t.equal(made.status, 200, 'a new one is')
})

test('no page and no authorization takes a token for a session', async (t) => {
  const token = await tokenOf((await newUser(admin)).token)
  const html = { authorization: `Bearer ${token}`, accept: 'text/html' }
  const portal = await request('GET', '/login/steps', { headers: html })
  t.match([portal.status, portal.headers.get('location')], [303, /\/login$/])
  const { register, asking } = relyingParty(service, admin)
  const client = await register({ skip_consent: true })
  t.match(await by(token, 'POST', '/api/oauth/authorize', asking(client).asked), denied)
  t.equal((await by(token, 'POST', '/api/auth/logout')).status, 200)
  t.equal((await me(token)).status, 200, 'logout ends sessions')
})

test('an impersonated session makes no token', async (t) => {
  const { uid } = await newUser(admin)
  const { temp_password } = (
    await request<{ temp_password: string }>('POST', `/api/auth/impersonate/${uid}`, { token: admin })
  ).body
  t.match(await make(await login(uid, temp_password)), denied)
})

test('bad names, scopes and lifetimes are refused, and more than 20 at once, however many ask together', async (t) => {
  const { token } = await newUser(admin)
  const bad = [
    ...[
      { name: '' },
      { name: ' ' },
      { name: 'a\nb' },
      { name: 'x'.repeat(65) },
      { name: 7 },
      { scope: 'admin' },
    ],
    ...[{ expires_in_days: 0 }, { expires_in_days: 367 }, { expires_in_days: 1.5 }, { uid: 'admin' }],
  ]
  for (const fields of bad)
    t.match(
      await make(token, fields),
      { status: 400, body: { name: 'InvalidInput' } },
      JSON.stringify(fields),
    )
  t.match(await request('POST', '/api/api-token', { token, body: { name: 'x', scope: 'read' } }), {
    status: 400,
  })
  const made = await Promise.all(Array.from({ length: 30 }, () => make(token)))
  t.equal(made.filter(({ status }) => status === 200).length, 20)
  t.equal(made.filter(({ body }) => body.name === 'Conflict').length, 10)
  const [first] = await list(token)
  await request('DELETE', `/api/api-token/${first?.id}`, { token })
  t.equal((await make(token)).status, 200, 'one that has ended makes room')
})

test('DELETE /api/api-token/:id ends it at once on every pod', async (t) => {
  const { token: session } = await newUser(admin)
  const { token, results } = (await make(session)).body
  t.equal((await me(token, other.request)).status, 200)
  const ended = await request('DELETE', `/api/api-token/${results.id}`, { token: session })
  t.match(ended, { status: 200, body: { results: true } })
  for (const pod of [request, other.request]) t.match(await me(token, pod), unknown)
  t.match(await request('DELETE', `/api/api-token/${results.id}`, { token: session }), { status: 404 })
})

test('events name the owner and the token: who made it, what was done by it, who ended it', async (t) => {
  const { uid, token: session } = await newUser(admin)
  const { token, results } = (await make(session)).body
  const { id } = results
  await by(token, 'PUT', `/api/user/${uid}`, { givenName: 'Changed' })
  await request('DELETE', `/api/api-token/${id}`, { token: session })
  await deps.audit.settled()
  const { body } = await request<{ results: object[] }>('GET', `/api/audit?actor=${uid}`, { token: admin })
  t.match(body.results, [
    { action: 'api-token.revoke', detail: { id } },
    { action: 'user.update', api_token: id },
    { action: 'api-token.create', detail: { id, name: 'backup', scope: 'write' } },
  ])
})
