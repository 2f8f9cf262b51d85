import tap, { test } from 'tap'
import { deviceOf, peopleOf, personOf } from '#test/support/device.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login } = service
const admin = await login(service.admin.uid, service.admin.password)
const { refresh, userinfo } = relyingParty(service, admin)
const { poll, begun } = deviceOf(service)
const { person, device } = peopleOf(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

test('signing out ends what a device was given in the session, before and after it took its tokens', async (t) => {
  const client = await device({ scopes: 'openid offline_access' })
  const { token, allow } = await person()
  const [taken, untaken] = [
    await begun(client, { scope: 'openid' }),
    await begun(client, { scope: 'openid' }),
  ]
  for (const { user_code } of [taken, untaken]) await allow(user_code)
  const { body } = await poll(client, taken)
  await request('POST', '/api/auth/logout', { token })
  t.equal((await userinfo(String(body.access_token))).status, 401)
  t.equal((await refresh(client, String(body.refresh_token))).status, 400)
  t.match(await poll(client, untaken), { status: 400, body: { error: 'invalid_grant' } })
})

test('a device that is allowed while the session ends gets nothing', async (t) => {
  const client = await device()
  const { uid, token, allow } = await person()
  const asked = await begun(client)
  await allow(asked.user_code)
  const { sessions, store } = service.deps
  const [session] = await sessions.list(uid)
  // As if it had been allowed after the logout had looked for what was given in the session.
  t.equal(await store.redis.del(store.keys.voidable('session-grants', session?.id as string)), 1)
  await request('POST', '/api/auth/logout', { token })
  t.match(await poll(client, asked), { status: 400, body: { error: 'invalid_grant' } })
})

test('a device that was granted offline_access outlives the session it was allowed in', async (t) => {
  const client = await device({ scopes: 'openid offline_access' })
  const { token, allow } = await person()
  const asked = await begun(client, { scope: 'openid offline_access' })
  await allow(asked.user_code)
  const { body } = await poll(client, asked)
  t.equal(body.scope, 'openid offline_access')
  await request('POST', '/api/auth/logout', { token })
  t.equal((await refresh(client, String(body.refresh_token))).status, 200)
})

test('a locked account is refused where its device takes the tokens', async (t) => {
  const client = await device()
  const { uid, allow } = await person()
  const asked = await begun(client)
  await allow(asked.user_code)
  await request('PUT', `/api/user/${uid}/active`, { token: admin, body: { active: false } })
  t.match(await poll(client, asked), { status: 400, body: { error: 'invalid_grant' } })
})

test('who is in no allowed group sees which would do and who they are; the code waits for somebody who is', async (t) => {
  const client = await device({ allowed_groups: ['app_sso_invite'] })
  const { uid, password, enter, go, locationOf } = await person()
  const asked = await begun(client)
  const page = await enter(asked.user_code)
  t.equal(page.status, 403)
  for (const shown of ['app_sso_invite', uid, 'Television', 'GroupRequired']) t.match(page.text, shown)
  const return_to = /name="return_to" value="([^"]+)"/.exec(page.text)?.[1] as string
  t.equal(return_to, `/oauth/device?user_code=${asked.user_code}`)
  const out = locationOf(await go('POST', '/logout', { return_to }))
  t.equal(out, `/login?${new URLSearchParams({ return_to })}`)
  await go('POST', '/login', { uid, password, return_to })
  await request('PUT', `/api/group/app_sso_invite/${uid}`, { token: admin })
  t.match((await personOf({ go }).allow(asked.user_code)).text, 'Your device is connected')
  t.equal((await poll(client, asked)).status, 200)
})

test('metrics count the codes of devices, the audit log names who allowed or denied which client', async (t) => {
  const client = await device()
  const { uid, enter, answer } = await person()
  const asked = await begun(client)
  await answer(await enter(asked.user_code), asked.user_code)
  const { user_code } = await begun(client)
  await answer(await enter(user_code), user_code, 'abort')
  await enter('BBBB-BBBB')
  const metrics = await request('GET', '/metrics')
  for (const outcome of ['asked', 'allowed', 'denied', 'wrong'])
    t.match(metrics.text, new RegExp(`device_codes_total\\{outcome="${outcome}"\\} [1-9]`))
  await service.deps.audit.settled()
  const events = await service.deps.audit.read()
  t.match(
    events.filter(({ action, actor }) => action === 'device' && actor === uid),
    ['ok', 'refused'].map((outcome) => ({ target: client.client_id, outcome, address: String })),
  )
})
