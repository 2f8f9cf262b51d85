import type { ProviderDeps } from '#src/deps.ts'
import { machineScopes } from './machine.ts'
import type { PlainForm } from './plain-form.ts'
import { plainClient } from './plain-form.ts'

const known = new Set(['grant_type', 'scope', 'client_id', 'client_secret'])
const spaced = /^\S+( \S+)*$/

/** A client's own token (RFC 6749 section 4.4); `undefined` where the library is to answer. */
export async function plainMachineToken(
  form: PlainForm,
  { provider: { current: provider } }: Pick<ProviderDeps, 'provider'>,
): Promise<Record<string, unknown> | undefined> {
  if ([...form.fields.keys()].some((name) => !known.has(name))) return undefined
  const client = await plainClient(provider, form)
  if (!client || client.public) return undefined
  const asked = form.fields.get('scope')
  const scope = machineScopes(client, asked).join(' ') || undefined
  if (asked && !(scope && spaced.test(asked))) return undefined

  const token = new provider.ClientCredentials({ client, ...(scope ? { scope } : {}) })
  const access_token = await token.save()
  return {
    access_token,
    expires_in: token.expiration,
    token_type: token.tokenType,
    ...(scope ? { scope } : {}),
  }
}
