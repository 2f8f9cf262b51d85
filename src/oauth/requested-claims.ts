/**
 * The `claims` parameter (OpenID Connect Core section 5.5). It never gives what a scope would not: a claim may be asked for
 * only where the scope that holds it is registered for the client, it is allowed by the person as that scope is, and
 * what is not so is left out, as unregistered scopes are (contract section 9).
 */
import { errors } from 'oidc-provider'
import { claimsByScope } from './claims.ts'
import type { OurClient } from './clients.ts'

type Members = Record<string, null | Record<string, unknown>>
/** As in the parameter, and as codes and tokens keep it. */
export type RequestedClaims = { userinfo?: Members; id_token?: Members }

/** About the sign-in, not of the person: they need no scope. */
const ofProtocol = new Set(['sub', 'acr', 'amr', 'auth_time', 'iss', 'sid'])
const scopeOf = new Map(
  Object.entries(claimsByScope).flatMap(([scope, names]) => names.map((name) => [name, scope] as const)),
)

/** What of a request the client may ask for. */
export function narrowClaims(
  claims: RequestedClaims,
  { allowed_scopes }: Pick<OurClient, 'allowed_scopes'>,
): RequestedClaims {
  const may = (name: string) => ofProtocol.has(name) || allowed_scopes.includes(scopeOf.get(name) ?? '')
  const kept = (members: Members) => Object.fromEntries(Object.entries(members).filter(([name]) => may(name)))
  return {
    ...(claims.userinfo ? { userinfo: kept(claims.userinfo) } : {}),
    ...(claims.id_token ? { id_token: kept(claims.id_token) } : {}),
  }
}

/** Names of the claims of a person that are asked for, wherever they shall stand. */
export function personalClaims({ userinfo, id_token }: RequestedClaims): string[] {
  const names = new Set([...Object.keys(userinfo ?? {}), ...Object.keys(id_token ?? {})])
  return [...names].filter((name) => scopeOf.has(name) && !ofProtocol.has(name))
}

/** Scopes that the person allows with a request: those it names, and those of the claims it names. */
export function askedScopes({ scope, claims }: { scope?: unknown; claims?: unknown }): string[] {
  const named = String(scope ?? '')
    .split(' ')
    .filter(Boolean)
  return [...new Set([...named, ...scopesOf(personalClaims(parsed(claims)))])]
}

export function scopesOf(names: string[]): string[] {
  return names.map((name) => scopeOf.get(name) as string)
}

/** The parameter, which the library has checked to be a JSON object of objects. */
export function parsed(claims: unknown): RequestedClaims {
  return typeof claims === 'string' ? (JSON.parse(claims) as RequestedClaims) : {}
}

/**
 * Nobody here has an `acr`, so an essential one fails the sign-in (section 5.5.1.1), and asking for it again and again
 * would not help.
 */
export function refuseEssentialAcr({ id_token }: RequestedClaims): void {
  const { essential, value, values } = id_token?.acr ?? {}
  if (essential && (value !== undefined || values !== undefined))
    throw new errors.UnmetAuthenticationRequirements('none of the requested acr values can be reached')
}
