import type { JsonWebKey } from 'node:crypto'
import { createHash, createPublicKey, randomBytes, verify } from 'node:crypto'
import type { TestService } from './service.ts'

export type Registered = { client_id: string; client_secret: string; redirect_uri: string }
export type Tokens = {
  access_token: string
  refresh_token: string
  id_token: string
  token_type: string
  expires_in: number
  scope: string
}
type Fields = Record<string, unknown>
type Http = Pick<TestService, 'request'>

/** A code verifier and its challenge (RFC 7636). */
export function pkce() {
  const code_verifier = randomBytes(32).toString('base64url')
  const code_challenge = createHash('sha256').update(code_verifier).digest('base64url')
  return { code_verifier, code_challenge }
}

/** What a relying party does by hand, against a service and as the client that `adminToken` registers. */
export function relyingParty({ request }: Http, adminToken: string) {
  async function register(fields: Fields = {}): Promise<Registered> {
    const redirect_uri = 'https://app.example/cb'
    const { body, text } = await request('POST', '/api/oauth/client/', {
      token: adminToken,
      body: { name: 'Application', redirect_uris: [redirect_uri], ...fields },
    })
    const { client_id } = (body.results ?? {}) as { client_id?: string }
    if (!client_id) throw new Error(`registering a client: ${text}`)
    return { client_id, client_secret: String(body.client_secret), redirect_uri }
  }

  /** Parameters of an authorization request that is right in every way. */
  function asking({ client_id, redirect_uri }: Registered, changes: Fields = {}) {
    const { code_verifier, code_challenge } = pkce()
    const asked = {
      response_type: 'code',
      ...{ client_id, redirect_uri, code_challenge },
      code_challenge_method: 'S256',
      scope: 'openid profile email groups',
      state: randomBytes(8).toString('hex'),
      ...changes,
    }
    const known = Object.entries(asked).filter(([, value]) => value !== undefined)
    return { code_verifier, asked: Object.fromEntries(known) as Record<string, string> }
  }

  /** `GET /oauth/authorize`, as a program unless `accept` says otherwise. */
  const authorize = (asked: Record<string, string>, token?: string, accept = 'application/json') =>
    request<Fields>('GET', `/oauth/authorize?${new URLSearchParams(asked)}`, {
      ...(token ? { token } : {}),
      headers: { accept },
    })

  /** `POST /api/oauth/authorize`. */
  const allow = (asked: Fields, token: string) =>
    request<Fields>('POST', '/api/oauth/authorize', { token, body: asked })

  async function codeFor(client: Registered, token: string, changes: Fields = {}) {
    const { code_verifier, asked } = asking(client, changes)
    const { body, text } = await allow(asked, token)
    const code = body.redirect_url ? new URL(String(body.redirect_url)).searchParams.get('code') : null
    if (!code) throw new Error(`authorizing: ${text}`)
    return { code, code_verifier, redirect_uri: String(asked.redirect_uri) }
  }

  /** `POST /oauth/token` as a form with the secret in it; `asJson` as a program may send it too (interface). */
  const token = ({ client_id, client_secret }: Registered, body: Fields, { asJson = false } = {}) => {
    const fields = { client_id, client_secret, ...body }
    return request<Tokens & Fields>('POST', '/oauth/token', asJson ? { body: fields } : form(fields))
  }

  const redeem = (client: Registered, code: Fields) =>
    token(client, { grant_type: 'authorization_code', ...code })

  const refresh = (client: Registered, refresh_token: string, more: Fields = {}) =>
    token(client, { grant_type: 'refresh_token', refresh_token, ...more })

  async function tokensFor(client: Registered, userToken: string, changes: Fields = {}): Promise<Tokens> {
    const { status, body, text } = await redeem(client, await codeFor(client, userToken, changes))
    if (status !== 200) throw new Error(`redeeming: ${text}`)
    return body
  }

  const userinfo = (access_token: string) =>
    request<Fields>('GET', '/oauth/userinfo', { headers: { authorization: `Bearer ${access_token}` } })

  return { register, asking, authorize, allow, codeFor, token, redeem, refresh, tokensFor, userinfo }
}

/** Request options of a form; what is undefined is left out. */
export function form(fields: Fields) {
  const body = new URLSearchParams()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) body.set(name, String(value))
  return { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: body.toString() }
}

/** The payload of a JWT whose signature others verify. */
export function payloadOf(jwt: string): Record<string, unknown> {
  return JSON.parse(Buffer.from(jwt.split('.')[1] as string, 'base64url').toString())
}

/** The header of a JWT: which key signed it, and how. */
export function headerOf(jwt: string): { kid: string; alg: 'RS256' | 'ES256' | 'EdDSA' } {
  return JSON.parse(Buffer.from(jwt.split('.')[0] as string, 'base64url').toString())
}

/** Whether one of the keys, as an application has them from the JWKS, verifies the signature of a JWT. */
export function verifies(jwt: string, keys: Record<string, string>[]): boolean {
  const { kid, alg } = headerOf(jwt)
  const jwk = keys.find((key) => key.kid === kid && key.alg === alg)
  if (!jwk) return false
  const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' })
  const [signed = '', signature = ''] = [jwt.slice(0, jwt.lastIndexOf('.')), jwt.split('.')[2]]
  return verify(
    alg === 'EdDSA' ? null : 'sha256',
    Buffer.from(signed),
    { key, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  )
}
