import { queryOptions } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { isSame, nameOf, without } from './names.ts'
import type { Effective } from './queries.ts'
import { effective, group } from './queries.ts'

/** Who would become a member of `name` by nesting `child` in it; or the loop that this would close, from `name` back to it. */
export const gains = (name: string, child: string) =>
  queryOptions({
    queryKey: ['groups', 'gains', name, child],
    queryFn: async (): Promise<{ gain: string[]; loop?: string[] }> => {
      const [now, more] = await Promise.all([fresh(name), fresh(child)])
      if (isSame(now.cn, more.cn)) return { gain: [], loop: [now.cn, more.cn] }
      const back = more.nestedGroups.some(({ cn }) => isSame(cn, now.cn)) && (await pathDown(more, now.cn))
      if (back) return { gain: [], loop: [now.cn, ...back] }
      return { gain: without(more.effective, now.effective) }
    },
    gcTime: 0,
  })

/** Who would stop being a member of `name` when `dn`, a person or a nested group, is taken out of it. */
export const losses = (name: string, dn: string) =>
  queryOptions({
    queryKey: ['groups', 'losses', name, dn],
    queryFn: async (): Promise<string[]> => {
      const [now, { member }] = await Promise.all([
        fresh(name),
        queries.fetchQuery({ ...group(name), staleTime: 0 }),
      ])
      const rest = now.nestedGroups.filter((nested) => isIn(member, nested.dn) && !isSame(nested.dn, dn))
      const others = await Promise.all(rest.map(({ cn }) => fresh(cn)))
      return without(now.effective, [
        ...now.direct.filter((each) => !isSame(each, dn)),
        ...others.flatMap(({ effective }) => effective),
      ])
    },
    gcTime: 0,
  })

function fresh(name: string): Promise<Effective> {
  return queries.fetchQuery({ ...effective(name), staleTime: 0 })
}

/** One shortest path of nestings from a group down to `target`, both named. */
async function pathDown({ cn, nestedGroups }: Effective, target: string): Promise<string[]> {
  const known = new Map(nestedGroups.map((nested) => [nested.dn.toLowerCase(), nested.cn]))
  let paths = [[cn]]
  while (paths.length > 0) {
    const found = paths.find((path) => isSame(path.at(-1) ?? '', target))
    if (found) return found
    const level = paths.map(async (path) => {
      const { member } = await queries.fetchQuery(group(path.at(-1) ?? ''))
      return member.flatMap((dn) => {
        const nested = known.get(dn.toLowerCase())
        known.delete(dn.toLowerCase())
        return nested === undefined ? [] : [[...path, nested]]
      })
    })
    paths = (await Promise.all(level)).flat()
  }
  return [cn, nameOf(target)]
}

export function isIn(dns: readonly string[], dn: string): boolean {
  return dns.some((each) => isSame(each, dn))
}
