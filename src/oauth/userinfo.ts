import type { FastifyRequest } from 'fastify'
import type { Account } from '#src/accounts.ts'
import type { ProviderDeps } from '#src/deps.ts'
import { isAllowed } from './account.ts'
import { claimsByScope, claimsOf, subjectOf } from './claims.ts'
import type { OurClient } from './clients.ts'

const bearer = /^Bearer ([0-9a-f-]{36})$/i

/**
 * The answer to a plain `GET /oauth/userinfo`, the hottest request of all, at a fraction of what it costs through the
 * library. It only ever says yes: whatever is out of the ordinary (no token, a bad one, an Origin, another way to send
 * it, a person who may no longer) is `undefined`, and goes through the library, which knows how to refuse.
 */
export async function plainUserinfo(
  { headers, method, url }: FastifyRequest,
  deps: ProviderDeps,
): Promise<Record<string, unknown> | undefined> {
  const { accounts } = deps
  const provider = deps.provider.current
  const value = bearer.exec(headers.authorization ?? '')?.[1]
  if (method !== 'GET' || !value || headers.origin || headers.dpop || url.includes('?')) return undefined
  const token = await provider.AccessToken.find(value)
  if (!token?.grantId || !token.clientId || !token.scopes.has('openid')) return undefined
  if (token.aud || token.claims || token.isSenderConstrained()) return undefined

  const [client, grant, account] = await Promise.all([
    provider.Client.find(token.clientId) as Promise<OurClient | undefined>,
    provider.Grant.find(token.grantId),
    accounts.find(token.accountId),
  ])
  if (!client || !account?.entry.isActive || !(await isAllowed(account, client))) return undefined
  if (grant?.clientId !== token.clientId || grant.accountId !== token.accountId || grant.rejected)
    return undefined

  const registered = [...token.scopes].filter((scope) => client.allowed_scopes.includes(scope))
  const scope = grant.getOIDCScopeFiltered(registered)
  if (!registered.includes('openid')) return undefined
  return userinfoClaims(account, client, scope, deps)
}

/** What userinfo says of somebody under these scopes. */
export async function userinfoClaims(
  account: Account,
  client: OurClient,
  scope: string,
  deps: Pick<ProviderDeps, 'store' | 'config'>,
): Promise<Record<string, unknown>> {
  const available = await claimsOf(account, { scope, idToken: false, client }, deps)
  const claims: Record<string, unknown> = {}
  for (const name of scope
    .split(' ')
    .flatMap((each) => claimsByScope[each as keyof typeof claimsByScope] ?? []))
    if (available[name] !== undefined) claims[name] = available[name]
  return { ...claims, sub: subjectOf(account.entry, deps.config) }
}
