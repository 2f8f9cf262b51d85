import type { Lost } from '#adapters/ldap/group.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { exclusively } from './exclusive.ts'

/** How many people are looked up at once until an active one is found. */
const batch = 50

/**
 * Makes a change by which somebody stops being an admin, unless nobody active would be left: then LastAdmin (contract
 * section 2). `lost` is the membership that ends, of one group or (a locked or deleted account) of all. Such changes run
 * one at a time over all pods, so that two admins cannot remove each other at once.
 */
export async function keepAnAdmin<T>(
  deps: Pick<Deps, 'groups' | 'users' | 'store'>,
  { lost, act, undo }: { lost: Lost; act: () => Promise<T>; undo: () => Promise<unknown> },
): Promise<T> {
  const { made } = await exclusively(deps, {
    async act() {
      const had = await requireAdminWithout(deps, lost)
      return { made: await act(), had }
    },
    async recheck({ had }) {
      if (!had || (await hasAdmin(deps))) return
      await undo()
      throw new Refusal('LastAdmin')
    },
  })
  return made
}

/**
 * Throws LastAdmin when it is this membership that the last active admin hangs on; false where there is none anyway. Only
 * inside `exclusively`.
 */
export async function requireAdminWithout(
  deps: Pick<Deps, 'groups' | 'users'>,
  lost: Lost,
): Promise<boolean> {
  if (await hasAdmin(deps, lost)) return true
  if (await hasAdmin(deps)) throw new Refusal('LastAdmin')
  return false
}

async function hasAdmin({ groups, users }: Pick<Deps, 'groups' | 'users'>, lost?: Lost): Promise<boolean> {
  const { effective = [] } = (await groups.effectiveMembersOf('app_sso_admin', lost)) ?? {}
  for (let at = 0; at < effective.length; at += batch) {
    const found = await users.findByDns(effective.slice(at, at + batch))
    if (found.some(({ isActive }) => isActive)) return true
  }
  return false
}
