import type { Edge, Link, ResourceRecord } from '#src/directory/schemas.ts'

/** What there is of the directory of resources, by id: every record is of one of these. */
export type Families = { resources: ResourceRecord; edges: Edge; links: Link }
export const families = ['resources', 'edges', 'links'] as const
export type Family = (typeof families)[number]

/** One record as it is from now on, or gone. */
export type Op = {
  [F in Family]: [family: F, id: string, record: Families[F] | undefined]
}[Family]

export type View = Pick<
  ReturnType<typeof createView>,
  | 'resources'
  | 'edges'
  | 'links'
  | 'withSlug'
  | 'ownedBy'
  | 'open'
  | 'above'
  | 'below'
  | 'linksOn'
  | 'linksOf'
>

/** All resources, edges and links in memory, found by whatever they are asked for. */
export function createView() {
  const resources = indexed<ResourceRecord>({
    slug: ({ slug }) => slug,
    owner: ({ owner }) => owner?.toLowerCase(),
    open: ({ metadata }) =>
      metadata.isPublic === true ? 'public' : metadata.requestable ? 'requestable' : undefined,
  })
  const edges = indexed<Edge>({ parent: ({ parentId }) => parentId, child: ({ childId }) => childId })
  const links = indexed<Link>({
    resource: ({ resourceId }) => resourceId,
    group: ({ groupCn }) => groupCn.toLowerCase(),
  })
  const by = { resources, edges, links }

  return {
    resources: resources.all as ReadonlyMap<string, ResourceRecord>,
    edges: edges.all as ReadonlyMap<string, Edge>,
    links: links.all as ReadonlyMap<string, Link>,
    withSlug: (slug: string): ResourceRecord | undefined => resources.find('slug', slug)[0],
    ownedBy: (uid: string): ResourceRecord[] => resources.find('owner', uid.toLowerCase()),
    /** Resources that say so in their metadata. */
    open: (as: 'public' | 'requestable'): ResourceRecord[] => resources.find('open', as),
    /** Edges to the parents of a resource, the oldest first. */
    above: (id: string): Edge[] => edges.find('child', id),
    /** Edges to its children. */
    below: (id: string): Edge[] => edges.find('parent', id),
    /** Group links of a resource, the oldest first. */
    linksOn: (id: string): Link[] => links.find('resource', id),
    /** Group links of a group, whatever the case of its name. */
    linksOf: (groupCn: string): Link[] => links.find('group', groupCn.toLowerCase()),
    put([family, id, record]: Op): void {
      by[family].put(id, record as never)
    },
    clear(): void {
      for (const family of families) by[family].clear()
    },
  }
}

/** Records by id, and by what each of `keys` makes of them. */
function indexed<T extends { id: string; created_on: number }>(
  keys: Record<string, (record: T) => string | undefined>,
) {
  const all = new Map<string, T>()
  const indexes = new Map(Object.keys(keys).map((name) => [name, new Map<string, Map<string, T>>()]))

  function place(id: string, record: T, isThere: boolean) {
    for (const [name, index] of indexes) {
      const key = keys[name]?.(record)
      if (key === undefined) continue
      const held = index.get(key) ?? new Map<string, T>()
      if (isThere) index.set(key, held.set(id, record))
      else if (held.delete(id) && held.size === 0) index.delete(key)
    }
  }

  return {
    all,
    find(name: string, key: string): T[] {
      const found = [...(indexes.get(name)?.get(key)?.values() ?? [])]
      // Of one instant by id: a pod reads them in any order, and all are to say the same.
      return found.sort((a, b) => a.created_on - b.created_on || (a.id < b.id ? -1 : 1))
    },
    put(id: string, record: T | undefined): void {
      const before = all.get(id)
      if (before) place(id, before, false)
      if (record) {
        all.set(id, record)
        place(id, record, true)
      } else all.delete(id)
    },
    clear(): void {
      all.clear()
      for (const index of indexes.values()) index.clear()
    },
  }
}
