import { byName, fold } from '../../parts/names.ts'
import type { Brief } from './queries.ts'
import type { Kind } from './search.ts'
import { kinds } from './search.ts'

export type Tree = { all: Map<string, Brief>; below: Map<string, Brief[]>; roots: Brief[] }
/** A line of the tree as it is opened: `key` is the way to it, since a resource may lie below several. */
export type Row = { key: string; id: string; level: number; at: number; of: number; isOpen?: boolean }

/** What lies below what. What lies below nothing that is there is a root. */
export function treeOf(resources: readonly Brief[]): Tree {
  const all = new Map(resources.map((each) => [each.id, each]))
  const below = new Map<string, Brief[]>()
  const roots: Brief[] = []
  for (const each of resources.toSorted(inOrder)) {
    const parents = each.parents.filter((id) => all.has(id))
    if (parents.length === 0) roots.push(each)
    for (const id of parents) {
      const children = below.get(id)
      if (children) children.push(each)
      else below.set(id, [each])
    }
  }
  return { all, below, roots }
}

/** The lines that are to be seen when these are open. */
export function rowsOf({ below, roots }: Tree, open: ReadonlySet<string>): Row[] {
  const rows: Row[] = []
  const add = (siblings: readonly Brief[], above: string, level: number) => {
    for (const [at, { id }] of siblings.entries()) {
      const key = above === '' ? id : `${above}/${id}`
      const children = below.get(id) ?? []
      const isOpen = children.length > 0 ? open.has(key) : undefined
      rows.push({
        key,
        id,
        level,
        at: at + 1,
        of: siblings.length,
        ...(isOpen === undefined ? {} : { isOpen }),
      })
      if (isOpen) add(children, key, level + 1)
    }
  }
  add(roots, '', 1)
  return rows
}

/** Those that are looked for, as lines side by side. */
export function foundIn({ all }: Tree, q: string, kind: Kind | undefined): Row[] {
  const wanted = fold(q).split(/\s+/).filter(Boolean)
  const found = [...all.values()].filter(
    (each) =>
      (kind === undefined || each.kind === kind) &&
      wanted.every((word) => fold(`${each.name} ${each.slug} ${each.address ?? ''}`).includes(word)),
  )
  return found.sort(inOrder).map(({ id }, at) => ({ key: id, id, level: 1, at: at + 1, of: found.length }))
}

/** The names above one, from the top, along its first parents. */
export function wayTo({ all }: Tree, id: string): Brief[] {
  const way: Brief[] = []
  for (let at = all.get(id); at && !way.includes(at); at = all.get(at.parents[0] ?? '')) way.unshift(at)
  return way
}

/** The keys to be open, so that this one is to be seen. */
export function keysAbove(tree: Tree, id: string): string[] {
  const ids = wayTo(tree, id).map(({ id }) => id)
  return ids.slice(0, -1).map((_, at) => ids.slice(0, at + 1).join('/'))
}

/** One shortest way down, both ends named; undefined where there is none. */
export function wayDown({ below }: Tree, from: Brief, to: string): Brief[] | undefined {
  const seen = new Set([from.id])
  for (let ways: Brief[][] = [[from]]; ways.length > 0; ) {
    const found = ways.find((way) => way.at(-1)?.id === to)
    if (found) return found
    ways = ways.flatMap((way) =>
      (below.get(way.at(-1)?.id ?? '') ?? []).flatMap((child) => {
        if (seen.has(child.id)) return []
        seen.add(child.id)
        return [[...way, child]]
      }),
    )
  }
  return undefined
}

/** Everything below, at any depth, once. */
export function allBelow({ below }: Tree, id: string): Brief[] {
  const found = new Map<string, Brief>()
  const ids = new Set([id])
  for (const each of ids)
    for (const child of below.get(each) ?? []) {
      ids.add(child.id)
      found.set(child.id, child)
    }
  return [...found.values()]
}

function inOrder(a: Brief, b: Brief): number {
  return kinds.indexOf(a.kind) - kinds.indexOf(b.kind) || byName(a.name, b.name)
}
