import type { FastifyRequest } from 'fastify'
import type { ProviderDeps } from '#src/deps.ts'
import { plainMachineToken } from './machine-token.ts'
import { plainPersonTokens } from './person-tokens.ts'
import { plainForm } from './plain-form.ts'

/**
 * The answer to a plain token request, at a fraction of what it costs through the library. It only ever says yes:
 * whatever is out of the ordinary, and whatever is to be refused, is `undefined` and goes through the library, which
 * knows how; nothing has been used up by then that the library would not find used up.
 */
export async function plainToken(
  request: FastifyRequest,
  deps: ProviderDeps,
): Promise<Record<string, unknown> | undefined> {
  // What the provider of now would say may not be so any more: the library's way waits for the next one.
  if (deps.provider.renewing || deps.store.keys.isPast()) return undefined
  const form = plainForm(request)
  switch (form?.fields.get('grant_type')) {
    case 'client_credentials':
      return plainMachineToken(form, deps)
    case 'authorization_code':
      return plainPersonTokens(form, 'AuthorizationCode', deps)
    case 'refresh_token':
      return plainPersonTokens(form, 'RefreshToken', deps)
    default:
      return undefined
  }
}
