import tap, { test } from 'tap'
import { prover } from '#test/support/dpop.ts'
import type { Registered } from '#test/support/oauth.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { keysIn } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login, url } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, asking, allow, codeFor, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

type Body = Record<string, string>
const tokenUrl = `${url}/oauth/token`
const infoUrl = `${url}/oauth/userinfo`
const token = ({ client_id, client_secret }: Registered, fields: Record<string, unknown>, dpop?: string) =>
  request<Body>('POST', '/oauth/token', {
    body: { client_id, ...(client_secret === 'undefined' ? {} : { client_secret }), ...fields },
    headers: dpop === undefined ? {} : { dpop },
  })
const grant_type = 'authorization_code'
async function bound(client: Registered, key = prover()) {
  const code = await codeFor(client, admin)
  const { status, body, text } = await token(client, { grant_type, ...code }, key.proof('POST', tokenUrl))
  if (status !== 200) throw new Error(text)
  return { key, body }
}
const info = (access_token: string, dpop: string, method = 'GET') =>
  request<Body>(method, '/oauth/userinfo', { headers: { authorization: `DPoP ${access_token}`, dpop } })

test('a proof binds the access token: token_type DPoP, cnf at introspection, userinfo with a proof only', async (t) => {
  const client = await register()
  const { key, body } = await bound(client)
  t.equal(body.token_type, 'DPoP')
  const access_token = String(body.access_token)
  const { client_id, client_secret } = client
  const introspected = await request('POST', '/oauth/introspect', {
    body: { token: access_token, client_id, client_secret },
  })
  t.match(introspected.body, { active: true, token_type: 'DPoP', cnf: { jkt: key.jkt } })
  const ath = key.ath(access_token)
  for (const method of ['GET', 'POST'])
    t.match(await info(access_token, key.proof(method, infoUrl, { ath }), method), {
      status: 200,
      body: { sub: service.admin.uid },
    })
})

test('a bound token is refused as Bearer, and with a proof that is not for it', async (t) => {
  const { key, body } = await bound(await register())
  const access_token = String(body.access_token)
  const ath = key.ath(access_token)
  const asBearer = await userinfo(access_token)
  t.match(asBearer, { status: 401, body: { error: 'invalid_token', name: 'Unauthorized' } })
  t.match(asBearer.headers.get('www-authenticate'), /DPoP/)
  const wrong: [string, string][] = [
    ['another key', prover().proof('GET', infoUrl, { ath })],
    ['another method', key.proof('POST', infoUrl, { ath })],
    ['another address', key.proof('GET', tokenUrl, { ath })],
    ['another host', key.proof('GET', 'http://evil.example/oauth/userinfo', { ath })],
    ['another token', key.proof('GET', infoUrl, { ath: key.ath('other') })],
    ['no token', key.proof('GET', infoUrl)],
    ['no id', key.proof('GET', infoUrl, { ath, jti: undefined })],
    ['no proof', 'a.b.c'],
  ]
  for (const [name, proof] of wrong) {
    const { status, body: refusal } = await info(access_token, proof)
    t.ok([400, 401].includes(status), `${name}: ${status}`)
    t.match(refusal, { error: String, name: String, message: String }, name)
    t.notOk('sub' in refusal, name)
  }
  const header = { headers: { authorization: `DPoP ${access_token}` } }
  t.equal((await request('GET', '/oauth/userinfo', header)).status, 400, 'without a proof')
})

test('a token that is not bound takes no proof', async (t) => {
  const client = await register()
  const { body } = await token(client, { grant_type, ...(await codeFor(client, admin)) })
  const key = prover()
  const access_token = String(body.access_token)
  const proof = key.proof('GET', infoUrl, { ath: key.ath(access_token) })
  t.equal((await info(access_token, proof)).status, 401)
  const headers = { authorization: `Bearer ${access_token}`, dpop: proof }
  t.equal((await request('GET', '/oauth/userinfo', { headers })).status, 400, 'nor as Bearer')
})

