import type { Deps } from '#src/deps.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import { isSelf } from '#src/http/access.ts'
import type { Actor } from './actor.ts'
import { endAccess } from './ending.ts'
import type { PasswordChange } from './schemas.ts'
import { userNamed } from './service.ts'

type Needs = Pick<Deps, 'users' | 'sessions' | 'store' | 'audit' | 'config'>

/**
 * Sets a password and ends what was opened with the old one: all sessions and tokens but, on an own change, the session
 * it came from. An own change clears `password_must_change`, an admin's of somebody else sets it. Throws NotFound,
 * InvalidInput, CurrentPasswordRequired; LoginFailed for a wrong `current`, counted like any failed sign-in;
 * InsufficientPermission in an impersonated session and to a token.
 */
export async function changePassword(
  deps: Needs,
  by: Actor,
  uid: string,
  { password, confirm, current }: PasswordChange,
): Promise<void> {
  by.requirePerson()
  if (confirm !== password) throw new Refusal('InvalidInput', 'confirm must be the same as password.')
  const own = isSelf(by.caller, uid)
  if (!own && current !== undefined)
    throw new Refusal('InvalidInput', 'current belongs to a change of the own password only.')
  if (own && current === undefined && deps.config.auth.require_current_password)
    throw new Refusal('CurrentPasswordRequired')

  const { uid: name } = await userNamed(deps, uid)
  const set = async () => {
    const done = await deps.users.setPassword(name, password, { mustChange: !own, current })
    if (!done) throw new Refusal('NotFound', 'There is no such user.')
  }
  if (current === undefined) await set()
  else await counted(deps, by, set)
  await endAccess(deps, name, own ? by.caller.session : undefined)
  deps.audit.append({ ...by.event, action: 'user.password', target: name, outcome: 'ok' })
}

/** Guessing the current password is guessing at sign-in (contract section 4): one counter for both. */
async function counted(deps: Needs, by: Actor, set: () => Promise<unknown>): Promise<void> {
  const { config, store, audit } = deps
  const { failures, failure_window_seconds } = config.auth
  const { uid } = by.caller
  const limits = { most: failures, windowSeconds: failure_window_seconds }
  const { allowed, attempt } = await store.failures.count(uid, limits)
  const refuse = (cause?: unknown) => {
    audit.append({ ...by.event, action: 'user.password', target: uid, outcome: 'refused' })
    return new Refusal('LoginFailed', 'The current password is not correct.', { cause })
  }
  if (!allowed) throw refuse()
  await set().catch((error) => {
    throw isRefusal(error, 'LoginFailed') ? refuse(error) : error
  })
  await store.failures.refund(uid, attempt)
}
