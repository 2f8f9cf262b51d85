import type { Entry, Change as Modification } from 'ldapts'
import { Refusal } from '#src/errors.ts'
import type { Context } from './context.ts'
import { childDn, sameDn } from './dn.ts'
import type { Branch, EffectiveMembers } from './effective.ts'
import { effectiveMembers, nestedIn } from './effective.ts'
import { add, attributesOf, replace, take, valuesOf } from './entry.ts'
import { all, equals } from './filters.ts'
import type { GroupEntry } from './group-entry.ts'
import { groupAttributes, groupOf } from './group-entry.ts'
import { openGroupLists } from './group-lists.ts'
import { peopleOf } from './group-people.ts'
import { isPlainName, plainName, sameName } from './names.ts'
import type { GroupName, Lost } from './nesting.ts'
import { nameOf, openNesting } from './nesting.ts'
import type { Occasion } from './results.ts'
import { codeOf } from './results.ts'

export type { EffectiveMembers } from './effective.ts'
export type { GroupEntry, GroupSummary } from './group-entry.ts'
export type { GroupQuery } from './group-lists.ts'
export type { Chain, GroupName, Lost } from './nesting.ts'
export type Groups = ReturnType<typeof openGroups>

export type NewGroup = {
  cn: string
  description?: string | undefined
  /** None: a hidden placeholder holds the place, where groups need a member. */
  member: string | string[]
  owner: string | string[]
}

