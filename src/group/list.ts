import type { GroupEntry, GroupQuery, GroupSummary } from '#adapters/ldap/group.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { openCursor, sealCursor } from '#src/http/cursor.ts'
import { wantsDetail } from '#src/http/replies.ts'
import type { GroupListQuery } from './schemas.ts'

/** Where a page ended, and of which listing. */
type Cursor = { after: number | string; of: string }

/** All groups that the query asks for, as they come. Throws InvalidInput for a cursor without a page size. */
export async function* groupsAsked(
  { groups, users }: Pick<Deps, 'groups' | 'users'>,
  query: GroupListQuery,
): AsyncGenerator<GroupEntry | GroupSummary> {
  if (query.cursor !== undefined)
    throw new Refusal('InvalidInput', 'cursor needs the limit of the page before.')
  const listing = await listingOf(users, query)
  if (listing) yield* wantsDetail(query) ? groups.listWhole(listing) : groups.list(listing)
}

/** One page of them. Throws InvalidInput for a forged cursor. */
export async function pageOfGroups(
  { groups, users, store }: Pick<Deps, 'groups' | 'users' | 'store'>,
  query: GroupListQuery & { limit: number },
): Promise<{ results: (GroupEntry | GroupSummary)[]; next?: string }> {
  const key = store.keys.derive('cursor:group')
  const listing = await listingOf(users, query)
  if (!listing) return { results: [] }
  const of = JSON.stringify(listing)
  const cursor = query.cursor === undefined ? undefined : openCursor<Cursor>(key, query.cursor)
  if (cursor && cursor.of !== of)
    throw new Refusal('InvalidInput', 'cursor belongs to another search or order.')
  const wanted = { ...listing, limit: query.limit, after: cursor?.after }
  const { entries, next } = await (wantsDetail(query) ? groups.pageWhole(wanted) : groups.page(wanted))
  return {
    results: entries,
    ...(next === undefined ? {} : { next: sealCursor(key, { after: next, of } satisfies Cursor) }),
  }
}

/** What is listed; undefined when `member` or `owner` is nobody, who is in no group and owns none. */
async function listingOf(
  users: Deps['users'],
  { q, sort, member, owner }: GroupListQuery,
): Promise<GroupQuery | undefined> {
  const dnOf = async (uid: string) => (await users.find(uid.normalize('NFKC').trim()))?.dn
  const [memberDn, ownerDn] = await Promise.all(
    [member, owner].map((uid) => (uid === undefined ? undefined : dnOf(uid))),
  )
  const isNobody = (member !== undefined && !memberDn) || (owner !== undefined && !ownerDn)
  if (isNobody) return undefined
  return { q: q?.normalize('NFKC').trim() || undefined, sort, memberDn, ownerDn }
}
