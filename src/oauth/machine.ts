import type { KoaContextWithOIDC } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { OurClient } from './clients.ts'

/** Scopes that say something of a person's sign-in; a client that stands for itself has none. */
const ofPersons = new Set(['openid', 'offline_access'])

/**
 * Client credentials (RFC 6749 section 4.4): unregistered scopes are dropped, as everywhere (contract section 9); without
 * any the client's own are meant. Throws InvalidScope when nothing of what was asked for is left.
 */
export function narrowMachineScope({ oidc }: KoaContextWithOIDC): void {
  const params = oidc.params as { scope?: string | undefined }
  const registered = (oidc.client as OurClient).allowed_scopes.filter((scope) => !ofPersons.has(scope))
  const asked = params.scope?.split(' ')
  const scopes = registered.filter((scope) => asked?.includes(scope) ?? true)
  if (asked && scopes.length === 0)
    throw new errors.InvalidScope(
      'none of the requested scopes is registered for this client',
      params.scope ?? '',
    )
  params.scope = scopes.join(' ') || undefined
}
