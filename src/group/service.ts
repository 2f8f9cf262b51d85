/**
 * Groups: who is in them, who owns them, and which is nested in which (nesting.ts).
 *
 * The directory decides what one entry can decide (already a member, the last member, the name taken). What rests on
 * several entries (a loop of nestings, the last administrator, the parents of a deleted group) is decided one change at
 * a time over all pods: exclusive.ts. Nobody gains an `app_sso_*` group through somebody without authority over it:
 * authority.ts.
 */
import type { GroupEntry, GroupName } from '#adapters/ldap/group.ts'
import type { UserEntry } from '#adapters/ldap/user.ts'
import type { Action } from '#src/audit/actions.ts'
import type { Deps } from '#src/deps.ts'
import { forgetGroup } from '#src/directory/endings.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import { isPermissionGroup } from '#src/http/access.ts'
import type { Actor } from '#src/user/actor.ts'
import { uidSpelled } from '#src/user/fields.ts'
import { userNamed } from '#src/user/service.ts'
import { requireAuthority } from './authority.ts'
import { exclusively } from './exclusive.ts'
import { keepAnAdmin, requireAdminWithout } from './last-admin.ts'
import { groupName, newGroupName } from './names.ts'
import type { GroupChanges, GroupSummary, NewGroup } from './schemas.ts'

export type Tools = Pick<Deps, 'groups' | 'users' | 'store' | 'audit'>

/**
 * Makes a group with the caller as owner and first member; what an earlier one of this name reached, it does not. Throws
 * InvalidInput, AlreadyExists.
 */
export async function createGroup(
  deps: Pick<Deps, 'groups' | 'store' | 'audit'>,
  by: Actor,
  { name, description }: NewGroup,
): Promise<GroupEntry> {
  const { dn } = by.caller
  const made = await deps.groups.create({ cn: newGroupName(name), description, member: dn, owner: dn })
  await forgetGroup(deps, made.cn)
  told(deps, by, 'group.create', made)
  return made
}

/** A group with its members and owners, as the directory has it now. Throws NotFound. */
export async function readGroup({ groups }: Pick<Deps, 'groups'>, cn: string): Promise<GroupEntry> {
  return (await groups.find(groupName(cn))) ?? refuseAbsent()
}

/** Throws NotFound. */
export async function describeGroup(
  deps: Pick<Deps, 'groups' | 'audit'>,
  by: Actor,
  name: string,
  { description: given }: GroupChanges,
): Promise<GroupSummary> {
  const description = given.trim()
  const { cn } = await groupNamed(deps, name)
  if (!(await deps.groups.describe(cn, description))) refuseAbsent()
  told(deps, by, 'group.update', { cn }, { description })
  return { cn, description }
}

/** Throws NotFound, AlreadyMember, InsufficientPermission. */
export async function addMember(deps: Tools, by: Actor, cn: string, uid: string): Promise<void> {
  const [group, user] = await groupAndUser(deps, cn, uid)
  await requireAuthority(deps, by.caller, group)
  await deps.groups.addMember(group.cn, user.dn)
  await unlessDeleted(deps, user, () => deps.groups.removeMember(group.cn, user.dn))
  told(deps, by, 'group.member.add', group, { uid: user.uid })
}

/**
 * Throws NotFound (no member), LastMember, LastAdmin. Works for people who are gone as well, whom other programs left
 * behind in a group.
 */
export async function removeMember(deps: Tools, by: Actor, cn: string, uid: string): Promise<void> {
  const [group, dn] = await Promise.all([groupNamed(deps, cn), deps.users.dnOf(uidSpelled(uid))])
  await leave(deps, group, dn)
  told(deps, by, 'group.member.remove', group, { uid })
}

/** Throws NotFound, AlreadyOwner, InsufficientPermission. */
export async function addOwner(deps: Tools, by: Actor, cn: string, uid: string): Promise<void> {
  const [group, user] = await groupAndUser(deps, cn, uid)
  await requireAuthority(deps, by.caller, group)
  await deps.groups.addOwner(group.cn, user.dn)
  await unlessDeleted(deps, user, () => deps.groups.removeOwner(group.cn, user.dn))
  told(deps, by, 'group.owner.add', group, { uid: user.uid })
}

/** Throws NotFound, also for one who is no owner. Works for people who are gone as well. */
export async function removeOwner(deps: Tools, by: Actor, cn: string, uid: string): Promise<void> {
  const [group, dn] = await Promise.all([groupNamed(deps, cn), deps.users.dnOf(uidSpelled(uid))])
  await deps.groups.removeOwner(group.cn, dn)
  told(deps, by, 'group.owner.remove', group, { uid })
}

/**
 * Deletes a group and takes it out of those it is nested in. Throws NotFound, ProtectedGroup, LastMember (it is the only
 * member of another), LastAdmin.
 */
export async function deleteGroup(deps: Tools, by: Actor, cn: string): Promise<GroupName> {
  const group = await exclusively(deps, {
    async act() {
      const found = await groupNamed(deps, cn)
      if (isPermissionGroup(found.cn)) throw new Refusal('ProtectedGroup')
      await requireAdminWithout(deps, { member: found.dn })
      if (!(await deps.groups.remove(found.cn))) refuseAbsent()
      return found
    },
    // Somebody may have nested it once more: a member that is nobody would wait there for a group of the same name.
    async recheck(gone) {
      for (const parent of await deps.groups.namesOf(gone.dn))
        await deps.groups.removeMember(parent.cn, gone.dn)
    },
  })
  await forgetGroup(deps, group.cn)
  told(deps, by, 'group.delete', group)
  return group
}

/** Takes a user or a nested group out of a group. Throws NotFound (no member), LastMember, LastAdmin. */
export async function leave(
  deps: Pick<Deps, 'groups' | 'users' | 'store'>,
  { cn, dn }: GroupName,
  member: string,
): Promise<void> {
  await keepAnAdmin(deps, {
    lost: { group: dn, member },
    act: async () => (await deps.groups.removeMember(cn, member)) || refuseAbsent(),
    undo: () => deps.groups.addMember(cn, member),
  })
}

/** A group without its members. Throws NotFound. */
export async function groupNamed({ groups }: Pick<Deps, 'groups'>, cn: string): Promise<GroupName> {
  return (await groups.named(groupName(cn))) ?? refuseAbsent()
}

export function refuseAbsent(): never {
  throw new Refusal('NotFound', 'There is no such group.')
}

/** Appends what somebody did to a group to the audit log. */
export function told(
  { audit }: Pick<Deps, 'audit'>,
  { event }: Actor,
  action: Extract<Action, `group.${string}`>,
  { cn }: { cn: string },
  detail?: Record<string, string>,
): void {
  audit.append({ ...event, action, target: cn, outcome: 'ok', ...(detail ? { detail } : {}) })
}

async function groupAndUser(deps: Pick<Deps, 'groups' | 'users'>, cn: string, uid: string) {
  return Promise.all([groupNamed(deps, cn), userNamed(deps, uid)])
}

/**
 * Deleting an account empties its memberships first, so one that was given in between would outlive it and wait for the
 * next owner of the name: whoever gave it looks again, and takes it back.
 */
async function unlessDeleted(
  { users }: Pick<Deps, 'users'>,
  { uid, entryUUID }: UserEntry,
  undo: () => Promise<unknown>,
): Promise<void> {
  if ((await users.find(uid))?.entryUUID === entryUUID) return
  await undo().catch((error) => {
    if (!isRefusal(error, 'NotFound')) throw error
  })
  throw new Refusal('NotFound', 'There is no such user.')
}
