import type { Client } from 'oidc-provider'
import type { ProviderDeps } from '#src/deps.ts'
import { isAllowed } from './account.ts'
import { claimsByScope } from './claims.ts'
import type { OurClient } from './clients.ts'

type Token = { kind: string; clientId?: string; accountId?: string; scope?: string | undefined }
type Needs = Pick<ProviderDeps, 'accounts'> & { findClient: (id: string) => Promise<Client | undefined> }

/**
 * Who may ask about a token (RFC 7662 section 2.1). The client it was given to, about every token of its own. A resource
 * server is a client with a secret that shares a scope of the application's own (not one with claims) with the token:
 * it may ask about access tokens, and is told of the shared scopes only. For everybody else a token is not active.
 *
 * Each answer is as of now (attack 26): the token's client is valid and has its scopes still, and the person is active
 * and in `allowed_groups`.
 */
export async function mayIntrospect(asking: OurClient, token: Token, deps: Needs): Promise<boolean> {
  const own = token.clientId === asking.clientId
  const holder = own ? asking : ((await deps.findClient(token.clientId ?? '')) as OurClient | undefined)
  if (!holder || !(await standsStill(token, holder, deps))) return false
  const scopes = token.scope?.split(' ').filter((scope) => holder.allowed_scopes.includes(scope)) ?? []
  const told = own ? scopes : scopes.filter((scope) => isShared(scope, asking))
  token.scope = told.join(' ') || undefined
  return own || (told.length > 0 && !asking.public && token.kind !== 'RefreshToken')
}

async function standsStill(
  { kind, accountId }: Token,
  holder: OurClient,
  { accounts }: Needs,
): Promise<boolean> {
  if (kind === 'ClientCredentials') return holder.grantTypeAllowed('client_credentials')
  const account = accountId === undefined ? undefined : await accounts.find(accountId)
  return account?.entry.isActive === true && isAllowed(account, holder)
}

function isShared(scope: string, { allowed_scopes }: OurClient): boolean {
  return scope !== 'offline_access' && !(scope in claimsByScope) && allowed_scopes.includes(scope)
}
