import { generateKeyPairSync } from 'node:crypto'
import { errors, interactionPolicy } from 'oidc-provider'
import internals from 'oidc-provider/lib/helpers/weak_cache.js'
import { test } from 'tap'
import { answerOf, requestOf } from '#src/oauth/in-process.ts'
import { knowScopes } from '#src/oauth/seams.ts'
import { headerOf } from '#test/support/oauth.ts'
import { ask, bare, codeOf, post, redirect_uri, replace, signedIn } from './bare-provider.ts'

// Each test shows that the library, as it is, goes through the place where src/oauth/seams.ts takes hold of it.

test('the library compares client secrets through Client.prototype.compareClientSecret', async (t) => {
  const { provider } = bare()
  const code = await codeOf(provider)
  const seen: unknown[] = []
  replace(provider.Client.prototype, 'compareClientSecret', () => (actual: unknown) => {
    seen.push(actual)
    return false
  })
  const { status } = await post(provider, code)
  t.equal(status, 401)
  t.same(seen, ['the secret'])
})

test('the library matches redirect URIs through Client.prototype, and shows no error there', async (t) => {
  const { provider } = bare()
  const query = (uri: string) =>
    new URLSearchParams({ response_type: 'code', client_id: 'c', redirect_uri: uri, scope: 'openid' })
  t.equal((await ask(provider, `/auth?${query('https://other.example/')}`)).status, 400)
  replace(
    provider.Client.prototype,
    'redirectUriAllowed',
    () => (uri: string) => uri === 'https://other.example/',
  )
  t.equal((await ask(provider, `/auth?${query('https://other.example/')}`)).status, 303)
  t.equal((await ask(provider, `/auth?${query(redirect_uri)}`)).status, 400)
  replace(provider.Client.prototype, 'postLogoutRedirectUriAllowed', () => () => false)
  const logout = new URLSearchParams({ client_id: 'c', post_logout_redirect_uri: redirect_uri })
  t.equal((await ask(provider, `/session/end?${logout}`)).status, 400)
})

test('ids of codes and tokens come from generateTokenId, which decides the format of an access token', async (t) => {
  const { provider } = bare()
  for (const model of [provider.AuthorizationCode, provider.RefreshToken])
    replace(model.prototype, 'generateTokenId', () => () => `id of ${model.name}`)
  replace(
    provider.AccessToken.prototype,
    'generateTokenId',
    (original) =>
      function (this: { format?: string }) {
        original.call(this as never)
        return `${this.format} id`
      },
  )
  const code = await codeOf(provider)
  t.equal(code.code, 'id of AuthorizationCode')
  t.match(JSON.parse((await post(provider, code)).body), {
    access_token: 'opaque id',
    refresh_token: 'id of RefreshToken',
  })
})

test('a token of client credentials is made by its handler from params.scope, and its id decides the format', async (t) => {
  const { provider } = bare({
    features: { devInteractions: { enabled: false }, clientCredentials: { enabled: true } },
    clientDefaults: { grant_types: ['authorization_code', 'refresh_token', 'client_credentials'] },
    scopes: ['printing', 'scanning'],
  })
  const { grantTypeHandlers } = internals(provider)
  const give = grantTypeHandlers.get('client_credentials')
  t.type(give, 'function')
  grantTypeHandlers.set('client_credentials', async (ctx) => {
    Object.assign(ctx.oidc.params ?? {}, { scope: 'scanning' })
    await give?.(ctx)
  })
  replace(
    provider.ClientCredentials.prototype,
    'generateTokenId',
    (original) =>
      function (this: { format?: string }) {
        original.call(this as never)
        return `${this.format} id`
      },
  )
  const { body } = await post(provider, { grant_type: 'client_credentials', scope: 'printing' })
  t.match(JSON.parse(body), { access_token: 'opaque id', scope: 'scanning' })
})

test('response modes are functions in a Map, called with where to and what; form_post is one, as is query', async (t) => {
  const { provider } = bare()
  const { responseModes } = internals(provider)
  const query = responseModes.get('query')
  t.type(query, 'function')
  t.type(responseModes.get('form_post'), 'function')
  t.type(internals(provider).configuration.renderError, 'function')
  const seen: unknown[] = []
  responseModes.set('form_post', (ctx, uri, answer) => {
    seen.push(uri, answer)
    query?.(ctx, uri, answer)
  })
  const asked = { response_type: 'code', client_id: 'c', redirect_uri, scope: 'openid', prompt: 'none' }
  const { status, location } = await ask(
    provider,
    `/auth?${new URLSearchParams({ ...asked, state: 's', response_mode: 'form_post' })}`,
  )
  t.match(seen, [redirect_uri, { error: 'login_required', state: 's', iss: 'http://127.0.0.1:9' }])
  t.equal(status, 303)
  t.match(location, `${redirect_uri}?error=login_required`, 'query as we call it redirects')
})

