/**
 * Everything we rely on in oidc-provider that its documentation does not promise, in one place; test/oauth/seams.test.ts
 * fails when the library changes under it. The rest of src/oauth uses documented configuration only.
 */
import { createHash, randomUUID, timingSafeEqual } from 'node:crypto'
import type { Client, Session } from 'oidc-provider'
import { errors, Provider } from 'oidc-provider'
import internals from 'oidc-provider/lib/helpers/weak_cache.js'
import { subjectClaim } from './claims.ts'
import type { OurClient } from './clients.ts'
import { exchangeOf } from './exchange.ts'
import { answerByForm } from './form-post.ts'
import { narrowMachineScope } from './machine.ts'
import { onRegisteredOrigin, redirectUriMatches } from './redirect-uri.ts'

type Opaque = { format?: string; generateTokenId(): string }
type Rotating = Session & { oldId?: string; save(ttl: number): Promise<string> }
type FindClient = (id: unknown, route?: string) => Promise<Client | undefined>

export function installSeams(
  provider: Provider,
  findClient: (id: string, route?: string) => Promise<Client | undefined>,
): void {
  compareHashedSecrets(provider)
  matchRedirectUris(provider)
  giveTokensUuids(provider)
  findClientsThrough(provider, findClient)
  keepSessionsTokens(provider)
  nameSubjects(provider)
  nameSessions(provider)
  narrowMachineScopes(provider)
  answerClients(provider)
}

/** Secrets are kept as SHA-256; the maintainer's way to compare them (node-oidc-provider issue 631). */
function compareHashedSecrets(provider: Provider): void {
  const prototype = provider.Client.prototype as OurClient
  prototype.compareClientSecret = function (this: Client, actual: string) {
    const known = Buffer.from(this.clientSecret ?? '')
    const given = Buffer.from(hashSecret(actual))
    return known.length === given.length && timingSafeEqual(known, given)
  }
}

/** How a client secret is kept: it is 256 random bits, so one round of SHA-256 is enough (contract section 9). */
export function hashSecret(secret: string): string {
  return `sha256:${createHash('sha256').update(secret).digest('base64url')}`
}

/** Patterns, and logout targets where the client lists none (node-oidc-provider issue 249; contract section 9). */
function matchRedirectUris(provider: Provider): void {
  const prototype = provider.Client.prototype as OurClient
  prototype.redirectUriAllowed = function (this: OurClient, uri: string) {
    return redirectUriMatches(this.redirectUris ?? [], uri, { anyLoopbackPort: this.public })
  }
  prototype.postLogoutRedirectUriAllowed = function (this: OurClient, uri: string) {
    const listed = this.postLogoutRedirectUris ?? []
    return listed.length > 0 ? listed.includes(uri) : onRegisteredOrigin(this.redirectUris ?? [], uri)
  }
}

/** Codes and opaque tokens are version 4 UUIDs (interface, Tokens issued by the OAuth provider). */
function giveTokensUuids(provider: Provider): void {
  for (const model of [provider.AuthorizationCode, provider.RefreshToken])
    (model.prototype as unknown as Opaque).generateTokenId = () => randomUUID()
  for (const model of [provider.AccessToken, provider.ClientCredentials]) {
    const prototype = model.prototype as unknown as Opaque
    const original = prototype.generateTokenId
    prototype.generateTokenId = function (this: Opaque) {
      const id = original.call(this) // also decides this.format
      return this.format === 'opaque' ? randomUUID() : id
    }
  }
}

/** Clients come from our cache, without the library's hash of the metadata at every look. */
function findClientsThrough(
  provider: Provider,
  findClient: (id: string, route?: string) => Promise<Client | undefined>,
): void {
  const find: FindClient = async (id, route) =>
    typeof id === 'string' && id.length > 0 ? findClient(id, route) : undefined
  ;(provider.Client as unknown as { find: FindClient }).find = find
}

/** A client as it is now, never as it was kept: for whoever is about to compare its secret. */
export function clientToAuthenticate(provider: Provider, id: string): Promise<Client | undefined> {
  return (provider.Client as unknown as { find: FindClient }).find(id, 'token')
}

