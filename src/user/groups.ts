import type { Static } from 'typebox'
import type { Deps } from '#src/deps.ts'
import type { GroupsOfUser } from './schemas.ts'

/** Every group somebody is in, through nested ones too, with one shortest chain, and every group they own, both by name. */
export async function groupsOf(
  { groups }: Pick<Deps, 'groups'>,
  { dn }: { dn: string },
): Promise<Static<typeof GroupsOfUser>> {
  const [chains, owned] = await Promise.all([
    groups.chainsOf(dn),
    Array.fromAsync(groups.list({ ownerDn: dn }), ({ cn }) => cn),
  ])
  const results = chains.map(({ cn, via }) => ({ cn, via }))
  return { results: results.sort((a, b) => a.cn.localeCompare(b.cn)), owned: owned.sort() }
}
