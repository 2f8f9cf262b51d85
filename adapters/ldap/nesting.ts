import { setTimeout as pause } from 'node:timers/promises'
import type { Entry } from 'ldapts'
import type { Context } from './context.ts'
import { isWithin, normaliseDn, parseDn, sameDn } from './dn.ts'
import type { Branch } from './effective.ts'
import { firstOf, valuesOf } from './entry.ts'
import { all, any, chunks, equals } from './filters.ts'

export type GroupName = { cn: string; dn: string }
/** A group that was reached by walking up, and from where: by normalised DNs, the nearest way first. */
export type Reached = GroupName & { below: string[] }
/** A group that lists another, by name. */
export type NestingEdge = { group: string; nested: string }
/** `via`: one shortest chain of names, from the group down to the one that lists the person. */
export type Chain = GroupName & { via: string[] }
/** A membership to look past: of one group, or of all. */
export type Lost = { member: string; group?: string }

/** Longer than a write of ours is awaited (sync/feed.ts). */
const patience = { tries: 30, pauseMilliseconds: 50 }

/**
 * The graph of groups, walked breadth-first, each group once, so that loops which others wrote do no harm: in memory
 * where it is and can be trusted (sync/feed.ts), else by plain searches from one level to the next, which every server
 * answers.
 */
