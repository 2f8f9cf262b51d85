import type { GroupName } from '#adapters/ldap/group.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import type { Caller } from '#src/http/caller.ts'

/**
 * Refuses with InsufficientPermission when whoever joins, is nested in or owns `group` would gain an `app_sso_*` group
 * that the caller has no authority over: the group itself or one it is nested in at any depth (contract section 6,
 * attacks row 29). Authority is to be an admin, or an owner of that very group; a personal access token has none: whoever
 * it made an admin could do what it may not (contract section 12).
 */
export async function requireAuthority(
  { groups }: Pick<Deps, 'groups'>,
  caller: Pick<Caller, 'dn' | 'isMemberOf' | 'apiToken'>,
  group: GroupName,
): Promise<void> {
  if (!caller.apiToken && (await caller.isMemberOf('app_sso_admin'))) return
  const gained = [group, ...(await groups.ancestorsOf(group.dn))].filter(({ cn }) => /^app_sso_/i.test(cn))
  if (caller.apiToken && gained.length > 0)
    throw new Refusal('InsufficientPermission', 'A personal access token gives nobody an app_sso_ group.')
  for (const { cn } of gained)
    if (!(await groups.isOwner(caller.dn, cn)))
      throw new Refusal(
        'InsufficientPermission',
        `This would give membership of ${cn}, which you do not own.`,
      )
}
