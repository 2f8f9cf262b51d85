import type { Static } from 'typebox'
import type { PeopleQuery } from '#adapters/ldap/people-lists.ts'
import type { UserEntry } from '#adapters/ldap/user.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { openCursor, sealCursor } from '#src/http/cursor.ts'
import { wantsDetail } from '#src/http/replies.ts'
import { searchText } from './fields.ts'
import type { ListQuery, UserSummary } from './schemas.ts'

type Query = Static<typeof ListQuery>
/** Where a page ended, and of which listing. */
type Cursor = { after: number | string; of: string }

/** What a list without pages can be sorted by: the directory's work. */
const inText = new Set<Query['sort']>(['uid', 'sn', 'mail'])

/** What is listed, whole or in pages. Throws InvalidInput for a cursor without a page size, and an order without one. */
export function peopleQuery({ q, sort, order, state, limit, cursor }: Query): PeopleQuery {
  if (cursor !== undefined && limit === undefined)
    throw new Refusal('InvalidInput', 'cursor needs the limit of the page before.')
  if (order !== undefined && limit === undefined && !(sort && inText.has(sort)))
    throw new Refusal('InvalidInput', 'order needs a limit, or a sort by uid, sn or mail.')
  return { q: searchText(q), sort, order, state }
}

/** One page of people, in the minimal form unless `detail` is asked for. Throws InvalidInput for a forged cursor. */
export async function pageOfUsers(
  { users, store }: Pick<Deps, 'users' | 'store'>,
  query: Query & { limit: number },
): Promise<{ results: UserSummary[]; next?: string }> {
  const key = store.keys.derive('cursor:user')
  const listing = peopleQuery(query)
  const of = JSON.stringify(listing)
  const cursor = query.cursor === undefined ? undefined : openCursor<Cursor>(key, query.cursor)
  if (cursor && cursor.of !== of)
    throw new Refusal('InvalidInput', 'cursor belongs to another search or order.')
  const { entries, next } = await users.page({ ...listing, limit: query.limit, after: cursor?.after })
  return {
    results: wantsDetail(query) ? entries : entries.map(summary),
    ...(next === undefined ? {} : { next: sealCursor(key, { after: next, of } satisfies Cursor) }),
  }
}

function summary({ uid, mail, givenName, sn }: UserEntry): UserSummary {
  return { uid, mail, givenName, sn }
}