/** Groups. Absence is `undefined` (or false); conflicts are refusals, decided by the directory. */
export function openGroups(context: Context) {
  const { pool, layout, capabilities, counter, feed, onChange } = context
  const { group: names } = layout
  const nesting = openNesting(context)
  const full = groupAttributes(layout)
  const dnOf = (cn: string) => childDn('cn', cn, names.base)

  async function read(cn: string, attributes = full): Promise<Entry | undefined> {
    const name = plainName(cn)
    if (name === undefined) return undefined
    const [entry] = await pool.search(names.base, {
      filter: all(equals('cn', name), names.filter),
      attributes,
    })
    return entry
  }

  /** Modifies the group; false when there is none. Its DN is the usual one, or else the one found. */
  async function modify(occasion: Occasion, cn: string, changes: Modification[]): Promise<boolean> {
    const name = plainName(cn)
    if (name === undefined) return false
    const attempt = async (dn: string) => {
      await pool.write(occasion, (connection) => connection.modify(dn, changes))
      await onChange({ group: cn })
      return true
    }
    const usual = dnOf(name)
    return attempt(usual).catch(async (error) => {
      if (codeOf(error) !== 32) throw error
      const found = await read(name, ['1.1'])
      return found && !sameDn(found.dn, usual) ? attempt(found.dn) : false
    })
  }

  async function holds(cn: string, attribute: string, dn: string): Promise<boolean> {
    const name = plainName(cn)
    if (name === undefined) return false
    try {
      return await pool.read((connection) => connection.compare(dnOf(name), attribute, dn))
    } catch (error) {
      if (codeOf(error) === 16) return false
      if (codeOf(error) !== 32) throw error
      const found = await read(name, [attribute])
      return found !== undefined && valuesOf(found, attribute).some((each) => sameDn(each, dn))
    }
  }

  async function treeOf(cn: string, lost?: Lost): Promise<[Branch, ...Branch[]] | undefined> {
    const name = plainName(cn)
    const tree = name === undefined ? undefined : await nesting.treeKnownBelow(dnOf(name), lost)
    if (tree) return tree
    const entry = await read(cn, ['cn', names.member])
    return entry && nesting.treeBelow(entry, lost)
  }

  /** Everybody in the group through the whole chain; with `lost` as if that membership had ended. */
  async function effectiveMembersOf(cn: string, lost?: Lost): Promise<EffectiveMembers | undefined> {
    const tree = await treeOf(cn, lost)
    return tree && effectiveMembers(tree)
  }

  return {
    async find(cn: string): Promise<GroupEntry | undefined> {
      const entry = await read(cn)
      return entry && groupOf(entry, layout)
    },

    /** The group's own spelling of its name and its DN, without reading its members. */
    async named(cn: string): Promise<GroupName | undefined> {
      const entry = await read(cn, ['cn'])
      return entry && nameOf(entry)
    },

    ...openGroupLists(context),

    /** Throws AlreadyExists. */
    async create({ cn, description, member, owner }: NewGroup): Promise<GroupEntry> {
      if (!isPlainName(cn)) throw new Refusal('InvalidInput', 'name holds signs that a name cannot have.')
      const dn = dnOf(cn)
      const number = capabilities.posixGroup ? await counter.next() : undefined
      const attributes = attributesOf({
        objectClass: [names.class, ...(number === undefined ? [] : ['posixGroup'])],
        cn,
        description,
        gidNumber: number?.toString(),
        [names.member]: member.length > 0 ? member : names.placeholder,
        [names.owner]: owner,
      })
      await pool.write('create', (connection) => connection.add(dn, attributes))
      await onChange({ group: cn })
      const made = { cn, dn, description: description ?? '', member: [member].flat(), owner: [owner].flat() }
      return { ...made, ...(number ? { gidNumber: number } : {}) }
    },

    /** Un-nests it first. False when there is none; LastMember when it is the only member of another group. */
    async remove(cn: string): Promise<boolean> {
      const entry = await read(cn, ['cn'])
      if (!entry) return false
      await unnestEverywhere(entry.dn)
      const gone = await pool
        .write('remove', (connection) => connection.del(entry.dn))
        .then(
          () => true,
          (error) => {
            if (codeOf(error) === 32) return false
            throw error
          },
        )
      await onChange({ group: cn })
      return gone
    },

    /** False when there is no such group. */
    describe: (cn: string, description: string) =>
      modify('change', cn, [replace('description', ...(description === '' ? [] : [description]))]),

    /** False when there is no such group. Throws AlreadyMember. The directory accepts any DN: look first who it is. */
    addMember: (cn: string, dn: string) => modify('addMember', cn, [add(names.member, dn)]),

    /** False when there is no such group. Throws NotFound (no member), LastMember. */
    async removeMember(cn: string, dn: string): Promise<boolean> {
      if (sameDn(dn, names.placeholder)) throw new Refusal('NotFound', 'This is not a member of the group.')
      if (!capabilities.memberRequired) await refuseLast(cn, dn)
      try {
        // A placeholder must not pass for a last member: where there is one it goes in the same step.
        return await modify('removeMember', cn, [take(names.member, names.placeholder, dn)])
      } catch (error) {
        if (codeOf(error) !== 16) throw error
        return modify('removeMember', cn, [take(names.member, dn)])
      }
    },

    /** False when there is no such group. Throws AlreadyOwner. */
    addOwner: (cn: string, dn: string) => modify('addOwner', cn, [add(names.owner, dn)]),

    /** False when there is no such group. Throws NotFound (no owner). */
    removeOwner: (cn: string, dn: string) => modify('removeOwner', cn, [take(names.owner, dn)]),

    /** Ownership is not transitive. */
    isOwner: (dn: string, cn: string) => holds(cn, names.owner, dn),

    namesOf: nesting.namesOf,
    effectiveGroupsOf: nesting.effectiveGroupsOf,
    chainsOf: nesting.chainsOf,
    /** Groups that the group is nested in, at any depth. */
    ancestorsOf: nesting.effectiveGroupsOf,

    /**
     * From memory where the graph is live. Else one compare when the DN is listed on the group itself; else the walk up from
     * the DN, or down from a group that is known to be `small`, with few nested in it: what it holds is then one search
     * away, however many groups hold the DN.
     */
    async isEffectiveMember(dn: string, cn: string, { small = false } = {}): Promise<boolean> {
      const inMemory = feed?.live ?? false
      if (!inMemory && (await holds(cn, names.member, dn))) return true
      if (inMemory || !small)
        return (await nesting.effectiveGroupsOf(dn)).some((group) => sameName(group.cn, cn))
      const members = await effectiveMembersOf(cn)
      return members?.effective.some((each) => sameDn(each, dn)) ?? false
    },

    effectiveMembersOf,

    /** The groups around one, at any depth, and which of them lists which. */
    async nestingOf(cn: string) {
      const tree = await treeOf(cn)
      if (!tree) return undefined
      const below = nestedIn(tree)
      const above = await nesting.above(tree[0])
      // In a loop, which others may write, some lie both above and below.
      const edges = new Map(
        [...above.edges, ...below.edges].map((edge) => [`${edge.group}\n${edge.nested}`, edge]),
      )
      return { cn: tree[0].cn, above: above.groups, below: below.groups, edges: [...edges.values()] }
    },

    peopleOf: (lists: Iterable<string[]>) => peopleOf({ nesting, dnOf, effectiveMembersOf }, lists),
  }

  async function unnestEverywhere(dn: string): Promise<void> {
    const parents = await pool.search(names.base, {
      filter: all(names.filter, equals(names.member, dn)),
      attributes: ['cn', names.member],
    })
    for (const parent of parents)
      if (groupOf(parent, layout).member.length < 2) throw new Refusal('LastMember')
    const left: Entry[] = []
    try {
      for (const parent of parents) {
        await pool.write('removeMember', (connection) =>
          connection.modify(parent.dn, [take(names.member, dn)]),
        )
        left.push(parent)
      }
    } catch (error) {
      // A refusal in the middle leaves nothing half done.
      for (const parent of left)
        await pool.write('addMember', (connection) => connection.modify(parent.dn, [add(names.member, dn)]))
      throw error
    } finally {
      for (const parent of left) await onChange({ group: nameOf(parent).cn })
    }
  }

  async function refuseLast(cn: string, dn: string): Promise<void> {
    const entry = await read(cn)
    const member = entry ? groupOf(entry, layout).member : []
    if (member.length === 1 && sameDn(member[0] as string, dn)) throw new Refusal('LastMember')
  }
}
