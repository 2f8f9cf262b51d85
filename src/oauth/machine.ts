/** Client credentials (RFC 6749 section 4.4): which scopes a client is given that stands for itself. */
import type { KoaContextWithOIDC } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { OurClient } from './clients.ts'

/** Scopes that say something of a person's sign-in; a client that stands for itself has none. */
const ofPersons = new Set(['openid', 'offline_access'])

/** Unregistered scopes are dropped, as everywhere (contract section 9); without any the client's own are meant. */
export function machineScopes({ allowed_scopes }: OurClient, asked: string | undefined): string[] {
  const wanted = asked?.split(' ')
  return allowed_scopes.filter((scope) => !ofPersons.has(scope) && (wanted?.includes(scope) ?? true))
}

/** For the library's own handler. Throws InvalidScope when nothing of what was asked for is left. */
export function narrowMachineScope({ oidc }: KoaContextWithOIDC): void {
  const params = oidc.params as { scope?: string | undefined }
  const scopes = machineScopes(oidc.client as OurClient, params.scope)
  if (params.scope !== undefined && scopes.length === 0)
    throw new errors.InvalidScope(
      'none of the requested scopes is registered for this client',
      params.scope ?? '',
    )
  params.scope = scopes.join(' ') || undefined
}
