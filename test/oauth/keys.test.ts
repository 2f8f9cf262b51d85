import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import tap, { test } from 'tap'
import { headerOf, payloadOf, relyingParty, verifies } from '#test/support/oauth.ts'
import { everywhere, keysIn } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

// A key signs for 6 seconds, is published 3 before, and kept for 8.
const service = await startTestService({
  app_oauth__keys__period_seconds: '6',
  app_oauth__keys__prepublish_seconds: '3',
  app_oauth__keys__retain_seconds: '8',
  app_oauth__token_lifetime__access_token: '8',
  app_auth__session_absolute_seconds: '8',
})
tap.teardown(() => service[Symbol.asyncDispose]())
const { redis } = service.deps.store
const [hash = ''] = await keysIn(redis, '*:signing-keys:*')

type Pod = Pick<typeof service, 'request' | 'login' | 'url'>
type Jwk = Record<string, string>
const { uid, password } = service.admin
const jwksOf = async ({ request }: Pod) => (await request<{ keys: Jwk[] }>('GET', '/oauth/jwks')).body.keys
const kids = (keys: Jwk[], alg = 'RS256') => keys.filter((key) => key.alg === alg).map(({ kid }) => kid)
const rp = relyingParty(service, await service.login(uid, password))
const clients = await Promise.all(
  ['RS256', 'ES256', 'EdDSA'].map((id_token_signed_response_alg) =>
    rp.register({ id_token_signed_response_alg }),
  ),
)
const [client] = clients as [(typeof clients)[0]]
const lasting = await rp.register({ token_lifetime: { access_token: 60 } })
/** An ID token given by a pod just now. */
async function idToken(pod: Pod, to = client): Promise<string> {
  return (await relyingParty(pod, '').tokensFor(to, await pod.login(uid, password))).id_token
}

test('keys rotate with published overlap: no pod signs with a key that applications could not know, and what was signed before verifies', async (t) => {
  await using pod = await service.secondPod()
  const pods = [service, pod]
  const signed = async () => {
    const known = kids(await jwksOf(service))
    const tokens = await Promise.all(clients.map((each) => idToken(service, each)))
    return { known, tokens, signing: tokens.map((token) => String(headerOf(token).kid)) }
  }
  // What one set of keys signed, and an application's copy of the JWKS, taken while they sign still and those that come
  // after them are published on both pods.
  let last = await signed()
  const cached = await until('the next key is published by both pods', async () => {
    const [ours = [], theirs = []] = await Promise.all(pods.map(jwksOf))
    const stillSign = ['RS256', 'ES256', 'EdDSA'].every((alg, at) => kids(ours, alg)[0] === last.signing[at])
    if (!stillSign) last = await signed()
    const next = kids(ours).some((kid) => !last.known.includes(kid))
    return stillSign && next && kids(ours).join() === kids(theirs).join() && ours
  })
  const [oldest = ''] = (await redis.hkeys(hash)).sort()
  const { tokens: before, signing } = last
  for (const token of before) t.ok(verifies(token, cached))

  await until('both pods sign with another key', async () => {
    const now = await Promise.all(pods.map((each) => idToken(each)))
    for (const token of now) t.ok(verifies(token, cached), 'every key that signs was published before')
    return now.every((token) => headerOf(token).kid !== signing[0])
  })
  const after = await Promise.all(pods.flatMap((each) => clients.map((to) => idToken(each, to))))
  const used = after.map((token) => headerOf(token).kid)
  t.same(used.slice(0, 3), used.slice(3), 'the same on both pods')
  t.equal(new Set([...used, ...signing]).size, 6, 'each of the three algorithms has a new one')
  for (const each of pods) {
    const keys = await jwksOf(each)
    for (const token of [...before, ...after])
      t.ok(verifies(token, keys), 'tokens from before the change verify')
    t.equal(new Set(keys.map(({ kid }) => kid)).size, keys.length)
    const token = await each.login(uid, password)
    const { asked } = rp.asking(client, { id_token_hint: before[0], prompt: 'none' })
    await rp.allow(rp.asking(client).asked, token)
    t.match((await relyingParty(each, '').authorize(asked, token)).headers.get('location'), /code=/)
    const logout = new URLSearchParams({ id_token_hint: String(before[0]), client_id: client.client_id })
    const { status } = await each.request('GET', `/oauth/logout?${logout}`, { token })
    t.equal(status, 200, 'a token signed with the old key still serves as a hint at logout')
  }

  const old = String(signing[0])
  await until('the old key is gone from both pods', async () =>
    (await Promise.all(pods.map(jwksOf))).every((keys) => !kids(keys).includes(old)),
  )
  await until('it is deleted in Redis too', async () => !(await redis.hexists(hash, oldest)))
})

test('no ID token outlives the publication of the key that signed it', async (t) => {
  const { id_token, expires_in } = await rp.tokensFor(lasting, await service.login(uid, password))
  const { iat, exp } = payloadOf(id_token)
  t.same([expires_in, Number(exp) - Number(iat)], [60, 8])
})

