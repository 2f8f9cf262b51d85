/** As seams.ts; test/oauth/seams-unauthorized.test.ts fails when the library changes under it. */
import type { Client } from 'oidc-provider'
import { errors, Provider } from 'oidc-provider'

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/**
 * A client that uses a grant it was not registered for is an unauthorized_client (RFC 6749 sections 4.1.2.1 and 5.2, RFC
 * 8628 section 3.1); the library calls its request invalid. It asks the same of other grants, to decide what to do.
 */
export function nameUnauthorizedClients(provider: Provider): void {
  const prototype = provider.Client.prototype
  const { grantTypeAllowed, responseTypeAllowed } = prototype
  prototype.grantTypeAllowed = function (this: Client, type: string) {
    const { route, params } = Provider.ctx?.oidc ?? {}
    const used = route === 'token' ? params?.grant_type : route === 'device_authorization' && deviceGrant
    if (grantTypeAllowed.call(this, type)) return true
    if (type !== used) return false
    throw new errors.UnauthorizedClient('this client is not registered for this grant')
  }
  prototype.responseTypeAllowed = function (this: Client, type) {
    if (responseTypeAllowed.call(this, type)) return true
    throw new errors.UnauthorizedClient('this client is not registered to sign people in')
  }
}
