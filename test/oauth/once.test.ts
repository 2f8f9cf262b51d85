import tap, { test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, codeFor, redeem, refresh, tokensFor, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

test('a code is good for 60 seconds', async (t) => {
  const client = await register()
  const { now } = Date
  const made = now()
  try {
    Date.now = () => made
    const [young, old] = [await codeFor(client, admin), await codeFor(client, admin)]
    Date.now = () => made + 57_000
    t.equal((await redeem(client, young)).status, 200)
    Date.now = () => made + 61_000
    t.match(await redeem(client, old), { status: 400, body: { error: 'invalid_grant' } })
  } finally {
    Date.now = now
  }
})

test('a second use of a code within 3 s is only refused, a later one also revokes the tokens of the first redemption', async (t) => {
  const client = await register()
  const code = await codeFor(client, admin)
  const { body } = await redeem(client, code)
  t.match(await redeem(client, code), { status: 400, body: { error: 'invalid_grant' } })
  t.equal((await userinfo(body.access_token)).status, 200)
  await pause(3100)
  t.match(await redeem(client, code), { status: 400, body: { error: 'invalid_grant' } })
  t.equal((await userinfo(body.access_token)).status, 401)
  t.match(await refresh(client, body.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
})

test('a refresh invalidates the old refresh token and returns a new one', async (t) => {
  const client = await register()
  const first = await tokensFor(client, admin)
  const second = await refresh(client, first.refresh_token)
  t.equal(second.status, 200)
  t.match(second.body, {
    access_token: uuid,
    refresh_token: uuid,
    token_type: 'Bearer',
    expires_in: 3600,
    id_token: String,
  })
  t.not(second.body.refresh_token, first.refresh_token)
  t.match(await refresh(client, first.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
  t.equal(
    (await refresh(client, second.body.refresh_token)).status,
    200,
    'within 3 s the old one is only refused',
  )
})

test('whoever refreshes in time goes on for as long as the session lives, and no longer', async (t) => {
  const client = await register({ token_lifetime: { refresh_token: 600 } })
  const { uid, token } = await newUser(admin)
  let { refresh_token } = await tokensFor(client, token)
  const { sessions, store } = service.deps
  const [session] = await sessions.list(uid)
  const { now } = Date
  try {
    for (const seconds of [500, 1000, 1500, 2000]) {
      // As if what was entered for the logout had ended with the first grant.
      if (seconds === 2000)
        await store.redis.del(store.keys.voidable('session-grants', session?.id as string))
      Date.now = () => now() + seconds * 1000
      const { status, body } = await refresh(client, refresh_token)
      t.equal(status, 200, `after ${seconds} s`)
      refresh_token = body.refresh_token
    }
  } finally {
    Date.now = now
  }
  await request('POST', '/api/auth/logout', { token })
  t.match(await refresh(client, refresh_token), { status: 400, body: { error: 'invalid_grant' } })
})

test('attack 25: a refresh token is good for its client only; its reuse after rotation revokes the family, also on another pod', async (t) => {
  const client = await register()
  const other = await register()
  const first = await tokensFor(client, admin)
  t.match(await refresh(other, first.refresh_token), { status: 400, body: { error: 'invalid_grant' } })
  const { body: second } = await refresh(client, first.refresh_token)
  await pause(3100)
  const pod = await service.secondPod()
  t.match(await relyingParty(pod, admin).refresh(client, first.refresh_token), {
    status: 400,
    body: { error: 'invalid_grant' },
  })
  await pod[Symbol.asyncDispose]()
  t.equal((await refresh(client, second.refresh_token)).status, 400)
  t.equal((await userinfo(second.access_token)).status, 401)
})

test('a client may override both lifetimes through token_lifetime, and in part', async (t) => {
  const own = await register({ token_lifetime: { access_token: 60, refresh_token: 600 } })
  t.equal((await tokensFor(own, admin)).expires_in, 60)
  const part = await register({ token_lifetime: { refresh_token: 600 } })
  t.equal((await tokensFor(part, admin)).expires_in, 3600)
  const brief = await register({ token_lifetime: { access_token: 1, refresh_token: 1 } })
  const { access_token, refresh_token } = await tokensFor(brief, admin)
  await pause(2100)
  t.equal((await userinfo(access_token)).status, 401)
  t.equal((await refresh(brief, refresh_token)).status, 400)
})

test('POST /oauth/revoke ends a token of its own client only', async (t) => {
  const [client, other] = [await register(), await register()]
  const { access_token, refresh_token } = await tokensFor(client, admin)
  const revoke = ({ client_id, client_secret }: typeof client) =>
    request('POST', '/oauth/revoke', { body: { token: refresh_token, client_id, client_secret } })
  await revoke(other)
  t.equal((await userinfo(access_token)).status, 200)
  t.equal((await revoke(client)).status, 200)
  t.equal((await userinfo(access_token)).status, 401)
  t.equal((await refresh(client, refresh_token)).status, 400)
})
