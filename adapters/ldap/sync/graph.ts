import { normaliseDn } from '../dn.ts'
import type { Branch } from '../effective.ts'
import type { GroupName, Reached } from '../nesting.ts'

/** A DN that somebody has, or that some group lists. */
type Place = {
  key: string
  dn: string
  id: string | undefined
  group: Group | undefined
  above: Group[]
  /** The walk that came here last. */
  seen: number
}
type Group = GroupName & { place: Place; deep: boolean; holds: Place[] }
/** An entry as the feed tells it: of people only that they are there. */
export type Told = { dn: string; cn: string; members: Iterable<string> | undefined }
export type Graph = ReturnType<typeof createGraph>

/**
 * Who is in which group, people and nested groups, by DNs in one spelling.
 *
 * Some questions it declines, and the directory is to be asked. slapo-refint rewrites the memberships of an entry that
 * was renamed or deleted later and without a word in the feed, so the old and the new name stay doubtful. And where a
 * group lies deeper than directly below the base, the entry in between may be renamed, which is no change of the group.
 */
export function createGraph(bases: { groups: string; people: string }) {
  const suffix = `,${normaliseDn(bases.groups)}`
  const suffixes = [suffix, `,${normaliseDn(bases.people)}`]
  const places = new Map<string, Place>()
  const byId = new Map<string, Place>()
  const doubtful = new Set<string>()
  let walks = 0

  function placeOf(key: string, dn: string): Place {
    let place = places.get(key)
    if (!place) {
      place = { key, dn, id: undefined, group: undefined, above: [], seen: 0 }
      places.set(key, place)
    }
    return place
  }

  function tidy(place: Place) {
    if (place.id === undefined && place.above.length === 0) places.delete(place.key)
  }

  function release({ group }: Place) {
    for (const held of group?.holds ?? []) {
      const at = held.above.indexOf(group as Group)
      const last = held.above.pop() as Group
      if (last !== group) held.above[at] = last
      tidy(held)
    }
  }

  function vacate(place: Place, id: string) {
    doubtful.add(place.key)
    if (place.id !== id) return
    release(place)
    place.id = undefined
    place.group = undefined
    tidy(place)
  }

  function hold(group: Group, members: Iterable<string>) {
    for (const member of members) {
      const held = placeOf(normaliseDn(member), member)
      held.above.push(group)
      group.holds.push(held)
    }
  }

  function drop(id: string): GroupName | undefined {
    const place = byId.get(id)
    if (!place) return undefined
    const { group } = place
    byId.delete(id)
    vacate(place, id)
    return group
  }

  function isSure(place: Place | undefined): place is Place {
    if (place?.id === undefined || doubtful.has(place.key)) return false
    return !place.group?.deep && !place.above.some(({ deep }) => deep)
  }

  return {
    /** How many entries there are. */
    get size() {
      return byId.size
    },
    /** Names not to be trusted. When they become many, it is time to read all anew. */
    doubtful,

    /** An entry as it is now; the id tells one that was renamed. */
    put(id: string, { dn, cn, members }: Told): void {
      const key = normaliseDn(dn)
      const before = byId.get(id)
      if (before && before.key !== key) {
        vacate(before, id)
        doubtful.add(key)
      }
      const place = placeOf(key, dn)
      // Where another entry was: the container of that one was renamed, or its end is told later.
      if (place.id !== undefined && place.id !== id) doubtful.add(key)
      byId.set(id, place)
      place.id = id
      place.dn = dn
      release(place)
      place.group = undefined
      if (!members) return
      const deep = key.slice(0, -suffix.length).includes(',')
      place.group = { dn, cn, place, deep, holds: [] }
      hold(place.group, members)
    },
    /** Answers what it was called if it was a group. */
    drop,
    /** Drops whatever is not among `ids`. */
    keep(ids: ReadonlySet<string>): void {
      for (const id of byId.keys()) if (!ids.has(id)) drop(id)
    },

    /** True when somebody is listed who is not there: right after reading that may be refint's unfinished work. */
    get dangles(): boolean {
      const absent = [...places.values()].filter(({ id }) => id === undefined)
      return absent.some(({ key }) => suffixes.some((end) => key.endsWith(end)))
    },

    /**
     * Adds to `known` all groups that hold one of the DNs, through whatever chain, and answers those of whom the directory
     * is to be asked who lists them.
     */
    climb(dns: string[], known: Map<string, Reached>): string[] {
      const unsure: string[] = []
      const sure: Place[] = []
      for (const dn of dns) {
        const place = places.get(normaliseDn(dn))
        if (isSure(place)) sure.push(place)
        else unsure.push(dn)
      }
      for (const { above, key } of sure)
        for (const { dn, cn, place } of above) {
          const reached = known.get(place.key)
          reached?.below.push(key)
          if (reached) continue
          known.set(place.key, { cn, dn, below: [key] })
          if (isSure(place)) sure.push(place)
          else unsure.push(dn)
        }
      return unsure
    },

    /** Everybody below any of the groups, once; undefined when the directory is to be asked. */
    peopleBelow(dns: string[], except: string): string[] | undefined {
      const people: string[] = []
      const groups: Group[] = []
      // Many walks over many people: a mark on each costs a tenth of a set of them.
      const walk = ++walks
      /** False where the directory is to be asked. */
      const visit = (place: Place): boolean => {
        if (place.seen === walk) return true
        place.seen = walk
        if (doubtful.has(place.key) || place.group?.deep) return false
        if (place.group) groups.push(place.group)
        else if (place.key !== except) people.push(place.dn)
        return true
      }
      for (const dn of dns) {
        const place = places.get(normaliseDn(dn))
        if (!place?.group || !visit(place)) return undefined
      }
      for (const { holds } of groups) if (!holds.every(visit)) return undefined
      return people
    },

    /**
     * As Nesting.treeBelow, without the memberships to look past, told by normalised DNs; undefined when there is no such
     * group, or the directory is to be asked.
     */
    treeBelow(dn: string, isLost: (group: string, member: string) => boolean): Branch[] | undefined {
      const top = places.get(normaliseDn(dn))
      const tree: Branch[] = []
      const level = new Set([top])
      for (const place of level) {
        const { group } = place ?? {}
        if (!group || group.deep) return undefined
        const listed = group.holds.filter((held) => !isLost(group.place.key, held.key))
        if (listed.some(({ key }) => doubtful.has(key))) return undefined
        const nested = listed.filter((held) => held.group)
        for (const held of nested) level.add(held)
        tree.push({
          ...{ cn: group.cn, dn: group.dn },
          users: listed.filter((held) => !held.group).map((held) => held.dn),
          groups: nested.map((held) => held.dn),
        })
      }
      return tree
    },
  }
}