test('the JWKS may be kept by caches for much less than the time a key is published before it signs', async (t) => {
  const { headers } = await service.request('GET', '/oauth/jwks')
  t.equal(headers.get('cache-control'), 'public, max-age=0')
  await using usual = await service.secondPod({
    app_oauth__keys__period_seconds: '7776000',
    app_oauth__keys__prepublish_seconds: '604800',
  })
  t.equal((await usual.request('GET', '/oauth/jwks')).headers.get('cache-control'), 'public, max-age=300')
})

test('a pod whose clock is wrong by a year publishes, signs and deletes as the others do: the clock is Redis’s', async (t) => {
  const environment = await service.environmentOfPod()
  const { PATH, NODE_COMPILE_CACHE } = process.env
  const wrong = `const now = Date.now; Date.now = () => now() + 365 * 86_400_000`
  const main = fileURLToPath(new URL('../../src/main.ts', import.meta.url))
  const child = spawn(
    process.execPath,
    ['--import', `data:text/javascript,${encodeURIComponent(wrong)}`, main],
    {
      env: { PATH, NODE_COMPILE_CACHE, ...environment },
    },
  )
  try {
    const url = `http://127.0.0.1:${environment.app_listen__port}`
    const theirs = async () => {
      const answer = await fetch(`${url}/oauth/jwks`).catch(() => undefined)
      return answer && ((await answer.json()) as { keys: Jwk[] }).keys
    }
    await until('it answers', theirs)
    const first = kids(await jwksOf(service))[0]
    await until('the key that signs changes, there as here', async () => {
      const [ours, their] = [kids(await jwksOf(service)), kids((await theirs()) ?? [])]
      return ours[0] !== first && ours[0] === their[0]
    })
    t.ok(verifies(await idToken(service), (await theirs()) ?? []))
  } finally {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
})

test('while Redis is away a pod goes on by the keys it knows', async (t) => {
  await using pod = await service.secondPod({ app_redis__timeout: '2000' })
  let before = kids(await jwksOf(pod))
  const next = await until('the next key has just been published', async () => {
    const found = kids(await jwksOf(pod))
    const added = found[0] === before[0] && found.find((kid) => !before.includes(kid))
    before = found
    return added
  })
  await everywhere(redis, 'CLIENT', 'PAUSE', '8000', 'ALL')
  const after = await until('the next key signs', async () => {
    const found = kids(await jwksOf(pod))
    return found[0] !== before[0] && found
  })
  t.equal(after[0], next)
  t.ok(after.includes(before[0] as string), 'the key before is kept')
  await until('Redis is back', () => service.login(uid, password).catch(() => undefined))
})

test('keys lost in Redis are made anew by the pods that run, the same on all; sessions and tokens go on', async (t) => {
  await using pod = await service.secondPod()
  const token = await service.login(uid, password)
  const { access_token, id_token } = await rp.tokensFor(client, token)
  const before = new Set(kids(await jwksOf(service)))
  await redis.del(hash)
  await until('both have the same new keys', async () => {
    const [ours = [], theirs = []] = await Promise.all([service, pod].map(jwksOf))
    const fresh = kids(ours).every((kid) => !before.has(kid))
    return fresh && ours[0]?.kid === theirs[0]?.kid
  })
  const keys = await jwksOf(pod)
  t.ok(verifies(await idToken(service), keys))
  t.notOk(verifies(id_token, keys), 'ID tokens from before are of an unknown key')
  t.equal((await rp.userinfo(access_token)).status, 200)
  t.equal((await service.request('GET', '/api/user/me', { token })).status, 200)
})

test('a changed signing secret voids sessions, auth-tokens, codes, access, refresh and ID tokens and the keys; clients survive', async (t) => {
  const token = await service.login(uid, password)
  const { id_token, access_token, refresh_token } = await rp.tokensFor(client, token)
  const code = await rp.codeFor(client, token)
  await using pod = await service.secondPod({ app_oauth__jwtSecret: randomBytes(40).toString('base64url') })
  const there = relyingParty(pod, '')
  const old = new Set(kids(await jwksOf(service)))
  const keys = await jwksOf(pod)
  t.notOk(kids(keys).some((kid) => old.has(kid)))
  t.notOk(verifies(id_token, keys))
  t.equal((await pod.request('GET', '/api/user/me', { token })).status, 401)
  t.match((await there.redeem(client, code)).body, { error: 'invalid_grant' })
  t.match((await there.refresh(client, refresh_token)).body, { error: 'invalid_grant' })
  t.equal((await there.userinfo(access_token)).status, 401)
  const page = await there.authorize(rp.asking(client).asked, token, 'text/html')
  t.match(page.headers.get('location'), /interaction/, 'the cookie is no session there')
  const fresh = await pod.login(uid, password)
  const { asked } = rp.asking(client, { id_token_hint: id_token, prompt: 'none' })
  t.match(
    (await there.authorize(asked, fresh)).text +
      (await there.authorize(asked, fresh)).headers.get('location'),
    /invalid_request/,
  )
  t.ok(verifies((await there.tokensFor(client, fresh)).id_token, keys), 'the client is still there')
})