test('of twenty uses of one proof at once exactly one is accepted, at userinfo and at the token endpoint', async (t) => {
  const client = await register({
    grant_types: ['authorization_code', 'client_credentials'],
  })
  const { key, body } = await bound(client)
  const access_token = String(body.access_token)
  const same = key.proof('GET', infoUrl, { ath: key.ath(access_token) })
  const read = await Promise.all(Array.from({ length: 20 }, () => info(access_token, same)))
  t.equal(read.filter(({ status }) => status === 200).length, 1)
  t.equal(read.filter(({ status }) => status >= 400 && status < 500).length, 19)
  const proof = key.proof('POST', tokenUrl)
  const given = await Promise.all(
    Array.from({ length: 20 }, () => token(client, { grant_type: 'client_credentials' }, proof)),
  )
  t.equal(given.filter(({ status }) => status === 200).length, 1)
  t.equal(given.filter(({ status }) => status === 400).length, 19)
  const { redis } = service.deps.store
  for (const seen of await keysIn(redis, '*dpop-proof*')) t.ok((await redis.ttl(seen)) > 0)
})

test('the refresh token of a public client is bound to its key', async (t) => {
  const redirect_uri = 'http://127.0.0.1/cb'
  const client = await register({ public: true, redirect_uris: [redirect_uri] })
  const { key, body } = await bound({ ...client, redirect_uri })
  const refresh = (dpop?: string) =>
    token(client, { grant_type: 'refresh_token', refresh_token: body.refresh_token }, dpop)
  t.equal((await refresh()).status, 400, 'without a proof')
  t.equal((await refresh(prover().proof('POST', tokenUrl))).status, 400, 'with another key')
  const next = await refresh(key.proof('POST', tokenUrl))
  t.match(next, { status: 200, body: { token_type: 'DPoP' } })
})

test('a code is bound by dpop_jkt, and by the proof of a pushed request', async (t) => {
  const client = await register()
  const key = prover()
  const { asked, code_verifier } = asking(client, { dpop_jkt: key.jkt })
  const redeem = async (request_: Record<string, string>, dpop?: string) => {
    const { body } = await allow(request_, admin)
    const code = new URL(String(body.redirect_url)).searchParams.get('code')
    return token(client, { grant_type, code, code_verifier, redirect_uri: client.redirect_uri }, dpop)
  }
  t.equal((await redeem(asked)).status, 400)
  t.equal((await redeem(asked, prover().proof('POST', tokenUrl))).status, 400)
  t.equal((await redeem(asked, key.proof('POST', tokenUrl))).status, 200)
  const { client_id, client_secret } = client
  const { dpop_jkt: _, ...plain } = asked
  const pushed = await request<Body>('POST', '/oauth/par', {
    body: { ...plain, client_id, client_secret },
    headers: { dpop: key.proof('POST', `${url}/oauth/par`) },
  })
  const request_uri = String(pushed.body.request_uri)
  t.equal((await redeem({ client_id, request_uri }, prover().proof('POST', tokenUrl))).status, 400)
})

test('who has no clock is given a nonce, which counts on every pod', async (t) => {
  const client = await register({ redirect_uris: [], grant_types: ['client_credentials'] })
  const key = prover()
  const stale = { iat: Math.floor(Date.now() / 1000) - 3600 }
  const first = await token(client, { grant_type: 'client_credentials' }, key.proof('POST', tokenUrl, stale))
  t.match(first, { status: 400, body: { error: 'use_dpop_nonce', name: 'InvalidInput' } })
  const nonce = first.headers.get('dpop-nonce') ?? ''
  t.match(nonce, /^[\w-]{43}$/)
  await using pod = await service.secondPod()
  const { client_id, client_secret } = client
  const again = await pod.request('POST', '/oauth/token', {
    body: { client_id, client_secret, grant_type: 'client_credentials' },
    headers: { dpop: key.proof('POST', tokenUrl, { ...stale, nonce }) },
  })
  t.match(again, { status: 200, body: { token_type: 'DPoP' } })
  const wrong = key.proof('POST', tokenUrl, { nonce: 'x'.repeat(43) })
  t.match(await token(client, { grant_type: 'client_credentials' }, wrong), {
    status: 400,
    body: { error: 'use_dpop_nonce' },
  })
})

test('pages of the client’s own origin may read DPoP-Nonce', async (t) => {
  const client = await register({ public: true })
  const { client_id } = client
  const origin = 'https://app.example'
  const key = prover()
  const stale = key.proof('POST', tokenUrl, { iat: 1 })
  const answer = await request('POST', '/oauth/token', {
    body: { client_id, grant_type, ...(await codeFor(client, admin)) },
    headers: { origin, dpop: stale },
  })
  t.equal(answer.status, 400)
  t.equal(answer.headers.get('access-control-allow-origin'), origin)
  t.match(answer.headers.get('access-control-expose-headers'), /DPoP-Nonce/i)
})
