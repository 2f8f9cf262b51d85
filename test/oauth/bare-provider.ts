import { generateKeyPairSync } from 'node:crypto'
import type { Adapter, AdapterPayload, Configuration } from 'oidc-provider'
import { Provider } from 'oidc-provider'
import { answerOf, requestOf } from '#src/oauth/in-process.ts'
import { pkce } from '#test/support/oauth.ts'

const issuer = 'http://127.0.0.1:9'
export const redirect_uri = 'https://app.example/cb'
const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** The library with nothing of ours, over records in memory. */
export function bare(changes: Configuration = {}) {
  const records = new Map<string, AdapterPayload>()
  const adapter = (model: string): Adapter => ({
    upsert: async (id, payload) => void records.set(`${model} ${id}`, payload),
    find: async (id) => records.get(`${model} ${id}`),
    findByUid: async (uid) => [...records.values()].find((record) => record.uid === uid),
    findByUserCode: async () => undefined,
    consume: async (id) => void Object.assign(records.get(`${model} ${id}`) ?? {}, { consumed: 1 }),
    destroy: async (id) => void records.delete(`${model} ${id}`),
    revokeByGrantId: async () => {},
  })
  const provider = new Provider(issuer, {
    adapter,
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig' } as never] },
    clients: [
      {
        client_id: 'c',
        client_secret: 'the secret',
        redirect_uris: [redirect_uri],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
    findAccount: async (_ctx, accountId) => ({ accountId, claims: async () => ({ sub: accountId }) }),
    cookies: { keys: [] },
    pkce: { required: () => false },
    issueRefreshToken: async () => true,
    ...changes,
  })
  return { provider, records }
}

export function ask(provider: Provider, url: string, cookie = '') {
  return answerOf(
    provider.callback(),
    requestOf({ method: 'GET', url, headers: { host: '127.0.0.1:9', cookie } }),
  )
}

export function post(provider: Provider, fields: Record<string, string>, url = '/token') {
  const headers = {
    host: '127.0.0.1:9',
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${btoa('c:the secret')}`,
  }
  const body = new URLSearchParams(fields).toString()
  const length = { 'content-length': String(body.length) }
  return answerOf(
    provider.callback(),
    requestOf({ method: 'POST', url, headers: { ...headers, ...length }, body }),
  )
}

/** A code of somebody signed in, and what redeems it. */
export async function codeOf(provider: Provider, scope = 'openid') {
  const grant = new provider.Grant({ accountId: 'somebody', clientId: 'c' })
  grant.addOIDCScope(scope)
  const grantId = await grant.save()
  const { code_verifier, code_challenge } = pkce()
  const code = new provider.AuthorizationCode({
    ...{ accountId: 'somebody', grantId, scope, redirectUri: redirect_uri, codeChallenge: code_challenge },
    ...{ codeChallengeMethod: 'S256', client: await provider.Client.find('c'), gty: 'authorization_code' },
  } as never)
  return { grant_type: 'authorization_code', code: await code.save(), redirect_uri, code_verifier }
}

/** The cookie of somebody signed in. */
export async function signedIn(provider: Provider): Promise<string> {
  const session = new (provider.Session as unknown as new (of: object) => object)({
    jti: 'token',
    uid: 'session',
    accountId: 'somebody',
    loginTs: 1,
  })
  await (session as unknown as { save(ttl: number): Promise<string> }).save(3600)
  return '_session=token'
}

/** Puts something in the place of a function of the library, which must have it. */
export function replace<T extends object>(
  target: T,
  name: string,
  make: (original: (...all: never[]) => unknown) => unknown,
) {
  const original = (target as Record<string, unknown>)[name]
  if (typeof original !== 'function') throw new Error(`the library has no ${name} any more`)
  Object.defineProperty(target, name, { value: make(original as never), configurable: true, writable: true })
}
