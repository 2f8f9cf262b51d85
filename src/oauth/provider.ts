/**
 * The authorization server: oidc-provider, configured. What the library cannot be told by configuration is in seams.ts.
 */
import type { EventEmitter } from 'node:events'
import type { Configuration, ErrorOut, errors, JWK, KoaContextWithOIDC } from 'oidc-provider'
import { Provider } from 'oidc-provider'
import type { Deps } from '#src/deps.ts'
import { sessionCookieName } from '#src/http/cookie.ts'
import { accountFinder } from './account.ts'
import { claimsByScope } from './claims.ts'
import type { Clients, OurClient } from './clients.ts'
import { clientFactory, metadataNames } from './clients.ts'
import { deviceFlow, listenToDevices } from './device.ts'
import { exchangeOf } from './exchange.ts'
import { renderError } from './failures.ts'
import { countOutcomes } from './figures.ts'
import { extend, loadGrant } from './grants.ts'
import { mayIntrospect } from './introspection.ts'
import { lifetimes } from './lifetimes.ts'
import { askBeforeLogout, showSignedOut } from './logout.ts'
import { finish } from './middleware.ts'
import { interactionPath, paths } from './paths.ts'
import { policy } from './policy.ts'
import { isPattern, redirectUriMatches } from './redirect-uri.ts'
import { requestedParams } from './requested.ts'
import { installSeams, knowScopes } from './seams.ts'
import { nameUnauthorizedClients } from './seams-grants.ts'

type Needs = Pick<Deps, 'config' | 'accounts' | 'sessions' | 'store' | 'audit' | 'log' | 'metrics'>

/** A provider that signs with the first of `keys`; it cannot be changed afterwards, only built anew (holder.ts). */
export function buildProvider(deps: Needs, clients: Clients, keys: JWK[]): Provider {
  const { config } = deps
  const provider = new Provider(config.oauth.issuer, configuration(deps, keys))
  provider.proxy = true // mount.ts has overwritten what it believes
  const make = clientFactory(provider, ({ scopes }) => knowScopes(provider, scopes))
  installSeams(provider, async (id, route = Provider.ctx?.oidc.route) => {
    const record = await clients.find(id, route)
    return record && make(record)
  })
  nameUnauthorizedClients(provider)
  provider.use((ctx, next) =>
    finish(ctx as KoaContextWithOIDC, next, { ...deps, provider: { current: provider } }),
  )
  listen(provider, deps)
  countOutcomes(provider, deps)
  listenToDevices(provider, deps)
  return provider
}

