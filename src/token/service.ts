/**
 * The tokens that were given out, to look at (contract section 7): to each caller those that the caller created, to an
 * admin all. What opens something is shown of an invite only, which its creator hands on; a reset shows a public id.
 */
import type { Reset } from '#adapters/redis/resets.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { openCursor, sealCursor } from '#src/http/cursor.ts'
import { wantsDetail } from '#src/http/replies.ts'
import { creatorSeenBy, shown } from '#src/invite/service.ts'
import type { Actor } from '#src/user/actor.ts'
import type { ListQuery, Token, TokenType } from './schemas.ts'
import { tokenTypes } from './schemas.ts'

type Store = Pick<Deps, 'store'>
/** Whose tokens are shown: undefined for everybody's. */
type Seen = { created_by: string | undefined; q: string | undefined }
/** Where a page ended, and of which listing. */
type Cursor = { after: string; of: string }
type Kind = {
  /** Newest first. */
  each(deps: Store, seen: Seen): AsyncIterable<Token>
  page(
    deps: Store,
    listing: Seen & { after: string | undefined; limit: number },
  ): Promise<{ entries: Token[]; next?: string }>
  find(deps: Store, token: string, seen: Seen): Promise<Token | undefined>
}

/** All tokens of a type that the caller may see. Throws NotFound for another type, InvalidInput for a lone cursor. */
export async function* tokensOf(
  deps: Store,
  by: Actor,
  name: string,
  query: ListQuery,
): AsyncGenerator<Token> {
  const kind = kindNamed(name)
  if (query.cursor !== undefined)
    throw new Refusal('InvalidInput', 'cursor needs the limit of the page before.')
  for await (const token of kind.each(deps, await seenBy(by, query))) yield inForm(token, query)
}

/** One page of them. Throws NotFound, InvalidInput for a forged cursor. */
export async function pageOfTokens(
  deps: Store,
  by: Actor,
  name: string,
  query: ListQuery & { limit: number },
): Promise<{ results: Token[]; next?: string }> {
  const kind = kindNamed(name)
  const key = deps.store.keys.derive('cursor:token')
  const seen = await seenBy(by, query)
  const of = JSON.stringify([name, seen])
  const cursor = query.cursor === undefined ? undefined : openCursor<Cursor>(key, query.cursor)
  if (cursor && cursor.of !== of) throw new Refusal('InvalidInput', 'cursor belongs to another list.')
  const { entries, next } = await kind.page(deps, { ...seen, after: cursor?.after, limit: query.limit })
  return {
    results: entries.map((token) => inForm(token, query)),
    ...(next === undefined ? {} : { next: sealCursor(key, { after: next, of } satisfies Cursor) }),
  }
}

/** One token that the caller may see. Throws NotFound, also for one that is somebody else's. */
export async function tokenNamed(deps: Store, by: Actor, name: string, token: string): Promise<Token> {
  const found = await kindNamed(name).find(deps, token, await seenBy(by, {}))
  if (!found) throw new Refusal('NotFound', 'There is no such token.')
  return found
}

const InviteToken: Kind = {
  async *each({ store }, seen) {
    for await (const invite of store.invites.each(seen)) yield shown(invite)
  },
  async page({ store }, listing) {
    const { entries, next } = await store.invites.page(listing)
    return { entries: entries.map(shown), ...(next === undefined ? {} : { next }) }
  },
  async find({ store }, token, { created_by }) {
    const invite = await store.invites.find(token)
    return invite && (created_by === undefined || same(invite.created_by, created_by))
      ? shown(invite)
      : undefined
  },
}

/** Few at a time: they last a day, and using one removes the others of the account. */
const PasswordResetToken: Kind = {
  async *each(deps, seen) {
    yield* await resetsSeen(deps, seen)
  },
  async page(deps, { limit, after, ...seen }) {
    const all = await resetsSeen(deps, seen)
    const rest = after === undefined ? all : all.filter((token) => placeOf(token) < after)
    const entries = rest.slice(0, limit)
    return { entries, ...(rest.length > limit ? { next: placeOf(entries.at(-1) as Token) } : {}) }
  },
  async find(deps, token, seen) {
    return (await resetsSeen(deps, seen)).find((reset) => reset.token === token)
  },
}

const kinds: Record<TokenType, Kind> = { InviteToken, PasswordResetToken }

function kindNamed(name: string): Kind {
  const known = tokenTypes.find((type) => type === name)
  if (!known)
    throw new Refusal('NotFound', `There is no type of token of this name: ${tokenTypes.join(', ')}.`)
  return kinds[known]
}

async function seenBy(by: Actor, { q }: Pick<ListQuery, 'q'>): Promise<Seen> {
  return { created_by: await creatorSeenBy(by), q: q?.trim() || undefined }
}

async function resetsSeen({ store }: Store, { created_by, q = '' }: Seen): Promise<Token[]> {
  const resets = created_by === undefined ? await store.resets.all() : await store.resets.of(created_by)
  const found = resets.filter(({ uid }) => uid.toLowerCase().includes(q.toLowerCase())).map(resetShown)
  return found.sort((a, b) => (placeOf(a) < placeOf(b) ? 1 : -1))
}

/** Whoever asked for a reset had not signed in: it counts as made by the account it opens. */
function resetShown({ id, uid, created_on, expires_at }: Reset): Token {
  return { token: id, created_by: uid, created_on, expires_at, is_valid: expires_at > Date.now() }
}

function inForm(token: Token, query: ListQuery): Token {
  if (wantsDetail(query)) return token
  const { token: id, created_by, created_on, is_valid } = token
  return { token: id, created_by, created_on, is_valid }
}

function placeOf({ created_on, token }: Token): string {
  return `${String(created_on).padStart(15, '0')}:${token}`
}

function same(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
