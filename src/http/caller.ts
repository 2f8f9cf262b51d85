import type { FastifyRequest } from 'fastify'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { sessionCookie } from './cookie.ts'
import { isOwnOrigin } from './origin.ts'

/** The authenticated requester of a protected route. */
export type Caller = {
  uid: string
  dn: string
  /** Stable id of the session, never its token; none where a personal access token was sent instead. */
  session?: string
  /** The personal access token that speaks for the person. */
  apiToken?: { id: string; scope: 'read' | 'write' }
  /** uid of the admin who impersonates, in an impersonated session. */
  impersonator?: string
  /** Effective membership, read at most once a second. */
  isMemberOf(cn: string): Promise<boolean>
}

/** What requests carry their session in: the header `auth-token`, else the cookie of a browser. */
export function presentedToken(request: FastifyRequest, deps: Pick<Deps, 'config'>) {
  const header = request.headers['auth-token']
  if (header !== undefined) return { token: Array.isArray(header) ? '' : header, by: 'header' as const }
  const cookie = sessionCookie(request, deps.config)
  return cookie === undefined ? undefined : { token: cookie, by: 'cookie' as const }
}

type Needs = Pick<Deps, 'config' | 'sessions' | 'accounts' | 'store'>

/**
 * Who asks: one read of a session or of a personal access token, and the account as it stands within the last second. The
 * header `auth-token` goes before `Authorization`, which goes before the cookie. Throws Unauthorized without a living one
 * of an active account, InsufficientPermission when a cookie from a foreign page would change something.
 */
export async function authenticate(request: FastifyRequest, deps: Needs): Promise<Caller> {
  const apiToken = request.headers['auth-token'] === undefined ? presentedApiToken(request) : undefined
  return apiToken === undefined ? authenticateSession(request, deps) : byApiToken(apiToken, deps)
}

/** The caller of a request inside the protected scope. */
export function callerOf(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>('caller')
}

/** A bearer value of another kind (an access token of the provider) is nothing here. */
function presentedApiToken({ headers }: FastifyRequest): string | undefined {
  return /^Bearer +(lkp_\S*) *$/i.exec(headers.authorization ?? '')?.[1]
}

/** Nobody else's, though the name may have had another owner since the token was made. */
async function byApiToken(token: string, { store, accounts }: Needs): Promise<Caller> {
  const found = token.length > 1024 ? undefined : await store.apiTokens.read(token)
  if (!found) throw new Refusal('Unauthorized')
  const account = await accounts.find(found.uid)
  if (!account?.entry.isActive || found.account !== (account.entry.createTimestamp ?? ''))
    throw new Refusal('Unauthorized')
  const { uid, dn } = account.entry
  return { uid, dn, apiToken: { id: found.id, scope: found.scope }, isMemberOf: account.isMemberOf }
}

/** The same by a session alone. */
export async function authenticateSession(
  request: FastifyRequest,
  deps: Omit<Needs, 'store'>,
): Promise<Caller> {
  const presented = presentedToken(request, deps)
  if (!presented || presented.token.length === 0 || presented.token.length > 256)
    throw new Refusal('Unauthorized')
  if (presented.by === 'cookie' && !isOwnOrigin(request, deps.config))
    throw new Refusal('InsufficientPermission', 'This request comes from another site.')
  const session = await deps.sessions.read(presented.token)
  if (!session) throw new Refusal('Unauthorized')
  const account = await deps.accounts.find(session.uid)
  if (!account?.entry.isActive) throw new Refusal('Unauthorized')
  return {
    uid: account.entry.uid,
    dn: account.entry.dn,
    session: session.id,
    ...(session.impersonator ? { impersonator: session.impersonator } : {}),
    isMemberOf: account.isMemberOf,
  }
}