function configuration(deps: Needs, keys: JWK[]): Configuration {
  const { config, store } = deps
  return {
    adapter: store.provider.adapter,
    jwks: { keys },
    routes: paths,
    cookies: {
      names: {
        session: sessionCookieName(config),
        interaction: 'latchkey_interaction',
        resume: 'latchkey_resume',
      },
      long: { httpOnly: true, sameSite: 'lax', path: '/' },
      short: { httpOnly: true, sameSite: 'lax' },
    },
    scopes: ['openid', 'offline_access'],
    claims: claimsByScope,
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    subjectTypes: ['public'],
    // No symmetric algorithm anywhere: what stands in for the secret is its hash.
    clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256', 'EdDSA'] },
    clientDefaults: { grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    extraClientMetadata: { properties: metadataNames },
    allowOmittingSingleRegisteredRedirectUri: false,
    pkce: { required: (_ctx, client) => mustUsePkce(client as OurClient) },
    extraParams: requestedParams,
    features: {
      devInteractions: { enabled: false },
      dPoP: { enabled: true, nonceSecret: store.keys.derive('dpop nonce') },
      pushedAuthorizationRequests: { enabled: true },
      claimsParameter: { enabled: true },
      resourceIndicators: { enabled: false },
      userinfo: { enabled: true },
      clientCredentials: { enabled: true },
      deviceFlow: deviceFlow(deps),
      revocation: { enabled: true, allowedPolicy: ownToken },
      introspection: {
        enabled: true,
        allowedPolicy: ({ oidc: { provider } }, client, token) =>
          mayIntrospect(client as OurClient, token, {
            ...deps,
            findClient: (id) => provider.Client.find(id),
          }),
      },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (ctx) => askBeforeLogout(ctx, deps),
        postLogoutSuccessSource: showSignedOut,
      },
    },
    interactions: {
      policy: policy(deps),
      url: (_ctx, { uid, prompt }) => interactionPath(uid, prompt.name),
    },
    findAccount: accountFinder(deps),
    loadExistingGrant: (ctx) => loadGrant(ctx, deps),
    issueRefreshToken: async (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    // Sessions are ended by us, with what was given in them (adapters/redis/provider.ts); no look at each use.
    expiresWithSession: async () => false,
    async rotateRefreshToken({ oidc }) {
      const { Grant: grant } = oidc.entities
      if (grant && extend(grant, oidc.client as OurClient, deps)) await grant.save()
      return true
    },
    clientBasedCORS: (_ctx, origin, client) => isOriginOf(client as OurClient, origin),
    renderError: (ctx, out, error) => renderError(ctx, out as ErrorOut, error, deps),
    ttl: lifetimes(deps),
    formats: {},
  }
}

/** S256 always for public clients; for others unless their admin said otherwise (contract section 9, PKCE). */
function mustUsePkce({ public: isPublic, require_pkce }: OurClient): boolean {
  return isPublic || require_pkce
}

async function ownToken(
  _ctx: unknown,
  client: { clientId: string },
  token: { clientId?: string },
): Promise<boolean> {
  return token.clientId === client.clientId
}

/** Browsers may call from the origins of the client's redirect URIs (contract section 9, CORS). */
function isOriginOf({ redirectUris = [] }: OurClient, origin: string): boolean {
  return redirectUris.some((uri) => {
    if (!isPattern(uri)) return URL.canParse(uri) && new URL(uri).origin === origin
    const rest = /^https?:\/\/[^/?]+(.*)$/.exec(uri)?.[1] ?? ''
    return redirectUriMatches([uri], origin + rest)
  })
}

/** What the library reports; nothing of it reaches the caller by itself. */
function listen(provider: Provider, { audit }: Pick<Deps, 'audit'>): void {
  provider.on('server_error', (ctx, error) => {
    const exchange = exchangeOf(ctx.req)
    exchange.failure = error
    exchange.log.error({ err: error }, 'the provider failed')
  })
  provider.on('authorization.error', (ctx, error) => {
    const { log, address } = exchangeOf(ctx.req)
    const { client, session } = ctx.oidc
    const detail = {
      error: error.message,
      description: (error as { error_description?: string }).error_description,
    }
    log.info({ client_id: client?.clientId, ...detail }, 'an authorization was refused')
    if (!session?.accountId || !client) return
    const names = { actor: session.accountId, action: 'authorize' as const, target: client.clientId }
    audit.append({ ...names, outcome: 'refused', address, detail })
  })
  const refused = (ctx: KoaContextWithOIDC, error: errors.OIDCProviderError) => {
    const { client } = ctx.oidc
    const { message, error_description: description, error_detail: detail } = error
    const names = { client_id: client?.clientId, error: message, description, detail }
    exchangeOf(ctx.req).log.info(names, 'a request to the provider was refused')
  }
  provider.on('grant.error', refused)
  provider.on('userinfo.error', refused)
  provider.on('introspection.error', refused)
  provider.on('revocation.error', refused)
  provider.on('pushed_authorization_request.error', (ctx, error) => {
    exchangeOf(ctx.req).refused = error
    refused(ctx, error)
  })
  const koa: EventEmitter = provider
  koa.on('error', (error: Error, ctx?: KoaContextWithOIDC) => {
    if (ctx) exchangeOf(ctx.req).log.warn({ err: error }, 'an answer could not be sent')
  })
}
