import type { Entry, Filter } from 'ldapts'
import type { Counter } from './counter.ts'
import { firstOf } from './entry.ts'
import { all, any, atLeast, chunks, equals } from './filters.ts'
import type { Page, PageAfter } from './keyset.ts'
import { keysetPage, numberKey } from './keyset.ts'
import type { Pool } from './pool.ts'

/** Where numbers are in use: the first of each run, runs being `together` unused numbers apart. */
type Span = { starts: number[]; most: number; isDense: boolean; at: number }
type Where = {
  base: string
  filter: Filter
  attribute: string
  name: string
  attributes: string[]
  counter: Pick<Counter, 'peek'>
}

/** How old the span may be before it is looked at anew, behind the answer. */
const freshMilliseconds = 60_000
/** Values in one OR filter; slapd's cost grows with their square. */
const together = 100
/** Windows tried before a pass over everybody is the quicker way. */
const windows = 12
/** Below this share of numbers in use within the runs, windows find too little. */
const dense = 0.2

/**
 * Pages by number in time independent of how many people there are: numbers come from a counter, so the next hundred are
 * asked for by name. Where the runs of numbers begin is remembered, to leap over gaps and to know the end; a number that
 * another program gives in the middle of a gap shows within about a minute. Scattered numbers take a pass over everybody.
 */
export function openNumberPages(pool: Pool, where: Where) {
  const { base, filter, attribute, name, attributes } = where
  const search = { base, filter, attributes }
  const key = numberKey(attribute)
  let span: Span | undefined
  let looking: Promise<Span> | undefined

  function look(): Promise<Span> {
    looking ??= readSpan(pool, where)
      .then((found) => (span = found))
      .finally(() => {
        looking = undefined
      })
    return looking
  }

  async function window(low: number, length: number): Promise<Entry[]> {
    const numbers = Array.from({ length }, (_, n) => equals(attribute, key.format(low + n)))
    const parts = chunks(numbers, together)
    const found = parts.map((part) => pool.search(base, { filter: all(filter, any(part)), attributes }))
    return (await Promise.all(found)).flat()
  }

  async function numberPage({ limit, after }: PageAfter): Promise<Page<Entry>> {
    const { starts, most, isDense, at } = span ?? (await look())
    if (Date.now() - at > freshMilliseconds) look().catch(() => {})
    const whole = () => keysetPage(pool, search, { key, name, limit, after, narrow: false })
    if (!isDense) return whole()

    let low = after === undefined ? (starts[0] ?? 0) : Number(after) + 1
    const rows: Entry[] = []
    for (let tried = 0; rows.length <= limit && low <= most; tried++) {
      if (tried === windows) return whole()
      const length = Math.max(together, limit + 1 - rows.length)
      const found = await window(low, length)
      rows.push(...found)
      low += length
      if (found.length === 0) low = starts.find((start) => start >= low) ?? low
    }
    if (rows.length <= limit) {
      // Only who joined since the span was seen: few, so the range is quick.
      const filters = all(filter, atLeast(attribute, key.format(low)))
      rows.push(...(await pool.search(base, { filter: filters, attributes })))
    }
    const numberOf = (entry: Entry) => key.parse(firstOf(entry, attribute) ?? '')
    const entries = rows.sort((a, b) => numberOf(a) - numberOf(b)).slice(0, limit)
    return rows.length > limit ? { entries, next: numberOf(entries.at(-1) as Entry) } : { entries }
  }

  return { page: numberPage, look }
}

async function readSpan(pool: Pool, { base, filter, attribute, counter }: Where): Promise<Span> {
  const numbers: number[] = []
  const at = Date.now()
  // Whoever joins from now on has a number from here on: a run of its own when it lies in a gap.
  const joining = await counter.peek()
  for await (const entries of pool.list(base, { filter, attributes: [attribute], paged: { pageSize: 500 } }))
    for (const entry of entries) {
      const value = firstOf(entry, attribute)
      if (value !== undefined) numbers.push(Number(value))
    }
  numbers.sort((a, b) => a - b)
  const starts: number[] = []
  let covered = 0
  for (const [place, number] of numbers.entries()) {
    const gap = number - (numbers[place - 1] ?? Number.NEGATIVE_INFINITY)
    if (gap > together) starts.push(number)
    covered += Math.min(gap, together)
  }
  starts.push(joining)
  starts.sort((a, b) => a - b)
  return { starts, most: numbers.at(-1) ?? 0, isDense: numbers.length >= dense * covered, at }
}
