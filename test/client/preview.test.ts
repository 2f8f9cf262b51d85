import tap, { test } from 'tap'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { keysOfRequests } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login, newUser, deps } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, tokensFor, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())
type Found = Record<string, unknown> & { id_token: Record<string, unknown>; refusal: Record<string, unknown> }
const preview = (client_id: string, body: object) =>
  request<{ results: Found }>('POST', `/api/oauth/client/${client_id}/preview`, { token: admin, body })
const ofItsOwn = ['iat', 'exp', 'auth_time', 'nonce', 'sid', 'at_hash', 'amr']

test('POST /api/oauth/client/:client_id/preview answers the claims that the user then gets, and names dropped scopes', async (t) => {
  const { uid, token } = await newUser(admin)
  await request('POST', '/api/group/', { token: admin, body: { name: `team of ${uid}`, description: '' } })
  await request('PUT', `/api/group/team of ${uid}/${uid}`, { token: admin })
  for (const fields of [
    {},
    { groups_in_id_token: false },
    { groups_claim: ['nothing*'] },
    { scopes: 'openid email' },
  ]) {
    const client = await register(fields)
    const scope = 'openid profile email groups made-up'
    const { status, body } = await preview(client.client_id, { uid, scope })
    t.equal(status, 200)
    const given = await tokensFor(client, token, { scope })
    const claims = Object.entries(payloadOf(given.id_token)).filter(([name]) => !ofItsOwn.includes(name))
    t.same(body.results.id_token, Object.fromEntries(claims), JSON.stringify(fields))
    t.same(body.results.userinfo, (await userinfo(given.access_token)).body)
    t.same((body.results.scopes as string[]).sort(), given.scope.split(' ').sort())
    t.ok((body.results.dropped as string[]).includes('made-up'))
    t.equal(body.results.granted, true)
  }
})

test('a preview says why nothing is given: group needed, user locked, client invalid, no registered scope', async (t) => {
  const { uid } = await newUser(admin)
  const client = await register({ allowed_groups: ['app_sso_invite'] })
  t.match((await preview(client.client_id, { uid })).body.results, {
    granted: false,
    refusal: { name: 'GroupRequired', allowed_groups: ['app_sso_invite'] },
  })
  await request('PUT', `/api/group/app_sso_invite/${uid}`, { token: admin })
  t.match((await preview(client.client_id, { uid })).body.results, { granted: true, id_token: { sub: uid } })
  const none = (await preview(client.client_id, { uid, scope: 'one two' })).body.results
  t.match(none, { granted: false, dropped: ['one', 'two'], refusal: { name: 'invalid_scope' } })
  t.notOk(
    'userinfo' in (await preview(client.client_id, { uid, scope: 'profile' })).body.results,
    'without openid',
  )
  await request('PUT', `/api/user/${uid}/active`, { token: admin, body: { active: false } })
  const locked = (await preview(client.client_id, { uid })).body.results
  t.match(locked, { granted: false, refusal: { name: 'LoginFailed' } })
  t.notOk('id_token' in locked)
  await request('PUT', `/api/oauth/client/${client.client_id}`, { token: admin, body: { is_valid: false } })
  t.match((await preview(client.client_id, { uid })).body.results.refusal, { name: 'invalid_client' })
  t.equal((await preview('nobody', { uid })).status, 404)
  t.match(await preview(client.client_id, { uid: 'nobody' }), { status: 404, body: { name: 'NotFound' } })
})

test('a preview makes no token and stores nothing but its audit event', async (t) => {
  const { uid, token } = await newUser(admin)
  const { client_id } = await register()
  const kept = async () => (await keysOfRequests(deps.store.redis)).filter((key) => !/rate|limit/.test(key))
  const before = await kept()
  t.equal((await preview(client_id, { uid })).body.results.granted, true)
  t.same(await kept(), before)
  t.same((await request('GET', '/api/oauth/grant', { token })).body.results, [])
  await deps.audit.settled()
  t.match(
    (await deps.audit.read()).findLast(({ action }) => action === 'client.preview'),
    { target: client_id, outcome: 'ok', detail: { uid, granted: true } },
  )
})
