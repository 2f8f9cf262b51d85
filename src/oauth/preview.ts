/**
 * What a person would be told of at an application, without signing in there: made by the code that makes ID tokens and
 * userinfo, from the account as it is. No token comes into being and nothing is stored.
 */
import type { Provider } from 'oidc-provider'
import type { ProviderDeps } from '#src/deps.ts'
import type { RefusalName } from '#src/errors.ts'
import { Refusal } from '#src/errors.ts'
import { isAllowed } from './account.ts'
import { claimsOf } from './claims.ts'
import type { OurClient } from './clients.ts'
import { narrowed } from './scopes.ts'
import { idTokenClaims } from './seams-id-tokens.ts'
import { userinfoClaims } from './userinfo.ts'

type Claims = Record<string, unknown>
export type Preview = {
  granted: boolean
  scopes: string[]
  dropped: string[]
  id_token?: Claims
  userinfo?: Claims
  refusal?: {
    name: RefusalName | 'invalid_client' | 'invalid_scope'
    message: string
    allowed_groups?: string[]
  }
}
type Needs = Pick<ProviderDeps, 'accounts' | 'store' | 'config' | 'provider'>

/** `client_id` is registered. Throws NotFound for somebody whom the directory does not have. */
export async function preview(
  deps: Needs,
  client_id: string,
  { uid, scope }: { uid: string; scope?: string | undefined },
): Promise<Preview> {
  const account = await deps.accounts.find(uid)
  if (!account) throw new Refusal('NotFound', 'There is no such user.')
  const provider = deps.provider.current
  const client = (await provider.Client.find(client_id)) as OurClient | undefined
  const refused = (
    refusal: Preview['refusal'],
    found = { scopes: [] as string[], dropped: [] as string[] },
  ) => ({
    ...{ granted: false, ...found },
    ...(refusal ? { refusal } : {}),
  })
  if (!client)
    return refused({ name: 'invalid_client', message: 'The client is not valid (is_valid is false).' })
  const { scopes, dropped } = narrowed(client, scope)
  if (!account.entry.isActive)
    return refused(
      { name: 'LoginFailed', message: 'The account is locked: nobody signs in to it.' },
      { scopes, dropped },
    )
  if (scopes.length === 0)
    return refused(
      { name: 'invalid_scope', message: 'None of these scopes is registered for the client.' },
      { scopes, dropped },
    )
  if (!(await isAllowed(account, client))) {
    const message = 'The user is in none of the groups that may use this client.'
    return refused(
      { name: 'GroupRequired', message, allowed_groups: client.allowed_groups },
      { scopes, dropped },
    )
  }
  // Without `openid` there is no ID token, and userinfo refuses the access token.
  if (!scopes.includes('openid')) return { granted: true, scopes, dropped }
  const given = scopes.join(' ')
  const [id_token, userinfo] = await Promise.all([
    claimsOf(account, { scope: given, idToken: true, client }, deps).then((claims) =>
      idTokenClaims(provider as Provider, client, { claims, scope: given }),
    ),
    userinfoClaims(account, client, given, deps),
  ])
  return { granted: true, scopes, dropped, id_token, userinfo }
}
