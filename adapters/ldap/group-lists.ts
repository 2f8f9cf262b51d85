import type { Entry } from 'ldapts'
import type { Context } from './context.ts'
import { all, equals, matches } from './filters.ts'
import type { GroupEntry, GroupSummary } from './group-entry.ts'
import { groupAttributes, groupOf, summaryAttributes, summaryOf } from './group-entry.ts'
import type { Page } from './keyset.ts'
import { keysetPage, timeKey } from './keyset.ts'
import { sortedPage, sortedStream } from './sorted.ts'

export type GroupQuery = {
  /** Only groups that list this DN themselves. */
  memberDn?: string | undefined
  /** Only groups that name this DN as an owner. */
  ownerDn?: string | undefined
  /** One or two characters match beginnings, more match anywhere, in cn and description. */
  q?: string | undefined
  sort?: 'createTimestamp' | 'cn' | undefined
}
type PageQuery = GroupQuery & { limit: number; after?: number | string | undefined }

const pageSize = 500
const byName = { by: 'cn', name: 'cn' }

/** The listings of groups: the whole as a stream, or one page after a key; names only, or with members and owners. */
export function openGroupLists({ pool, layout, capabilities }: Context) {
  const { group: names } = layout
  const sorter = { pool, capabilities }

  function searchFor({ memberDn, ownerDn, q }: GroupQuery, attributes: string[]) {
    const parts = [names.filter]
    if (memberDn !== undefined) parts.push(equals(names.member, memberDn))
    if (ownerDn !== undefined) parts.push(equals(names.owner, ownerDn))
    if (q) parts.push(matches(['cn', 'description'], q))
    return { base: names.base, filter: all(...parts), attributes }
  }

  async function* list(query: GroupQuery, attributes: string[]): AsyncGenerator<Entry> {
    const { base, ...search } = searchFor(query, attributes)
    const pages =
      query.sort === 'cn'
        ? sortedStream(sorter, { base, ...search }, byName)
        : pool.list(base, { ...search, paged: { pageSize } })
    for await (const page of pages) yield* page
  }

  async function page(
    { sort, limit, after, ...query }: PageQuery,
    attributes: string[],
  ): Promise<Page<Entry>> {
    const search = searchFor(query, attributes)
    if (sort === 'cn') return sortedPage(sorter, search, { ...byName, limit, after })
    const narrow = [query.q, query.memberDn, query.ownerDn].some((each) => each !== undefined)
    return keysetPage(pool, search, { key: timeKey, name: 'cn', limit, after, narrow })
  }

  return {
    /** As they come from the directory; `sort` by cn is the directory's work where it can. */
    async *list(query: GroupQuery = {}): AsyncGenerator<GroupSummary> {
      for await (const entry of list(query, summaryAttributes)) yield summaryOf(entry)
    },
    async *listWhole(query: GroupQuery = {}): AsyncGenerator<GroupEntry> {
      for await (const entry of list(query, groupAttributes(layout))) yield groupOf(entry, layout)
    },

    /** At most `limit` groups after `after`, the `next` of the page before: oldest first, or by cn. */
    async page(query: PageQuery): Promise<Page<GroupSummary>> {
      const found = await page(query, summaryAttributes)
      return { ...found, entries: found.entries.map(summaryOf) }
    },
    async pageWhole(query: PageQuery): Promise<Page<GroupEntry>> {
      const found = await page(query, groupAttributes(layout))
      return { ...found, entries: found.entries.map((entry) => groupOf(entry, layout)) }
    },

    /** How many groups there are. LDAP has no count: this reads all names, so keep the answer for a while. */
    async count(): Promise<number> {
      let count = 0
      const options = { filter: names.filter, attributes: ['1.1'], paged: { pageSize } }
      for await (const entries of pool.list(names.base, options)) count += entries.length
      return count
    },
  }
}
