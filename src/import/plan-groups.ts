import { isRefusal } from '#src/errors.ts'
import { groupName, newGroupName } from '#src/group/names.ts'
import type { Planning } from './plan.ts'
import type { Named, SourceGroup } from './source.ts'
import type { StandingGroup } from './state.ts'
import { chainFrom, nestIn, newGroup } from './state.ts'

type Wanted = {
  at: string
  cn: string
  description?: string | undefined
  members: Listed[]
  owners: Listed[]
}
/** Somebody as a membership names them, and where it does. */
type Listed = { at: string; who: Named }

/** Plans groups, who joins and owns them, and which are nested: first all groups, then who is in them, then nestings. */
export function planGroups(planning: Planning, groups: SourceGroup[]): void {
  const wanted = [...gathered(planning, groups)]
  for (const group of wanted) planGroup(planning, group)
  for (const group of wanted)
    for (const { at, who } of group.members) {
      const child = find(planning, who)
      if (child && 'cn' in child) planNesting(planning, at, group.cn, child.cn)
    }
}

/** Groups of one name are one. */
function gathered({ plan, sourceDns }: Planning, groups: SourceGroup[]): Iterable<Wanted> {
  const byName = new Map<string, Wanted>()
  for (const { at, dn, cn, description, members, owners } of groups)
    try {
      const name = groupName(cn)
      const key = name.toLowerCase()
      if (dn) sourceDns.set(dn, { cn: key })
      const known = byName.get(key) ?? { at, cn: name, description, members: [], owners: [] }
      byName.set(key, known)
      for (const who of members) known.members.push({ at, who })
      for (const who of owners) known.owners.push({ at, who })
    } catch (error) {
      if (!isRefusal(error)) throw error
      plan.refused.push({ at, field: 'cn', reason: 'is no name of a group' })
    }
  return byName.values()
}

function planGroup(planning: Planning, { at, cn, description, members, owners }: Wanted): void {
  const { state, plan } = planning
  const key = cn.toLowerCase()
  const standing = state.groups.get(key)
  const refused = standing ? undefined : groupFault(planning, cn, description)
  if (refused) {
    plan.refused.push({ at, ...refused })
    return
  }
  const group = standing ?? newGroup(newGroupName(cn))
  state.groups.set(key, group)
  const joining = peopleOf(planning, group, members, 'member')
  const owning = peopleOf(planning, group, owners, 'owner')
  if (!standing)
    plan.steps.push({
      ...{ does: 'make group', at, cn: group.cn, description },
      ...{ members: joining.map(({ uid }) => uid), owners: owning.map(({ uid }) => uid) },
    })
  else {
    for (const { at, uid } of joining) plan.steps.push({ does: 'add member', at, cn: group.cn, uid })
    for (const { at, uid } of owning) plan.steps.push({ does: 'add owner', at, cn: group.cn, uid })
  }
}

function groupFault(planning: Planning, cn: string, description = '') {
  try {
    newGroupName(cn)
  } catch (error) {
    if (!isRefusal(error)) throw error
    return { field: 'cn', reason: error.message.replace(/^name |\.$/g, '') }
  }
  if (description.length > 1024) return { field: 'description', reason: 'is too long' }
  return isGuarded(planning, cn.toLowerCase())
    ? { field: 'cn', reason: `is a permission group: give --permission-groups` }
    : undefined
}

/** Who of those listed is not in the group yet; they are from now on. What cannot be is refused. */
function peopleOf(
  planning: Planning,
  group: StandingGroup,
  listed: Listed[],
  field: 'member' | 'owner',
): { at: string; uid: string }[] {
  const { plan } = planning
  const inIt = field === 'member' ? group.members : group.owners
  const joining: { at: string; uid: string }[] = []
  for (const { at, who } of listed) {
    const found = find(planning, who)
    const refuse = (reason: string) => plan.refused.push({ at: `${at}, group ${group.cn}`, field, reason })
    if (!found) refuse(`names nobody who is here or is imported: ${'dn' in who ? who.dn : who.uid}`)
    else if ('cn' in found) {
      if (field === 'owner') refuse('is a group, which owns nothing')
    } else if (inIt.has(found.uid)) continue
    else if (isGuarded(planning, group.cn.toLowerCase()))
      refuse(`${found.uid} would come into a permission group: give --permission-groups`)
    else {
      inIt.add(found.uid)
      joining.push({ at, uid: found.uid })
    }
  }
  return joining
}

function planNesting(planning: Planning, at: string, cn: string, child: string): void {
  const { state, plan } = planning
  const parent = state.groups.get(cn.toLowerCase())
  const nested = state.groups.get(child)
  if (!parent || parent.nested.has(child)) return
  const refuse = (reason: string) =>
    plan.refused.push({ at: `${at}, group ${parent.cn}`, field: 'member', reason })
  if (!nested) refuse(`names a group that is refused: ${child}`)
  else if (child === cn.toLowerCase()) refuse('is the group itself')
  else if (chainFrom(state.groups, child, 'nested').has(cn.toLowerCase()))
    refuse(`${nested.cn} nested in it would form a loop`)
  else if (isGuarded(planning, cn.toLowerCase()))
    refuse(`${nested.cn} would come into a permission group: give --permission-groups`)
  else {
    nestIn(state.groups, cn.toLowerCase(), child)
    plan.steps.push({ does: 'nest', at, cn: parent.cn, child: nested.cn })
  }
}

/** Whether joining this group gives an `app_sso_*` group, directly or through a chain, and nobody allowed that. */
function isGuarded({ state, options }: Planning, cn: string): boolean {
  if (options.permissionGroups) return false
  return [...chainFrom(state.groups, cn, 'parents')].some((name) => name.startsWith('app_sso_'))
}

/** Who is meant: somebody of the source, else somebody who is here. */
function find({ state, sourceDns }: Planning, who: Named): { uid: string } | { cn: string } | undefined {
  if ('dn' in who) return sourceDns.get(who.dn) ?? state.byDn.get(who.dn)
  const uid = who.uid.trim().toLowerCase()
  return state.people.has(uid) ? { uid } : undefined
}
