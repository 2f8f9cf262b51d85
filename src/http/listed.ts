import type { FastifyReply } from 'fastify'
import type { Static, TSchema } from 'typebox'
import { openCursor, sealCursor } from './cursor.ts'
import { streamResults } from './stream.ts'

type Asked = { limit?: number; cursor?: string }
type Place = [created_on: number, id: string]
type Listed = { created_on: number; id: string }

/**
 * One page of what is in memory, the oldest first, or all of it without `limit` (contract section 1, paging). `key` is
 * the list's own (src/http/cursor.ts). Throws InvalidInput for a forged cursor.
 */
export function pageOf<T extends Listed>(
  items: T[],
  { limit, cursor }: Asked,
  key: Buffer,
): { results: T[]; next?: string } {
  const after = cursor === undefined ? undefined : openCursor<Place>(key, cursor)
  const sorted = items.toSorted((a, b) => compare(placeOf(a), placeOf(b)))
  const from = after ? sorted.findIndex((item) => compare(placeOf(item), after) > 0) : 0
  const rest = from < 0 ? [] : sorted.slice(from)
  const results = rest.slice(0, limit)
  const last = results.at(-1)
  return {
    results,
    ...(last && rest.length > results.length ? { next: sealCursor(key, placeOf(last)) } : {}),
  }
}

/** The same as an answer, streamed where it is everything; `shown` makes of each item what is told. */
export async function answerList<T extends Listed, S extends TSchema>(
  reply: FastifyReply,
  schema: S,
  items: T[],
  { asked, key, shown }: { asked: Asked; key: Buffer; shown: (item: T) => Static<S> },
): Promise<FastifyReply | { results: Static<S>[]; next?: string }> {
  const page = pageOf(items, asked, key)
  if (asked.limit !== undefined) return { ...page, results: page.results.map(shown) }
  return streamResults(reply, schema, each(page.results, shown))
}

async function* each<T, U>(items: T[], shown: (item: T) => U): AsyncGenerator<U> {
  for (const item of items) yield shown(item)
}

function placeOf({ created_on, id }: Listed): Place {
  return [created_on, id]
}

function compare([time, id]: Place, [otherTime, otherId]: Place): number {
  return time - otherTime || (id < otherId ? -1 : id > otherId ? 1 : 0)
}