/**
 * Clients may have scopes of their own, beside those with claims; the library drops what it was not told of when it was
 * built. Only scopes that an admin registered ever come here.
 */
export function knowScopes(provider: Provider, scopes: string[]): void {
  const { configuration } = internals(provider)
  for (const scope of scopes) configuration.scopes.add(scope)
}

/** In an interaction's result: somebody proved anew who they are, in a session that was there before. */
export const renewsToken = 'renews_token'

/**
 * The session's id is the auth-token that programs hold, so it changes where somebody signs in (session fixation), which
 * a session that was made by signing in needs no more, and not at every consent. When it changes, our store moves the record, and the library must not destroy the old one first.
 */
function keepSessionsTokens(provider: Provider): void {
  const prototype = provider.Session.prototype as unknown as Rotating
  const { resetIdentifier, save } = prototype
  prototype.resetIdentifier = function (this: Rotating) {
    const result: Record<string, unknown> = Provider.ctx?.oidc.result ?? {}
    if (result[renewsToken]) resetIdentifier.call(this)
  }
  prototype.save = function (this: Rotating, ttl: number) {
    delete this.oldId
    return save.call(this, ttl)
  }
}

type Claims = { available: Record<string, unknown>; result(): Promise<Record<string, unknown>> }

/** Accounts are found by uid everywhere inside; what clients see as `sub` is decided by the setting oauth.subject. */
function nameSubjects(provider: Provider): void {
  const prototype = (provider as unknown as { Claims: { prototype: Claims } }).Claims.prototype
  const { result } = prototype
  prototype.result = async function (this: Claims) {
    const claims = await result.call(this)
    return claims.sub && this.available[subjectClaim]
      ? { ...claims, sub: this.available[subjectClaim] }
      : claims
  }
}

/** `extraParams` narrows the scopes of every other request; a client's own token comes from its grant's handler alone. */
function narrowMachineScopes(provider: Provider): void {
  const { grantTypeHandlers } = internals(provider)
  const give = grantTypeHandlers.get('client_credentials')
  if (!give) throw new Error('the library gives no tokens to clients themselves')
  grantTypeHandlers.set('client_credentials', (ctx) => {
    narrowMachineScope(ctx)
    return give(ctx)
  })
}

/**
 * Whatever goes to a client goes through a response mode. Its redirect URI may be unregistered by then (somebody took
 * their time to sign in), and the library has looked at the beginning only. A program that asked for a redirect_url is
 * never answered with a page, whatever mode a pushed request names.
 */
function answerClients(provider: Provider): void {
  const { responseModes, configuration } = internals(provider)
  const query = responseModes.get('query')
  if (!query || !responseModes.has('form_post')) throw new Error('the library has no form_post')
  responseModes.set('form_post', (ctx, ...to) =>
    exchangeOf(ctx.req).approved ? query(ctx, ...to) : answerByForm(ctx, ...to),
  )
  for (const [mode, respond] of responseModes)
    responseModes.set(mode, (ctx, uri, answer) => {
      if (ctx.oidc.client?.redirectUriAllowed(uri)) return respond(ctx, uri, answer)
      const error = new errors.InvalidRedirectUri()
      ctx.status = error.statusCode
      return configuration.renderError(
        ctx,
        { error: error.error, error_description: error.error_description },
        error,
      )
    })
}

/**
 * `sid` of a session at a client: made of both, so that no parallel authorization can lose it (the library draws one and
 * keeps it in the session, which the last of them overwrites), and no two clients are told the same.
 */
export function sidOf(session: string, clientId: string): string {
  return createHash('sha256').update(`${session} ${clientId}`).digest('base64url').slice(0, 22)
}

type Sessions = { uid: string; sidFor(clientId: string): string }
type Telling = { backchannelLogout(): Promise<void> }

/** Whatever ends a session tells its clients (logout-notices.ts), so the library's end_session must not do so again. */
function nameSessions(provider: Provider): void {
  ;(provider.Session.prototype as unknown as Sessions).sidFor = function (this: Sessions, clientId) {
    return sidOf(this.uid, clientId)
  }
  ;(provider.Client.prototype as unknown as Telling).backchannelLogout = async () => {}
}
