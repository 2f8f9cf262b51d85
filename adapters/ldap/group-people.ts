import type { EffectiveMembers } from './effective.ts'
import type { openNesting } from './nesting.ts'

type Source = {
  nesting: Pick<ReturnType<typeof openNesting>, 'knownPeople'>
  dnOf(cn: string): string
  effectiveMembersOf(cn: string): Promise<EffectiveMembers | undefined>
}

/**
 * For each list of group names the DNs of everybody who is effectively in any of them, once: from memory by one question
 * for all lists. Where that cannot answer each group is searched, once for all lists.
 */
export async function* peopleOf(
  { nesting, dnOf, effectiveMembersOf }: Source,
  lists: Iterable<string[]>,
): AsyncGenerator<string[]> {
  const known = await nesting.knownPeople()
  const searched = new Map<string, Promise<EffectiveMembers | undefined>>()
  const search = (cn: string) => {
    const asked = searched.get(cn) ?? effectiveMembersOf(cn)
    searched.set(cn, asked)
    return asked
  }
  for (const names of lists) {
    const people = known(names.map(dnOf))
    if (people) {
      yield people
      continue
    }
    const found = new Map<string, string>()
    for (const cn of names)
      for (const dn of (await search(cn))?.effective ?? []) found.set(dn.toLowerCase(), dn)
    yield [...found.values()]
  }
}
