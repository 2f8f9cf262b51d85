import tap, { test } from 'tap'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const other = await service.secondPod()
const { request, login, newUser, deps } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, asking, authorize, codeFor, redeem, refresh, tokensFor, userinfo } = relyingParty(
  service,
  admin,
)
const onOther = relyingParty(other, admin)
tap.teardown(async () => {
  await other[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
type Grants = { results: { client_id: string; [field: string]: unknown }[] }
const grants = async (token: string, pod = service) =>
  (await pod.request<Grants>('GET', '/api/oauth/grant', { token })).body.results
const revoke = (token: string, id: string, pod: Pick<typeof service, 'request'> = service) =>
  pod.request('DELETE', `/api/oauth/grant/${id}`, { token })
const introspect = async (client: { client_id: string; client_secret: string }, token: string) => {
  const { client_id, client_secret } = client
  return (await other.request('POST', '/oauth/introspect', { body: { client_id, client_secret, token } }))
    .body
}

test('GET /api/oauth/grant lists the applications one has allowed something or that hold tokens, by name', async (t) => {
  const { token, uid, password } = await newUser(admin)
  t.same(await grants(token), [])
  const logo_uri = 'https://app.example/logo.png'
  const wiki = await register({ name: 'Wiki', logo_uri })
  const chat = await register({ name: 'Chat', skip_consent: true })
  const began = Date.now() - 1000
  await tokensFor(wiki, token, { scope: 'openid email' })
  await tokensFor(wiki, await login(uid, password), { scope: 'openid groups' })
  const { asked, code_verifier } = asking(chat, { scope: 'openid' })
  const { headers } = await authorize(asked, token)
  const code = new URL(headers.get('location') as string).searchParams.get('code') as string
  t.equal((await redeem(chat, { code, code_verifier, redirect_uri: chat.redirect_uri })).status, 200)
  const [first, second, ...more] = await grants(token)
  t.match(first, { client_id: chat.client_id, name: 'Chat', scopes: ['openid'], last_used_on: Number })
  t.match(second, { client_id: wiki.client_id, name: 'Wiki', logo_uri, granted_on: Number })
  t.same([(second?.scopes as string[]) ?? []].flat().sort(), ['email', 'groups', 'openid'])
  t.ok((second?.granted_on as number) >= began && (second?.last_used_on as number) >= began)
  t.same(more, [])
  await request('POST', '/api/auth/logout', { token })
  const again = await login(uid, password)
  t.match(await grants(again), [{ name: 'Wiki' }], 'tokens of a session end with it, what was allowed stays')
  await request('DELETE', `/api/oauth/client/${wiki.client_id}`, { token: admin })
  t.same(await grants(again), [])
})

test('DELETE /api/oauth/grant/:client_id ends consent, codes, refresh and access tokens of that client at once on every pod', async (t) => {
  const { token, uid, password } = await newUser(admin)
  const [gone, kept] = [await register({ scopes: 'openid profile offline_access' }), await register()]
  const given = await tokensFor(gone, token, { scope: 'openid offline_access', prompt: 'consent' })
  const elsewhere = await tokensFor(gone, await login(uid, password), { scope: 'openid' })
  const others = await tokensFor(kept, token)
  const unspent = await codeFor(gone, token, { scope: 'openid' })
  t.equal((await introspect(gone, given.access_token)).active, true)
  t.match(await revoke(token, gone.client_id), { status: 200, body: { results: true, message: String } })
  for (const { access_token, refresh_token } of [given, elsewhere]) {
    t.equal((await onOther.userinfo(access_token)).status, 401)
    t.equal((await introspect(gone, access_token)).active, false)
    t.equal((await introspect(gone, refresh_token)).active, false)
    t.match(await onOther.refresh(gone, refresh_token), { status: 400, body: { error: 'invalid_grant' } })
  }
  t.match(await redeem(gone, unspent), { status: 400, body: { error: 'invalid_grant' } })
  t.equal((await onOther.userinfo(others.access_token)).status, 200, 'another application goes on')
  t.match(await grants(token), [{ client_id: kept.client_id }])
  const asksAgain = await authorize({ ...asking(gone, { scope: 'openid' }).asked, prompt: 'none' }, token)
  t.match(asksAgain.headers.get('location'), 'error=consent_required')
  await deps.audit.settled()
  const event = (await deps.audit.read()).findLast(({ action }) => action === 'grant.revoke')
  t.match(event, { actor: uid, target: gone.client_id, outcome: 'ok', detail: { uid, grants: 2 } })
})

test('DELETE /api/oauth/grant/:client_id is 404 for what is not there, and touches nobody else', async (t) => {
  const [mine, theirs] = [await newUser(admin), await newUser(admin)]
  const client = await register()
  const { access_token } = await tokensFor(client, theirs.token)
  for (const id of [client.client_id, 'nobody', `${client.client_id} openid`, '*'])
    t.match(await revoke(mine.token, encodeURIComponent(id)), { status: 404, body: { name: 'NotFound' } }, id)
  t.equal((await userinfo(access_token)).status, 200)
  t.equal((await revoke(theirs.token, client.client_id)).status, 200)
  t.equal((await revoke(theirs.token, client.client_id)).status, 404, 'a second time')
})

test('a refresh under way while the grant is revoked gives nothing that lives, in 20 of 20 rounds on two pods', async (t) => {
  const { token } = await newUser(admin)
  for (let round = 0; round < 20; round++) {
    const client = await register({ token_lifetime: { refresh_token: 100 } })
    const { refresh_token } = await tokensFor(client, token)
    // The refresh must move the end of its grant on, which saves the grant once more.
    const token_lifetime = { refresh_token: 100_000 }
    const path = `/api/oauth/client/${client.client_id}`
    await request('PUT', path, { token: admin, body: { token_lifetime } })
    const [refreshed, revoked] = await Promise.all([
      refresh(client, refresh_token),
      revoke(token, client.client_id, other),
    ])
    t.equal(revoked.status, 200)
    if (refreshed.status !== 200) {
      t.match(refreshed.body, { error: 'invalid_grant' })
      continue
    }
    t.equal((await userinfo(refreshed.body.access_token)).status, 401)
    t.equal((await refresh(client, refreshed.body.refresh_token)).status, 400)
  }
  t.same(await grants(token), [])
})

test('an authorization that remembered a consent which is withdrawn meanwhile gives a code that is worth nothing, and the next one asks', async (t) => {
  const { token, uid, password } = await newUser(admin)
  const client = await register()
  await tokensFor(client, token, { scope: 'openid' })
  const again = await login(uid, password)
  const { consents } = deps.store
  const { given } = consents
  const { asked, code_verifier } = asking(client, { scope: 'openid' })
  const silently = { ...asked, prompt: 'none' }
  consents.given = async (...all) => {
    const answer = await given(...all)
    consents.given = given
    await revoke(token, client.client_id)
    return answer
  }
  const code = new URL((await authorize(silently, again)).headers.get('location') ?? '').searchParams.get(
    'code',
  )
  const { redirect_uri } = client
  t.match(await redeem(client, { code: code as string, code_verifier, redirect_uri }), {
    status: 400,
    body: { error: 'invalid_grant' },
  })
  t.same(await grants(again), [])
  t.match((await authorize(silently, again)).headers.get('location'), 'error=consent_required')
})
