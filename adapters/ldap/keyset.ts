import type { Entry, Filter } from 'ldapts'
import { firstOf } from './entry.ts'
import { any, chunks, equals } from './filters.ts'
import type { Pool } from './pool.ts'
import { formatTime, parseTime } from './time.ts'

export type Search = { base: string; filter: Filter; attributes: string[] }
export type Page<T> = { entries: T[] /** Absent on the last page. */; next?: number | string }

/** An attribute whose values have an order, as a number. */
export type Key = {
  attribute: string
  parse: (value: string) => number
  format: (key: number) => string
  /** No two entries share a key, so a cursor needs no name beside it. */
  unique: boolean
}

export function numberKey(attribute: string): Key {
  return { attribute, parse: Number, format: String, unique: true }
}

export const timeKey: Key = {
  attribute: 'createTimestamp',
  parse: parseTime,
  format: formatTime,
  unique: false,
}

export type PageAfter = { limit: number; after?: number | string | undefined }
export type Direction = 'asc' | 'desc'
const pageSize = 500

/**
 * One page in the order of a key, cut out of one pass over all that matches: no more than a few pages' keys are held, and
 * nothing between calls, so a cursor is good on every pod. Not by ranges: slapd answers `>=` from its index in time
 * quadratic to the values above (12 s at 50,000, measured). `narrow`: few will match, so the pass reads whole entries.
 */
export async function keysetPage(
  pool: Pool,
  { base, filter, attributes }: Search,
  how: PageAfter & { key: Key; name: string; order?: Direction | undefined; narrow: boolean },
): Promise<Page<Entry>> {
  const { key, name, order = 'asc', limit, after, narrow } = how
  const compare = order === 'asc' ? ascending : (a: Cursor, b: Cursor) => ascending(b, a)
  const cursor = after === undefined ? undefined : parseCursor(key, after, order)
  const keys = [key.attribute, name]
  const least: Row[] = []
  const options = { filter, attributes: narrow ? [...attributes, ...keys] : keys, paged: { pageSize } }
  for await (const entries of pool.list(base, options)) {
    for (const entry of entries) {
      const row = rowOf(key, name, entry)
      if (row && (!cursor || compare(row, cursor) > 0)) least.push(row)
    }
    least.sort(compare).splice(limit + 1)
  }
  const rows = least.slice(0, limit)
  const entries = narrow
    ? rows.map(({ entry }) => entry)
    : await wholeOf(pool, { base, attributes, name }, rows)
  const last = rows.at(-1)
  return least.length > limit && last ? { entries, next: cursorOf(key, last) } : { entries }
}

type Row = { entry: Entry; key: number; name: string }
type Cursor = { key: number; name: string }

/** The entries of these rows in their order; who left meanwhile is left out. */
async function wholeOf(
  pool: Pool,
  { base, attributes, name }: Omit<Search, 'filter'> & { name: string },
  rows: Row[],
): Promise<Entry[]> {
  const named = rows.map(({ entry }) => equals(name, firstOf(entry, name) ?? ''))
  const searches = chunks(named).map((part) => pool.search(base, { filter: any(part), attributes }))
  const found = new Map((await Promise.all(searches)).flat().map((entry) => [entry.dn, entry]))
  return rows.map(({ entry }) => found.get(entry.dn)).filter((entry) => entry !== undefined)
}

function rowOf(key: Key, name: string, entry: Entry): Row | undefined {
  const value = firstOf(entry, key.attribute)
  if (value === undefined) return undefined
  return { entry, key: key.parse(value), name: firstOf(entry, name)?.toLowerCase() ?? '' }
}

function ascending(a: Cursor, b: Cursor): number {
  return a.key - b.key || (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)
}

function cursorOf(key: Key, row: Row): number | string {
  return key.unique ? row.key : `${row.key}/${row.name}`
}

function parseCursor(key: Key, after: number | string, order: Direction): Cursor {
  if (key.unique) return { key: Number(after), name: order === 'asc' ? '\u{10ffff}' : '' }
  const [time = '', ...name] = String(after).split('/')
  return { key: Number(time), name: name.join('/') }
}
