/**
 * What a change of a group would do, before it is made: who would gain and who would lose the group itself and each that it
 * is nested in. It says nothing of what the change may be refused for, but the loop.
 */
import type { GroupName, Lost } from '#adapters/ldap/group.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { uidSpelled } from '#src/user/fields.ts'
import { userNamed } from '#src/user/service.ts'
import type { Preview, PreviewQuery } from './schemas.ts'
import { groupNamed } from './service.ts'

type Tools = Pick<Deps, 'groups' | 'users'>
type Changed = Preview['groups']

/** Throws NotFound for a group or a new member that is not there, InvalidInput without a `name` where one is needed. */
export async function preview(deps: Tools, cn: string, asked: PreviewQuery): Promise<Preview> {
  const { change, name = '' } = asked
  if (name === '' && change !== 'delete') throw new Refusal('InvalidInput', 'name is missing.')
  const group = await groupNamed(deps, cn)
  switch (change) {
    case 'addMember':
      return { groups: await gains(deps, group, [(await userNamed(deps, name)).dn]) }
    case 'nest':
      return previewNesting(deps, group, await groupNamed(deps, name))
    case 'removeMember':
      return {
        groups: await losses(deps, group, {
          member: await deps.users.dnOf(uidSpelled(name)),
          group: group.dn,
        }),
      }
    case 'unnest':
      return {
        groups: await losses(deps, group, { member: (await groupNamed(deps, name)).dn, group: group.dn }),
      }
    case 'delete':
      return { groups: await lossesWithout(deps, group) }
  }
}

async function previewNesting(deps: Tools, group: GroupName, child: GroupName): Promise<Preview> {
  if (child.dn === group.dn) return { loop: [group.cn, group.cn], groups: [] }
  const back = (await deps.groups.chainsOf(group.dn)).find(({ dn }) => dn === child.dn)
  if (back) return { loop: [group.cn, ...back.via, group.cn], groups: [] }
  return { groups: await gains(deps, group, await peopleIn(deps, child.cn)) }
}

async function gains(deps: Tools, group: GroupName, people: string[]): Promise<Changed> {
  return changed(deps, group, async ({ cn }) => ({
    gain: without(people, await peopleIn(deps, cn)),
    loss: [],
  }))
}

async function losses(deps: Tools, group: GroupName, lost: Lost): Promise<Changed> {
  return changed(deps, group, async ({ cn }) => {
    const [now, then] = await Promise.all([peopleIn(deps, cn), peopleIn(deps, cn, lost)])
    return { gain: [], loss: without(now, then) }
  })
}

/** When it is deleted all lose it, and what it is nested in loses it. */
async function lossesWithout(deps: Tools, group: GroupName): Promise<Changed> {
  const [, ...above] = await losses(deps, group, { member: group.dn })
  return [{ cn: group.cn, gain: [], loss: await peopleIn(deps, group.cn) }, ...above]
}

/** The group first, whatever changes in it; one after the other, since each may hold everybody. */
async function changed(
  { groups }: Pick<Deps, 'groups'>,
  group: GroupName,
  change: (group: GroupName) => Promise<{ gain: string[]; loss: string[] }>,
): Promise<Changed> {
  const all: Changed = [{ cn: group.cn, ...(await change(group)) }]
  for (const above of await groups.ancestorsOf(group.dn)) {
    if (above.dn === group.dn) continue
    const { gain, loss } = await change(above)
    if (gain.length + loss.length > 0) all.push({ cn: above.cn, gain, loss })
  }
  return all
}

async function peopleIn({ groups }: Pick<Deps, 'groups'>, cn: string, lost?: Lost): Promise<string[]> {
  return (await groups.effectiveMembersOf(cn, lost))?.effective ?? []
}

function without(dns: string[], others: string[]): string[] {
  const known = new Set(others.map((dn) => dn.toLowerCase()))
  return dns.filter((dn) => !known.has(dn.toLowerCase()))
}
