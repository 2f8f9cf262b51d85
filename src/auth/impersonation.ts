/**
 * Impersonation: an admin gets a temporary password for an account, beside its own, which the directory never sees. The
 * sessions it opens carry the admin's name (contract section 4); both ends are audited in it.
 */
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import type { Actor } from '#src/user/actor.ts'
import { userNamed } from '#src/user/service.ts'

type Needs = Pick<Deps, 'users' | 'groups' | 'sessions' | 'store' | 'config' | 'audit'>

/**
 * A temporary password, the only one of that account: an earlier impersonation ends with its sessions. Throws NotFound,
 * Conflict for a locked account, InsufficientPermission for an admin where the settings forbid it. The reason is for
 * whoever reads the audit trail.
 */
export async function impersonate(
  deps: Needs,
  by: Actor,
  target: string,
  reason?: string,
): Promise<{ uid: string; temp_password: string; expires_at: number }> {
  const { groups, sessions, store, config, audit } = deps
  const { uid } = await userNamed(deps, target)
  const generation = await sessions.generation(uid)
  const { dn, isActive } = await userNamed(deps, uid)
  if (!isActive) throw new Refusal('Conflict', 'The account is locked.')
  if (!config.auth.impersonate_admins && (await groups.isEffectiveMember(dn, 'app_sso_admin')))
    throw new Refusal('InsufficientPermission', 'Administrators cannot be impersonated here.')
  const started = await store.impersonations.start(uid, { impersonator: by.event.actor, generation })
  if (!started) throw new Refusal('Conflict')
  await endSessions(deps, uid)
  const detail = reason === undefined ? {} : { detail: { reason } }
  audit.append({ ...by.event, action: 'user.impersonate', target: uid, outcome: 'ok', ...detail })
  return { uid, ...started }
}

/** Ends the temporary password and every session made with one; answers how many ended. Throws NotFound. */
export async function endImpersonation(deps: Needs, by: Actor, target: string): Promise<number> {
  const { store, audit } = deps
  const { uid } = await userNamed(deps, target)
  // The password first: a sign-in that had it already looks again once its session is made.
  const active = await store.impersonations.end(uid)
  const ended = await endSessions(deps, uid)
  const revoked = Math.max(ended, active ? 1 : 0)
  audit.append({
    ...by.event,
    action: 'user.impersonate-end',
    target: uid,
    outcome: 'ok',
    detail: { revoked },
  })
  return revoked
}

async function endSessions({ sessions }: Needs, uid: string): Promise<number> {
  const impersonated = (await sessions.list(uid)).filter(({ impersonator }) => impersonator)
  const ended = await Promise.all(impersonated.map(({ id }) => sessions.end(uid, id)))
  return ended.filter(Boolean).length
}
