/** As seams.ts, for ID tokens of our own making; test/oauth/plain-token and test/logout/seams fail when the library changes under it. */
import { randomUUID } from 'node:crypto'
import type { Client, Provider } from 'oidc-provider'
import { subjectClaim } from './claims.ts'

type OwnIdToken = {
  mask: object
  scope: string
  set(claim: string, value: unknown): void
  payload(): Promise<Record<string, unknown>>
  issue(how: { use: 'logout' | 'idtoken' }): Promise<string>
}

function newIdToken(provider: Provider, client: Client, claims: object): OwnIdToken {
  const IdToken = provider.IdToken as unknown as new (claims: object, to: object) => OwnIdToken
  return new IdToken(claims, { client, ctx: undefined })
}

/** A logout token (OpenID Connect Back-Channel Logout section 2.4), signed as the client's ID tokens are. */
export function logoutToken(provider: Provider, client: Client, { sub, sid }: { sub?: string; sid: string }) {
  const token = newIdToken(provider, client, sub === undefined ? {} : { sub })
  token.mask = { sub: null }
  token.set('events', { 'http://schemas.openid.net/event/backchannel-logout': {} })
  token.set('jti', randomUUID())
  token.set('sid', sid)
  return token.issue({ use: 'logout' })
}

/** What an ID token says of somebody; what each has of its own (times, nonce, sid, hashes) is not in it. */
export async function idTokenClaims(
  provider: Provider,
  client: Client,
  { claims, scope }: { claims: Record<string, unknown>; scope: string },
): Promise<Record<string, unknown>> {
  const token = newIdToken(provider, client, { ...claims, sub: claims[subjectClaim] })
  token.scope = scope
  token.mask = {}
  return { ...(await token.payload()), iss: provider.issuer, aud: client.clientId }
}

type Source = { acr?: unknown; amr?: unknown; authTime?: unknown; nonce?: unknown; sid?: unknown }

/** An ID token as the token endpoint gives it, for a code or refresh token that asked for no claims by name. */
export function issueIdToken(
  provider: Provider,
  client: Client,
  { claims, scope, source }: { claims: Record<string, unknown>; scope: string; source: Source },
): Promise<string> {
  const { acr, amr, authTime: auth_time, nonce, sid } = source
  const token = newIdToken(provider, client, { ...claims, sub: claims[subjectClaim], acr, amr, auth_time })
  token.scope = scope
  token.mask = {}
  token.set('nonce', nonce)
  token.set('sid', sid)
  return token.issue({ use: 'idtoken' })
}
