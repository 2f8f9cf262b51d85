import type { Static } from 'typebox'
import type { Deps } from '#src/deps.ts'
import type { GroupsOfUser } from './schemas.ts'

/** Every group somebody is in, through nested ones too, with one shortest chain, and every group they own, both by name. */
export async function groupsOf(
  { groups }: Pick<Deps, 'groups'>,
  { dn }: { dn: string },
): Promise<Static<typeof GroupsOfUser>> {
  const owned: string[] = []
  const chains = await groups.chainsOf(dn)
  for await (const { cn } of groups.list({ ownerDn: dn })) owned.push(cn)
  const results = chains.map(({ cn, via }) => ({ cn, via }))
  return { results: results.sort((a, b) => a.cn.localeCompare(b.cn)), owned: owned.sort() }
}
