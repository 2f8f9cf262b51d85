import type {
  AccountClaims,
  FindAccount,
  KoaContextWithOIDC,
  Account as ProviderAccount,
} from 'oidc-provider'
import type { Account } from '#src/accounts.ts'
import type { Deps } from '#src/deps.ts'
import { claimsOf } from './claims.ts'
import type { OurClient, OwnFields } from './clients.ts'
import type { RequestedClaims } from './requested-claims.ts'
import { narrowClaims } from './requested-claims.ts'

/** What is redeemed later, and is worth nothing when its session has ended meanwhile. */
const givenInSession = new Set(['AuthorizationCode', 'DeviceCode'])

type Holder = { kind?: string; scope?: string; claims?: RequestedClaims; sessionUid?: string }

/**
 * The person a session or a token stands for, `undefined` when it may no longer be used. With a token the rechecks of
 * contract section 9 are made: active, still in allowed_groups, scopes still registered, and for a code that the
 * session it was given in has not ended meanwhile.
 */
export function accountFinder(deps: Pick<Deps, 'accounts' | 'store' | 'sessions' | 'config'>): FindAccount {
  return async (ctx, accountId, token) => {
    const account = await deps.accounts.find(accountId)
    if (!account?.entry.isActive) return undefined
    const client = ctx.oidc.client as OurClient | undefined
    if (token && client && !(await mayStillUse(account, client, token as Holder, deps))) return undefined
    return asProviderAccount(accountId, account, ctx, deps)
  }
}

/** True for members of at least one of `allowed_groups`; without any, for everybody (interface, Rules 3). */
export async function isAllowed(
  account: Account,
  { allowed_groups }: Pick<OwnFields, 'allowed_groups'>,
): Promise<boolean> {
  if (allowed_groups.length === 0) return true
  for (const group of allowed_groups) if (await account.isMemberOf(group)) return true
  return false
}

/**
 * Whether a code or token may still be used; scopes and claims that are no longer registered are taken out of `token`.
 */
export async function mayStillUse(
  account: Account,
  client: OurClient,
  token: Holder,
  { sessions }: Pick<Deps, 'sessions'>,
): Promise<boolean> {
  if (!(await isAllowed(account, client))) return false
  const scopes = token.scope?.split(' ') ?? []
  const registered = scopes.filter((scope) => client.allowed_scopes.includes(scope))
  if (registered.length < scopes.length) token.scope = registered.join(' ')
  if (token.claims) token.claims = narrowClaims(token.claims, client)
  if (!givenInSession.has(token.kind ?? '') || !token.sessionUid || scopes.includes('offline_access'))
    return true
  return sessions.alive(token.sessionUid)
}

function asProviderAccount(
  accountId: string,
  account: Account,
  ctx: KoaContextWithOIDC,
  deps: Pick<Deps, 'store' | 'config'>,
): ProviderAccount {
  return {
    accountId,
    claims: (use, scope, claims) => {
      const client = ctx.oidc.client as OurClient
      const asked = { scope, claims: Object.keys(claims ?? {}), idToken: use === 'id_token', client }
      return claimsOf(account, asked, deps) as Promise<AccountClaims>
    },
  }
}