test('the library looks clients up through the static Client.find', async (t) => {
  const { provider } = bare()
  const seen: unknown[] = []
  replace(provider.Client, 'find', (original) => (...all: never[]) => {
    seen.push(...all)
    return original.call(provider.Client, ...all)
  })
  await post(provider, await codeOf(provider))
  t.ok(seen.includes('c'))
})

test('scopes a provider knows are a Set it reads at each request', async (t) => {
  const { provider } = bare()
  t.ok(internals(provider).configuration.scopes instanceof Set)
  const cookie = await signedIn(provider)
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'c',
    redirect_uri,
    scope: 'printing openid',
  })
  const asked = async () => {
    const { location } = await ask(provider, `/auth?${query}`, cookie)
    const interaction = await provider.Interaction.find(String(location).split('/').pop() ?? '')
    return interaction?.params.scope
  }
  t.equal(await asked(), 'openid')
  knowScopes(provider, ['printing'])
  t.equal(await asked(), 'printing openid')
})

test('a session changes its id by resetIdentifier, and save destroys oldId first', async (t) => {
  const { provider, records } = bare()
  await signedIn(provider)
  const session = (await provider.Session.find('token')) as unknown as {
    oldId?: string
    id: string
    resetIdentifier(): void
    save(ttl: number): Promise<string>
  }
  session.resetIdentifier()
  t.equal(session.oldId, 'token')
  t.not(session.id, 'token')
  delete session.oldId
  await session.save(60)
  t.ok(records.has('Session token'), 'without oldId nothing is destroyed')
  for (const name of ['resetIdentifier', 'save']) t.ok(Object.hasOwn(provider.Session.prototype, name), name)
})

test('claims of ID token and userinfo come from Claims.prototype.result, with all that claims() said', async (t) => {
  const { provider } = bare({
    findAccount: async (_ctx, accountId) => ({
      accountId,
      claims: async () => ({ sub: accountId, hidden: 'H' }),
    }),
  })
  const { prototype } = (provider as unknown as { Claims: { prototype: object } }).Claims
  replace(
    prototype,
    'result',
    (original) =>
      async function (this: { available: Record<string, unknown> }) {
        const claims = (await original.call(this as never)) as Record<string, unknown>
        return { ...claims, sub: this.available.hidden }
      },
  )
  const { id_token, access_token } = JSON.parse((await post(provider, await codeOf(provider))).body)
  const payload = JSON.parse(Buffer.from(id_token.split('.')[1], 'base64url').toString())
  t.equal(payload.sub, 'H')
  t.notOk('hidden' in payload, 'what no scope names is not told')
  const headers = { host: '127.0.0.1:9', authorization: `Bearer ${access_token}` }
  const { body } = await answerOf(provider.callback(), requestOf({ method: 'GET', url: '/me', headers }))
  t.equal(JSON.parse(body).sub, 'H')
})

test('an adapter’s consume() that throws InvalidGrant is a clean 400, before any token exists', async (t) => {
  const { provider, records } = bare()
  const code = await codeOf(provider)
  provider.AuthorizationCode.prototype.consume = async () => {
    throw new errors.InvalidGrant('already used')
  }
  const { status, body } = await post(provider, code)
  t.equal(status, 400)
  t.match(JSON.parse(body), { error: 'invalid_grant' })
  t.notOk([...records.keys()].some((key) => key.startsWith('AccessToken')))
})

test('the policy has the checks that src/oauth/policy.ts changes', async (t) => {
  const prompts = interactionPolicy.base()
  t.same(
    prompts.map(({ name }) => name),
    ['login', 'consent'],
  )
  t.ok(prompts.get('login')?.checks.get('id_token_hint'))
  for (const reason of ['native_client_prompt', 'consent_prompt'])
    t.ok(prompts.get('consent')?.checks.get(reason), reason)
})

test('of several keys for an algorithm the library signs with the first, and takes hints of any', async (t) => {
  const keys = [1, 2].map(() => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' } as never
  })
  const tokenOf = async ({ provider }: ReturnType<typeof bare>) => {
    const { body } = await post(provider, await codeOf(provider))
    return (JSON.parse(body) as { id_token: string }).id_token
  }
  const kidsOf = async ({ provider }: ReturnType<typeof bare>) =>
    (JSON.parse((await ask(provider, '/jwks')).body) as { keys: { kid: string }[] }).keys.map(
      ({ kid }) => kid,
    )
  const [ahead, turned] = [bare({ jwks: { keys } }), bare({ jwks: { keys: keys.toReversed() } })]
  const kids = await kidsOf(ahead)
  t.equal(headerOf(await tokenOf(ahead)).kid, kids[0])
  t.same(await kidsOf(turned), kids.toReversed(), 'a kid is of the key, not of its place')
  const { provider } = turned
  const client = await provider.Client.find('c')
  const { validate } = provider.IdToken as unknown as {
    validate(jwt: string, client: unknown): Promise<{ header: { kid: string } }>
  }
  t.equal((await validate(await tokenOf(ahead), client)).header.kid, kids[0])
})
