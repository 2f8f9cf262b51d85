/** What a request for a code may ask for, on every way in: the browser's, the API's, pushed ones. */
import type { KoaContextWithOIDC } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { OurClient } from './clients.ts'
import { exchangeOf } from './exchange.ts'
import { narrowClaims, parsed, refuseEssentialAcr } from './requested-claims.ts'
import { narrowed } from './scopes.ts'

type Params = { scope?: string; claims?: string; response_mode?: string; max_age?: string }

/** Run by the library after its own checks, and before anything is asked of a person. */
export const requestedParams = { scope: narrow, resource: refuseResource }

/** Unregistered scopes are dropped; without any the client's own are meant (interface, Rules 2; contract section 9). */
function narrow({ oidc, req }: KoaContextWithOIDC, value: string | undefined, client: unknown): void {
  const params = oidc.params as Params
  const { scopes } = narrowed(client as OurClient, value)
  if (scopes.length === 0)
    throw new errors.InvalidScope('none of the requested scopes is registered for this client', value ?? '')
  params.scope = scopes.join(' ')

  if (params.claims !== undefined) {
    const claims = narrowClaims(parsed(params.claims), client as OurClient)
    refuseEssentialAcr(claims)
    params.claims = JSON.stringify(claims)
  }
  // The library keeps a device's max_age until its code is entered, but not that a fresh sign-in is asked for; older than
  // this is every other.
  if (oidc.route === 'device_authorization' && oidc.prompts.has('login')) params.max_age = '-1'
  if (params.response_mode === 'fragment') {
    delete params.response_mode
    throw new errors.UnsupportedResponseMode()
  }
  if (exchangeOf(req).approved && ![undefined, 'query'].includes(params.response_mode))
    throw new errors.UnsupportedResponseMode('only response_mode query can be answered here')
}

/** Access tokens are for userinfo and for whoever introspects them, never for one resource (RFC 8707 section 2). */
function refuseResource(_ctx: unknown, value: unknown): void {
  if (value !== undefined) throw new errors.InvalidTarget('no resource indicators are supported')
}
