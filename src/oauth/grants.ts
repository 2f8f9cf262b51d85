import type { Grant, Interaction, KoaContextWithOIDC } from 'oidc-provider'
import type { Deps, ProviderDeps } from '#src/deps.ts'
import type { OurClient } from './clients.ts'
import { exchangeOf } from './exchange.ts'
import { grantSeconds, refreshTokenSeconds } from './lifetimes.ts'
import { askedScopes, parsed, personalClaims, scopesOf } from './requested-claims.ts'

/**
 * The grant a request goes on with (contract section 9, consent). Tokens hang on a grant per session and client; what
 * was allowed is remembered apart, without end: a new session's grant starts from it and nobody is asked twice.
 */
export async function loadGrant(
  ctx: KoaContextWithOIDC,
  deps: Pick<Deps, 'store' | 'config' | 'audit'>,
): Promise<Grant | undefined> {
  const { provider, session, result } = ctx.oidc
  const client = ctx.oidc.client as OurClient
  const accountId = ctx.oidc.account?.accountId as string
  const id = result?.consent?.grantId ?? session?.grantIdFor(client.clientId)
  const found = id ? await provider.Grant.find(id) : undefined
  let grant = found?.accountId === accountId && found.clientId === client.clientId ? found : undefined

  const granted = new Set(grant?.getOIDCScope().split(' '))
  const missing = askedScopes(ctx.oidc.params ?? {}).filter((scope) => !granted.has(scope))
  const allowed = asksAnew(ctx) ? [] : await allowedAlready(ctx, accountId, missing, deps)
  if (!grant && allowed.length > 0) grant = new provider.Grant({ accountId, clientId: client.clientId })
  if (!grant) return undefined
  if (allowed.length > 0) grant.addOIDCScope(allowed.join(' '))
  const more = addClaims(grant, ctx.oidc.params?.claims)
  if (extend(grant, client, deps) || allowed.length > 0 || more) await grant.save()
  // Whoever withdraws a consent forgets it first and ends the grants after: one that was made from it meanwhile goes too.
  const remembered = allowed.length > 0 && !client.skip_consent && !exchangeOf(ctx.req).approved
  if (remembered) {
    const confirmed = endUnlessAllowed(grant, client.clientId, allowed, deps)
    confirmed.catch(() => {}) // told by finish
    exchangeOf(ctx.req).confirmed = confirmed
  }
  return grant
}

/** With the grant die the code and all tokens that were made from it meanwhile. */
async function endUnlessAllowed(
  grant: Grant,
  clientId: string,
  scopes: string[],
  { store }: Pick<Deps, 'store'>,
): Promise<void> {
  const given = await store.consents.given(grant.accountId as string, clientId, scopes)
  if (given.length < scopes.length) await grant.destroy()
}

/** A claim that is asked for by name is allowed with the scope that holds it. True when one was added. */
function addClaims(grant: Grant, parameter: unknown): boolean {
  const scopes = grant.getOIDCScope().split(' ')
  const known = grant.getOIDCClaims()
  const names = personalClaims(parsed(parameter)).filter(
    (name) => !known.includes(name) && scopesOf([name]).every((scope) => scopes.includes(scope)),
  )
  if (names.length > 0) grant.addOIDCClaims(names)
  return names.length > 0
}

/** A grant outlives every refresh token given under it; otherwise they would die with it. True when it was moved on. */
export function extend(grant: Grant, client: OurClient, { config }: Pick<Deps, 'config'>): boolean {
  const lifetime = refreshTokenSeconds(client, config)
  const now = Math.floor(Date.now() / 1000)
  if (grant.exp && grant.exp - now > lifetime) return false
  grant.exp = now + grantSeconds(lifetime)
  return true
}

/** `prompt=consent` asks even where all was allowed before. */
function asksAnew({ oidc, req }: KoaContextWithOIDC): boolean {
  return oidc.prompts.has('consent') && !oidc.result?.consent && !exchangeOf(req).approved
}

async function allowedAlready(
  { oidc, req }: KoaContextWithOIDC,
  accountId: string,
  missing: string[],
  { store, audit }: Pick<Deps, 'store' | 'audit'>,
): Promise<string[]> {
  const client = oidc.client as OurClient
  if (missing.length === 0) return []
  const { approved, address } = exchangeOf(req)
  if (client.skip_consent && !approved) return missing
  const given = await store.consents.given(accountId, client.clientId, missing)
  if (!approved) return given
  if (given.length < missing.length) {
    await store.consents.give(accountId, client.clientId, missing)
    audit.append({
      ...{ actor: accountId, action: 'consent', target: client.clientId, outcome: 'ok', address },
      detail: { scopes: missing },
    })
  }
  return missing
}

/** What somebody has just allowed on the consent page, remembered; answers the grant it is part of. */
export async function grantScopes(
  { params, grantId }: Interaction,
  accountId: string,
  address: string,
  { provider: { current: provider }, store, audit }: Pick<ProviderDeps, 'store' | 'audit' | 'provider'>,
): Promise<string> {
  const clientId = String(params.client_id)
  const asked = askedScopes(params)
  const known = grantId ? await provider.Grant.find(grantId) : undefined
  const grant = known?.accountId === accountId ? known : new provider.Grant({ accountId, clientId })
  grant.addOIDCScope(asked.join(' '))
  addClaims(grant, params.claims)
  await store.consents.give(accountId, clientId, asked)
  audit.append({
    ...{ actor: accountId, action: 'consent', target: clientId, outcome: 'ok', address },
    detail: { scopes: asked },
  })
  return grant.save()
}
