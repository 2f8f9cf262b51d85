import type { FastifyRequest } from 'fastify'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { sessionCookie } from './cookie.ts'
import { isOwnOrigin } from './origin.ts'

/** The authenticated requester of a protected route. */
export type Caller = {
  uid: string
  dn: string
  /** Stable id of the session, never its token. */
  session: string
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

/**
 * Who asks: one session read, and the account as it stands within the last second. Throws Unauthorized without a
 * living session of an active account, InsufficientPermission when a cookie from a foreign page would change something.
 */
export async function authenticate(
  request: FastifyRequest,
  deps: Pick<Deps, 'config' | 'sessions' | 'accounts'>,
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

/** The caller of a request inside the protected scope. */
export function callerOf(request: FastifyRequest): Caller {
  return request.getDecorator<Caller>('caller')
}