export function openNesting({ pool, layout, feed }: Pick<Context, 'pool' | 'layout' | 'feed'>) {
  const { base, filter, member, placeholder } = layout.group

  /** Members are read only to `explain`: there may be many. */
  async function parentsOf(dns: string[], explain = false): Promise<Entry[]> {
    const searches = chunks(dns).map((part) =>
      pool.search(base, {
        filter: all(filter, any(part.map((dn) => equals(member, dn)))),
        attributes: ['cn', ...(explain ? [member] : [])],
      }),
    )
    return (await Promise.all(searches)).flat()
  }

  /** All groups that hold the DN, by normalised DNs, breadth first: one round trip, or one for each level. */
  async function climb(dn: string, { explain }: { explain: boolean }): Promise<Map<string, Reached>> {
    const known = new Map<string, Reached>()
    const graph = await feed?.current()
    for (let level = [dn]; ; ) {
      const unsure = graph ? graph.climb(level, known) : level
      if (unsure.length === 0) return known
      const nested = explain ? unsure.map(normaliseDn) : []
      const parents = await parentsOf(unsure, explain)
      level = []
      for (const entry of parents) {
        const key = normaliseDn(entry.dn)
        const listed = new Set(explain ? valuesOf(entry, member).map(normaliseDn) : [])
        const below = nested.filter((each) => listed.has(each))
        const reached = known.get(key)
        reached?.below.push(...below)
        if (reached) continue
        known.set(key, { ...nameOf(entry), below })
        level.push(entry.dn)
      }
    }
  }

  /** Those of the DNs that are groups, by their RDN and then by the whole DN. */
  async function groupsAmong(dns: string[]): Promise<Entry[]> {
    const wanted = new Set(dns.map(normaliseDn))
    const rdns = dns.map((dn) => parseDn(dn)?.[0]).filter((part) => part !== undefined)
    const searches = chunks(rdns).map((part) =>
      pool.search(base, {
        filter: all(filter, any(part.map(({ attribute, value }) => equals(attribute, value)))),
        attributes: ['cn', member],
      }),
    )
    return (await Promise.all(searches)).flat().filter((entry) => wanted.has(normaliseDn(entry.dn)))
  }

  return {
    /** Groups that list the DN themselves. */
    namesOf: async (dn: string): Promise<GroupName[]> => (await parentsOf([dn])).map(nameOf),

    /** All groups that hold the DN, through whatever chain: one round trip, or one for each level. */
    async effectiveGroupsOf(dn: string): Promise<GroupName[]> {
      return [...(await climb(dn, { explain: false })).values()].map(({ cn, dn }) => ({ cn, dn }))
    },

    /** The same with how: for each group one shortest chain. */
    async chainsOf(dn: string): Promise<Chain[]> {
      const known = await climb(dn, { explain: true })
      const start = normaliseDn(dn)
      const viaOf = ({ cn, below: [nearest = start] }: Reached): string[] => {
        const next = nearest === start ? undefined : known.get(nearest)
        return [cn, ...(next ? viaOf(next) : [])]
      }
      return [...known.values()].map((group) => ({ cn: group.cn, dn: group.dn, via: viaOf(group) }))
    },

    /** All groups that hold this one, through whatever chain, and which of them lists which. */
    async above({ cn, dn }: GroupName): Promise<{ groups: GroupName[]; edges: NestingEdge[] }> {
      const known = await climb(dn, { explain: true })
      known.delete(normaliseDn(dn))
      const groups = [...known.values()]
      const edges = groups.flatMap((group) =>
        [...new Set(group.below)].map((key) => ({ group: group.cn, nested: known.get(key)?.cn ?? cn })),
      )
      return { groups: groups.map(({ cn, dn }) => ({ cn, dn })), edges }
    },

    /**
     * What answers, from memory by this one question, who is below any of some groups, by DN; undefined where searches must.
     * Since that may be many searches, it waits for a memory that only lacks our own last writes.
     */
    async knownPeople(): Promise<(dns: string[]) => string[] | undefined> {
      let graph = await feed?.current()
      for (let tries = 0; !graph && feed?.live && tries < patience.tries; tries++) {
        await pause(patience.pauseMilliseconds)
        graph = await feed.current()
      }
      const hidden = normaliseDn(placeholder)
      return (dns) => graph?.peopleBelow(dns, hidden)
    },

    /** As `treeBelow`, from memory and by DN; undefined when it is not there, or searches must answer. */
    async treeKnownBelow(dn: string, lost?: Lost): Promise<[Branch, ...Branch[]] | undefined> {
      const graph = await feed?.current()
      const hidden = normaliseDn(placeholder)
      const isOver = overIn(lost)
      const tree = graph?.treeBelow(dn, (group, member) => member === hidden || isOver(group, member))
      return tree as [Branch, ...Branch[]] | undefined
    },

    /** The group and all nested in it, each once, breadth first; DNs in `groups` are spelled as in `dn`. */
    async treeBelow(top: Entry, lost?: Lost): Promise<[Branch, ...Branch[]]> {
      const visited = new Set([normaliseDn(top.dn)])
      const tree: Branch[] = []
      for (let level = [top]; level.length > 0; ) {
        const listed = level.flatMap((entry) => listedOn(entry, lost)).filter(mayBeGroup)
        const found = new Map((await groupsAmong(listed)).map((entry) => [normaliseDn(entry.dn), entry]))
        tree.push(...level.map((entry) => branchOf(entry, listedOn(entry, lost), found)))
        level = [...found].filter(([key]) => !visited.has(key)).map(([, entry]) => entry)
        for (const key of found.keys()) visited.add(key)
      }
      return tree as [Branch, ...Branch[]]
    },
  }

  function listedOn(entry: Entry, lost: Lost | undefined): string[] {
    return valuesOf(entry, member).filter((dn) => !sameDn(dn, placeholder) && !isLost(lost, entry.dn, dn))
  }

  /** Spares the search for people where they live apart from the groups. */
  function mayBeGroup(dn: string): boolean {
    return isWithin(dn, base)
  }
}

function isLost(lost: Lost | undefined, group: string, dn: string): boolean {
  if (!lost || !sameDn(lost.member, dn)) return false
  return lost.group === undefined || sameDn(lost.group, group)
}

/** `isLost` for DNs that are normalised already. */
function overIn(lost: Lost | undefined): (group: string, dn: string) => boolean {
  if (!lost) return () => false
  const member = normaliseDn(lost.member)
  const group = lost.group && normaliseDn(lost.group)
  return (from, dn) => dn === member && (group === undefined || from === group)
}

function branchOf(entry: Entry, members: string[], groups: Map<string, Entry>): Branch {
  const nested = members.map((dn) => groups.get(normaliseDn(dn))).filter((group) => group !== undefined)
  return {
    ...nameOf(entry),
    users: members.filter((dn) => !groups.has(normaliseDn(dn))),
    groups: nested.map((group) => group.dn),
  }
}

export function nameOf(entry: Entry): GroupName {
  return { cn: firstOf(entry, 'cn') ?? '', dn: entry.dn }
}
