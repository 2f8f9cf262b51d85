import type { EffectiveMembers } from '#adapters/ldap/group.ts'
import type { Deps } from '#src/deps.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import type { Actor } from '#src/user/actor.ts'
import { requireAuthority } from './authority.ts'
import { exclusively } from './exclusive.ts'
import { groupName } from './names.ts'
import type { Effective } from './schemas.ts'
import type { Tools } from './service.ts'
import { groupNamed, leave, readGroup, refuseAbsent, told } from './service.ts'

/** The state of a group after its nesting changed. */
export type Nested = { cn: string; member: string[] }

/**
 * Nests a group in another: the child's members become members of it at any depth. One nesting at a time over all pods,
 * so that two that are sound by themselves do not form a loop together. Throws NotFound, SelfNesting, AlreadyNested,
 * NestingLoop, InsufficientPermission.
 */
export async function nest(deps: Tools, by: Actor, cn: string, childCn: string): Promise<Nested> {
  const { groups } = deps
  const { group, child } = await exclusively(deps, {
    async act() {
      const [group, child] = await Promise.all([groupNamed(deps, cn), groupNamed(deps, childCn)])
      if (group.dn === child.dn) throw new Refusal('SelfNesting')
      await requireAuthority(deps, by.caller, group)
      if (await isWithin(deps, group, child)) throw new Refusal('NestingLoop')
      await groups.addMember(group.cn, child.dn).catch((error) => {
        throw isRefusal(error, 'AlreadyMember')
          ? new Refusal('AlreadyNested', undefined, { cause: error })
          : error
      })
      return { group, child }
    },
    async recheck({ group, child }) {
      if (!(await isWithin(deps, group, child))) return
      await groups.removeMember(group.cn, child.dn)
      throw new Refusal('NestingLoop')
    },
  })
  told(deps, by, 'group.nest', group, { child: child.cn })
  return readGroup(deps, group.cn)
}

/** Throws NotFound (also when it is not nested there), LastMember, LastAdmin. */
export async function unnest(deps: Tools, by: Actor, cn: string, childCn: string): Promise<Nested> {
  const [group, child] = await Promise.all([groupNamed(deps, cn), groupNamed(deps, childCn)])
  await leave(deps, group, child.dn)
  told(deps, by, 'group.unnest', group, { child: child.cn })
  return readGroup(deps, group.cn)
}

/** Who is in a group through the whole chain; `explain` adds how. Throws NotFound. */
export async function effective(
  { groups }: Pick<Deps, 'groups'>,
  cn: string,
  { explain }: { explain: boolean },
): Promise<Effective> {
  const found: EffectiveMembers = (await groups.effectiveMembersOf(groupName(cn))) ?? refuseAbsent()
  const { via, ...members } = found
  return { ...members, ...(explain ? { via: Object.fromEntries(via) } : {}) }
}

/** The groups around one, at any depth. Throws NotFound. */
export async function nestingAround({ groups }: Pick<Deps, 'groups'>, cn: string) {
  return (await groups.nestingOf(groupName(cn))) ?? refuseAbsent()
}

/** True when `group` is nested in `other`, at any depth. */
async function isWithin(
  { groups }: Pick<Deps, 'groups'>,
  group: { dn: string },
  other: { dn: string },
): Promise<boolean> {
  return (await groups.ancestorsOf(group.dn)).some(({ dn }) => dn === other.dn)
}
