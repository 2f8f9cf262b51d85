import tap, { test } from 'tap'
import { hashed } from '#adapters/redis/keys.ts'
import type { Tokens } from '#test/support/oauth.ts'
import { form, headerOf, payloadOf, pkce, relyingParty } from '#test/support/oauth.ts'
import { everywhere, keysIn } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'

// A token request as most programs send it is answered by src/oauth/plain-token.ts, any other by the library (as JSON).
const service = await startTestService()
const { deps, request, login, newUser } = service
const { redis } = deps.store
const admin = await login(service.admin.uid, service.admin.password)
const { register, codeFor, token, redeem, refresh, tokensFor, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

const asJson = { asJson: true }
/** What is drawn or counted anew each time. */
const drawn = ['jti', 'iat', 'exp', 'iiat', 'grantId', 'auth_time', 'authTime']
const shape = (record: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(record)
      .filter(([, value]) => value !== undefined && value !== null)
      .map(([name, value]) => [name, drawn.includes(name) ? typeof value : value])
      .sort(),
  )
const accessRecord = async ({ access_token }: Tokens) =>
  JSON.parse((await redis.get(deps.store.keys.voidable('access-token', hashed(access_token)))) ?? '')
const refreshRecord = async ({ refresh_token }: Tokens) =>
  JSON.parse((await redis.hget(deps.store.keys.voidable('refresh-token', hashed(refresh_token)), 'p')) ?? '')

test('a plain request and the library give the same: answer, ID token, records and their ends', async (t) => {
  const { token: person, uid } = await newUser(admin)
  await request('POST', '/api/group/', { token: admin, body: { name: 'readers' } })
  await request('POST', '/api/group/readers/members', { token: admin, body: { uid } })
  for (const fields of [
    {},
    { id_token_signed_response_alg: 'ES256', token_lifetime: { access_token: 300 } },
  ]) {
    const client = await register(fields)
    const asked = { scope: 'openid profile email groups', nonce: 'n1' }
    const [own, theirs] = [await codeFor(client, person, asked), await codeFor(client, person, asked)]
    let pair: [Tokens, Tokens] = [
      (await redeem(client, own)).body,
      (await token(client, { grant_type: 'authorization_code', ...theirs }, asJson)).body,
    ]
    for (const turn of ['code', 'first refresh', 'second refresh']) {
      const [plain, library] = pair
      t.same(Object.keys(plain), Object.keys(library), turn)
      for (const name of ['scope', 'expires_in', 'token_type'] as const) t.equal(plain[name], library[name])
      t.same(shape(payloadOf(plain.id_token)), shape(payloadOf(library.id_token)))
      t.same(headerOf(plain.id_token), headerOf(library.id_token))
      t.same(shape(await accessRecord(plain)), shape(await accessRecord(library)))
      t.same(shape(await refreshRecord(plain)), shape(await refreshRecord(library)))
      for (const [family, name] of [
        ['access-token', 'access_token'],
        ['refresh-token', 'refresh_token'],
      ] as const) {
        const [one = 0, two = 0] = await Promise.all(
          pair.map(async (tokens) => {
            const ends = await redis.expiretime(deps.store.keys.voidable(family, hashed(tokens[name])))
            return ends - Number(payloadOf(tokens.id_token).iat)
          }),
        )
        t.ok(one > 0 && Math.abs(one - two) <= 2, `${family} live as long`)
      }
      t.same((await userinfo(plain.access_token)).body, (await userinfo(library.access_token)).body)
      const again = { grant_type: 'refresh_token', refresh_token: library.refresh_token }
      pair = [(await refresh(client, plain.refresh_token)).body, (await token(client, again, asJson)).body]
    }
  }
})

test('a client without the refresh grant gets none, and a public one needs no secret but its verifier', async (t) => {
  const once = await register({ grant_types: ['authorization_code'] })
  const without = await redeem(once, await codeFor(once, admin))
  t.match(without, { status: 200, body: { id_token: String } })
  t.notOk('refresh_token' in without.body)

  const open = { ...(await register({ public: true })), client_secret: undefined as unknown as string }
  const { refresh_token } = await tokensFor(open, admin)
  t.equal((await refresh(open, refresh_token)).status, 200)
  const { code_verifier: _, ...unproven } = await codeFor(open, admin)
  t.match(await redeem(open, unproven), { status: 400, body: { error: 'invalid_grant' } })
})

test('what does not fit its code or its client is refused and spends nothing', async (t) => {
  const [client, other] = [await register(), await register()]
  const code = await codeFor(client, admin)
  const wrong = { status: 400, body: { error: 'invalid_grant', name: 'InvalidInput' } }
  t.match(await redeem(client, { ...code, code_verifier: pkce().code_verifier }), wrong)
  t.match(await redeem(client, { ...code, redirect_uri: 'https://app.example/other' }), wrong)
  t.match(await redeem(other, code), wrong)
  t.match(await redeem({ ...client, client_secret: 'wrong' }, code), { status: 401 })
  const { body, status } = await redeem(client, code)
  t.equal(status, 200)
  t.match(await refresh(other, body.refresh_token), wrong)
  t.match(await refresh({ ...client, client_secret: 'wrong' }, body.refresh_token), { status: 401 })
  const twice = `${form({ grant_type: 'refresh_token', ...client, refresh_token: body.refresh_token }).body}`
  t.match(
    await request('POST', '/oauth/token', {
      ...form({}),
      body: `${twice}&refresh_token=${body.refresh_token}`,
    }),
    { status: 400, body: { error: 'invalid_request' } },
  )
  t.equal((await refresh(client, body.refresh_token)).status, 200)
})

test('a request that is answered with an error leaves its code and its refresh token usable', async (t) => {
  const client = await register()
  const code = await codeFor(client, admin)
  const refused = async (work: () => Promise<{ status: number; body: Record<string, unknown> }>) => {
    await everywhere(redis, 'ACL', 'SETUSER', 'default', '-set') // the access token cannot be written, all else can
    try {
      const { status, body } = await work()
      t.ok(status >= 500, String(status))
      t.match(body, { error: String, name: String, message: String })
    } finally {
      await everywhere(redis, 'ACL', 'SETUSER', 'default', '+set')
    }
  }
  await refused(() => redeem(client, code))
  const { status, body } = await redeem(client, code)
  t.equal(status, 200)
  await refused(() => refresh(client, body.refresh_token))
  t.equal((await refresh(client, body.refresh_token)).status, 200)
})

test('who comes too late leaves no token behind', async (t) => {
  const client = await register()
  const { refresh_token } = await tokensFor(client, admin)
  const count = async () => (await keysIn(redis, '*:refresh-token:*')).length
  const before = await count()
  const answers = await Promise.all(Array.from({ length: 10 }, () => refresh(client, refresh_token)))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.equal(await count(), before + 1, 'the old one, remembered, and the one of the winner')
})
