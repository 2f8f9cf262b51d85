import type { GroupName, NestingEdge } from './nesting.ts'

/** A group on the walk: who is listed on it, users and nested groups apart. */
export type Branch = GroupName & { users: string[]; groups: string[] }

export type EffectiveMembers = {
  cn: string
  /** User DNs listed on the group itself. */
  direct: string[]
  /** Groups nested in it, at any depth. */
  nestedGroups: GroupName[]
  /** Every user DN reachable, each once. */
  effective: string[]
  /** For each of `effective` one shortest chain of group names, from the group down. */
  via: Map<string, string[]>
}

/** Who is in the first group of `tree`, which holds each group once, breadth first: the first chain is a shortest. */
export function effectiveMembers(tree: [Branch, ...Branch[]]): EffectiveMembers {
  const [top, ...nested] = tree
  const byDn = new Map(tree.map((branch) => [branch.dn, branch]))
  const chains = new Map([[top.dn, [top.cn]]])
  const users = new Map<string, { dn: string; chain: string[] }>()
  for (const { dn, users: listed, groups } of tree) {
    const chain = chains.get(dn) ?? []
    for (const user of listed)
      if (!users.has(user.toLowerCase())) users.set(user.toLowerCase(), { dn: user, chain })
    for (const child of groups)
      if (!chains.has(child)) chains.set(child, [...chain, byDn.get(child)?.cn ?? ''])
  }
  return {
    cn: top.cn,
    direct: top.users,
    nestedGroups: nested.map(({ cn, dn }) => ({ cn, dn })),
    effective: [...users.values()].map(({ dn }) => dn),
    via: new Map([...users.values()].map(({ dn, chain }) => [dn, chain])),
  }
}

/** The groups that are nested in the first one of `tree`, and which of them lists which. */
export function nestedIn(tree: [Branch, ...Branch[]]): { groups: GroupName[]; edges: NestingEdge[] } {
  const [, ...nested] = tree
  const names = new Map(tree.map(({ dn, cn }) => [dn, cn]))
  const edges = tree.flatMap(({ cn, groups }) =>
    groups.map((dn) => ({ group: cn, nested: names.get(dn) ?? '' })),
  )
  return { groups: nested.map(({ cn, dn }) => ({ cn, dn })), edges }
}
