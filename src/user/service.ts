/**
 * People. The directory holds them and decides every race: a taken uid, mail or number is its answer to the write, not
 * ours before it. What somebody verified or accepted stands beside it in Redis, and each verification names the address
 * it was for, so that it ends by itself when the address changes, whoever changes it.
 *
 * Whoever is locked, deleted or gets another password loses every session first on this pod and through Redis on all
 * others; a deleted admin is locked before, so that no two last admins can delete each other.
 */
import type { UserEntry } from '#adapters/ldap/user.ts'
import type { Deps } from '#src/deps.ts'
import { disown } from '#src/directory/endings.ts'
import { Refusal } from '#src/errors.ts'
import { keepAnAdmin } from '#src/group/last-admin.ts'
import { isSelf } from '#src/http/access.ts'
import type { Actor } from './actor.ts'
import { endAccess } from './ending.ts'
import { changesOf, newEntry, uidSpelled } from './fields.ts'
import type { OnboardingDeps } from './onboarding.ts'
import { onboardingNeeds } from './onboarding.ts'
import type { NewUser, PublicUser, UserChanges } from './schemas.ts'
import { holdsKey, parseSshKey } from './ssh-key.ts'
import { announceChanges } from './verification.ts'

/**
 * Makes an account whose password must be changed. An admin may give a name anew that was somebody's: the audit log says
 * so; a token may not. Throws InvalidInput, InvalidKey, AlreadyExists, MailInUse, MobileInUse.
 */
export async function createUser(
  { users, store, audit }: Pick<Deps, 'users' | 'store' | 'audit'>,
  by: Actor,
  input: NewUser,
): Promise<UserEntry> {
  const fields = newEntry(input)
  // With a token, deleting somebody and making them anew would be setting their password.
  if (by.caller.apiToken && (await store.pastUids.has(fields.uid))) by.requirePerson()
  const entry = await users.create(fields, { mustChange: true })
  const detail = (await store.pastUids.has(entry.uid)) ? { anew: true } : {}
  audit.append({ ...by.event, action: 'user.create', target: entry.uid, outcome: 'ok', detail })
  return entry
}

/** Somebody as the directory has them now. Throws NotFound. */
export async function userNamed({ users }: Pick<Deps, 'users'>, uid: string): Promise<UserEntry> {
  const entry = await users.find(uidSpelled(uid))
  if (!entry) throw new Refusal('NotFound', 'There is no such user.')
  return entry
}

/** What the caller may see of a user (contract section 2, who sees what). */
export async function visibleTo(by: Actor, entry: UserEntry): Promise<PublicUser & Partial<UserEntry>> {
  if (isSelf(by.caller, entry.uid) || (await by.caller.isMemberOf('app_sso_admin'))) return entry
  const { uid, dn, givenName, sn, mail, isActive } = entry
  return { uid, dn, givenName, sn, mail, isActive }
}

/** The caller's own account with its groups and open onboarding steps. */
export async function me(deps: Pick<Deps, 'accounts' | 'groups'> & OnboardingDeps, by: Actor) {
  const account = await deps.accounts.find(by.caller.uid)
  if (!account) throw new Refusal('Unauthorized')
  const { entry } = account
  const [direct, effective, needs] = await Promise.all([
    deps.groups.namesOf(entry.dn),
    account.groups(),
    onboardingNeeds(deps, entry),
  ])
  return {
    ...entry,
    memberOf: direct.map(({ dn }) => dn),
    groups: effective.map(({ cn }) => cn),
    onboardingRequired: needs.length > 0 ? ('yes' as const) : ('no' as const),
    onboardingNeeds: needs,
    ...(by.caller.impersonator ? { impersonator: by.caller.impersonator } : {}),
  }
}

/**
 * Changes some fields; a new mail address or number is to be verified anew, and the old one is told. Throws NotFound,
 * InvalidInput, InvalidKey, MailInUse, MobileInUse; InsufficientPermission to an impersonator or a token for what
 * would outlive it (contract sections 4 and 12).
 */
