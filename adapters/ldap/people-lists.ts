import type { Entry, Filter } from 'ldapts'
import type { Context } from './context.ts'
import { all, equals, matches, nobody, not } from './filters.ts'
import type { Direction, Page, PageAfter } from './keyset.ts'
import { keysetPage, numberKey, timeKey } from './keyset.ts'
import { openNumberPages } from './number-page.ts'
import { sortedPage, sortedStream } from './sorted.ts'
import type { ExportedUser, UserEntry, UserSummary } from './user-entry.ts'
import { exportAttributes, exportedOf, lockedNow, summaryOf, userOf } from './user-entry.ts'

export type PeopleQuery = {
  /** One or two characters match beginnings, more match anywhere, in uid, mail and names. */
  q?: string | undefined
  sort?: 'uidNumber' | 'createTimestamp' | 'uid' | 'sn' | 'mail' | undefined
  order?: Direction | undefined
  /** Those an administrator locked, those not, or those whose password must be changed at first use. */
  state?: 'active' | 'locked' | 'must_change' | undefined
}
type PageQuery = PeopleQuery & PageAfter
export type PeoplePage = Page<UserEntry>

const pageSize = 500

/** The listings of people: the whole as a stream, or one page after a key. */
export function openPeopleLists({ pool, layout, capabilities, counter }: Context, attributes: string[]) {
  const { user: names } = layout
  const searched = [names.uid, names.mail, names.cn, names.sn, names.givenName]

  function filterFor({ q, state }: PeopleQuery): Filter {
    const parts = [names.filter]
    if (q) parts.push(matches(searched, q))
    if (state) parts.push(inState(state))
    return all(...parts)
  }

  /** What the directory cannot tell of anybody is true of nobody. */
  function inState(state: NonNullable<PeopleQuery['state']>): Filter {
    if (state === 'must_change') return capabilities.mustChange ? equals('pwdReset', 'TRUE') : nobody
    if (!capabilities.lock) return state === 'active' ? names.filter : nobody
    return state === 'locked' ? lockedNow() : not(lockedNow())
  }

  function entries(query: PeopleQuery, attributes: string[]): AsyncGenerator<Entry[]> {
    const { sort, order } = query
    const search = { base: names.base, filter: filterFor(query), attributes }
    const by = sort && sort !== 'uidNumber' && sort !== 'createTimestamp' ? names[sort] : undefined
    return by
      ? sortedStream({ pool, capabilities }, search, { by, name: names.uid, order })
      : pool.list(names.base, { filter: search.filter, attributes, paged: { pageSize } })
  }

  const byNumber = openNumberPages(pool, {
    ...{ base: names.base, filter: names.filter, attribute: names.uidNumber, name: names.uid, attributes },
    counter,
  })

  async function pageOf({ limit, after, ...query }: PageQuery): Promise<Page<Entry>> {
    const { q, sort, order, state } = query
    const search = { base: names.base, filter: filterFor(query), attributes }
    const page = { name: names.uid, order, limit, after }
    const narrow = isNarrow(query)
    if (sort === 'createTimestamp') return keysetPage(pool, search, { ...page, key: timeKey, narrow })
    if (sort && sort !== 'uidNumber')
      return sortedPage({ pool, capabilities }, search, { ...page, by: names[sort] })
    if (q === undefined && state === undefined && order !== 'desc') return byNumber.page(page)
    return keysetPage(pool, search, { ...page, key: numberKey(names.uidNumber), narrow })
  }

  return {
    /** Everybody, as they come from the directory; `sort` by uid, sn or mail is the directory's work where it can. */
    async *list(query: PeopleQuery = {}): AsyncGenerator<UserEntry> {
      for await (const page of entries(query, attributes))
        for (const entry of page) yield userOf(entry, layout)
    },

    /** The same with the four fields of a list only, which is a third of the work. */
    async *summaries(query: PeopleQuery = {}): AsyncGenerator<UserSummary> {
      const { uid, mail, givenName, sn } = names
      for await (const page of entries(query, [uid, mail, givenName, sn]))
        for (const entry of page) yield summaryOf(entry, layout)
    },

    /** Everybody with what an export shows: no more is read. */
    async *exported(): AsyncGenerator<ExportedUser> {
      for await (const page of entries({}, exportAttributes(layout, capabilities)))
        for (const entry of page) yield exportedOf(entry, layout)
    },

    /** Looks where the numbers are, a second's work at 100,000 people, so that the first page need not. */
    async lookAhead(): Promise<void> {
      if (capabilities.observed.numbered) await byNumber.look()
    },

    /** At most `limit` people after `after`, which is the `next` of the page before. */
    async page(query: PageQuery): Promise<PeoplePage> {
      const { sort = capabilities.observed.numbered ? 'uidNumber' : 'createTimestamp' } = query
      const found = await pageOf({ ...query, sort })
      return { ...found, entries: found.entries.map((entry) => userOf(entry, layout)) }
    },

    /** How many people there are. LDAP has no count: this reads all names, so keep the answer for a while. */
    async count(): Promise<number> {
      let count = 0
      for await (const page of pool.list(names.base, {
        filter: names.filter,
        attributes: ['1.1'],
        paged: { pageSize },
      }))
        count += page.length
      return count
    },
  }
}

/** One or two letters may match half of everybody, and most people are active. */
function isNarrow({ q, state }: PeopleQuery): boolean {
  return (q !== undefined && q.length > 2) || (state !== undefined && state !== 'active')
}
