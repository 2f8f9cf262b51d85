type Tree = { [name: string]: unknown }

/** What stands in a tree at a dotted path. */
export function valueAt(tree: object, path: string): unknown {
  return path.split('.').reduce<unknown>((inner, name) => (inner as Tree | undefined)?.[name], tree)
}

/** The tree of values by dotted path. */
export function treeOf(values: ReadonlyMap<string, unknown>): Tree {
  const tree: Tree = {}
  for (const [path, value] of values) {
    const names = path.split('.')
    const last = names.pop() as string
    const inner = names.reduce<Tree>((at, name) => (at[name] ??= {}) as Tree, tree)
    inner[last] = value
  }
  return tree
}

/** Whether two values of settings are the same: text, numbers, switches and lists of text. */
export function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}
