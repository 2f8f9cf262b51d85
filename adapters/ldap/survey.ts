import type { EntryLine } from './copy.ts'
import { leafOf, normaliseDn, parseDn } from './dn.ts'

const mostKinds = 50

/** Looks at all entries of a backup before the first is written, and keeps a few of them. */
export function surveyEntries() {
  const kinds = new Map<string, EntryLine>()
  const parents = new Set<string>()
  return {
    see(entry: EntryLine): void {
      parents.add(normaliseDn(entry.dn.slice(leafOf(entry.dn).length + 1)))
      const kind = [...(entry.attributes.objectClass ?? []), ...Object.keys(entry.attributes)]
        .sort()
        .join(' ')
      if (kinds.size < mostKinds && !kinds.has(kind)) kinds.set(kind, entry)
    },
    /** One for each set of classes and attributes. */
    kinds: (): EntryLine[] => [...kinds.values()],
    /** Whether others stand below it. */
    isPlace: ({ dn }: EntryLine): boolean => parents.has(normaliseDn(dn)),
    byDepth: (a: EntryLine, b: EntryLine): number =>
      (parseDn(a.dn)?.length ?? 0) - (parseDn(b.dn)?.length ?? 0),
  }
}