export async function updateUser(
  deps: Pick<Deps, 'users' | 'audit' | 'store' | 'mail' | 'sms' | 'config' | 'log'>,
  by: Actor,
  uid: string,
  input: UserChanges,
): Promise<{ entry: UserEntry; message: string }> {
  const lasting = ['mail', 'mobile', 'sshPublicKey'] as const
  if (lasting.some((name) => input[name] !== undefined)) by.requirePerson()
  const changes = changesOf(input)
  const before = await userNamed(deps, uid)
  const entry = await deps.users.update(before.uid, changes)
  if (!entry) throw new Refusal('NotFound', 'There is no such user.')
  const detail = { fields: Object.keys(changes) }
  deps.audit.append({ ...by.event, action: 'user.update', target: entry.uid, outcome: 'ok', detail })
  return { entry, message: await announceChanges(deps, before, entry) }
}

/** Adds one SSH key to the caller's. Throws InvalidKey, for one that is there already too; Conflict. */
export async function addKey(
  { users, audit }: Pick<Deps, 'users' | 'audit'>,
  by: Actor,
  input: string,
): Promise<void> {
  by.requirePerson()
  const { uid } = by.caller
  const key = parseSshKey(input)
  const { sshPublicKey } = await userNamed({ users }, uid)
  if (holdsKey(sshPublicKey, key)) throw new Refusal('InvalidKey', 'This key is yours already.')
  await users.update(uid, { newKey: key.text })
  audit.append({ ...by.event, action: 'user.key', target: uid, outcome: 'ok' })
}

/**
 * Accepts the terms in force, for oneself only. `version` says which text was read: throws Conflict when another is in
 * force by now. Throws InsufficientPermission in an impersonated session.
 */
export async function acceptTerms(
  { store, audit }: Pick<Deps, 'store' | 'audit'>,
  by: Actor,
  read?: number,
): Promise<void> {
  by.requirePerson()
  const { uid } = by.caller
  const { version } = await store.terms.standing()
  if (read !== undefined && read !== version)
    throw new Refusal('Conflict', 'The terms have changed meanwhile: read them again.')
  await store.verification.acceptTerms(uid, version)
  audit.append({ ...by.event, action: 'user.accept-tos', target: uid, outcome: 'ok', detail: { version } })
}

/** Locks or unlocks an account; a locked one is out everywhere at once. Throws NotFound, LastAdmin. */
export async function setActive(
  deps: Pick<Deps, 'users' | 'groups' | 'store' | 'sessions' | 'audit'>,
  by: Actor,
  uid: string,
  active: boolean,
): Promise<UserEntry> {
  const entry = await userNamed(deps, uid)
  if (active) await deps.users.setActive(entry.uid, true)
  else await lock(deps, entry)
  const action = active ? 'user.activate' : 'user.deactivate'
  deps.audit.append({ ...by.event, action, target: entry.uid, outcome: 'ok' })
  return { ...entry, isActive: active }
}

/** Removes an account with all that is kept of it. Throws NotFound, LastAdmin. */
export async function deleteUser(
  deps: Pick<Deps, 'users' | 'groups' | 'store' | 'sessions' | 'audit'>,
  by: Actor,
  uid: string,
): Promise<UserEntry> {
  const entry = await userNamed(deps, uid)
  await lock(deps, entry)
  await deps.store.pastUids.remember(entry.uid)
  await Promise.all([disown(deps, entry.uid), deps.store.accessRequests.forget(entry.uid)])
  if (!(await deps.users.remove(entry.uid))) throw new Refusal('NotFound', 'There is no such user.')
  // Again: whoever was signing in meanwhile must not meet the next owner of this name.
  await endAccess(deps, entry.uid)
  await Promise.all([
    deps.store.verification.remove(entry.uid),
    deps.store.failures.clear(entry.uid),
    deps.store.consents.forget(entry.uid),
  ])
  deps.audit.append({ ...by.event, action: 'user.delete', target: entry.uid, outcome: 'ok' })
  return entry
}

async function lock(
  deps: Pick<Deps, 'users' | 'groups' | 'store' | 'sessions'>,
  { uid, dn, isActive }: UserEntry,
): Promise<void> {
  const act = () => deps.users.setActive(uid, false)
  if (isActive && (await deps.groups.isEffectiveMember(dn, 'app_sso_admin')))
    await keepAnAdmin(deps, {
      lost: { member: dn },
      act,
      undo: () => deps.users.setActive(uid, true),
    })
  else await act()
  await endAccess(deps, uid)
}
