import { setTimeout as pause } from 'node:timers/promises'
import type { Entry } from 'ldapts'
import { ServerSideSortingRequestControl } from 'ldapts'
import { Refusal } from '#src/errors.ts'
import type { Capabilities } from './capabilities.ts'
import { firstOf } from './entry.ts'
import type { Direction, Page, Search } from './keyset.ts'
import type { Pool } from './pool.ts'
import { codeOf } from './results.ts'

const pageSize = 500
/** What is sorted here where the server does not sort (contract section 1, paging). */
const most = 10_000
const busyTries = 20
const busyMilliseconds = 50

type Sorter = { pool: Pool; capabilities: Pick<Capabilities, 'serverSort'> }
type Order = { by: string /** Decides among equals. */; name: string; order?: Direction | undefined }

/** All entries in the order of an attribute without ordering index, in pages. */
export async function* sortedStream(
  { pool, capabilities }: Sorter,
  { base, filter, attributes }: Search,
  order: Order,
): AsyncGenerator<Entry[]> {
  const options = { filter, attributes: [...attributes, order.by], paged: { pageSize } }
  if (capabilities.serverSort) yield* patiently(() => pool.list(base, options, [sortControl(order)]))
  else yield await sortedHere(pool.list(base, options), order)
}

/** One page: those before the cursor are passed over, those behind are not read. */
export async function sortedPage(
  sorter: Sorter,
  search: Search,
  { limit, after, ...order }: Order & { limit: number; after?: number | string | undefined },
): Promise<Page<Entry>> {
  const compare = comparing(order)
  const entries: Entry[] = []
  for await (const page of sortedStream(sorter, search, order)) {
    for (const entry of page) {
      if (after !== undefined && compare(positionOf(entry, order), String(after)) <= 0) continue
      if (entries.length === limit) return { entries, next: positionOf(entries.at(-1) as Entry, order) }
      entries.push(entry)
    }
  }
  return { entries }
}

/**
 * slapd sorts a few listings at a time and says busy (51) to the next; one that was left before its end counts until its
 * closed connection is noticed.
 */
async function* patiently(list: () => AsyncGenerator<Entry[]>): AsyncGenerator<Entry[]> {
  for (let tries = 1; ; tries++) {
    const pages = list()
    let begun = false
    try {
      const first = await pages.next()
      begun = true
      if (!first.done) yield first.value
      yield* pages
      return
    } catch (error) {
      if (begun || codeOf(error) !== 51 || tries === busyTries) throw error
    } finally {
      await pages.return(undefined)
    }
    await pause(busyMilliseconds)
  }
}

async function sortedHere(pages: AsyncGenerator<Entry[]>, order: Order): Promise<Entry[]> {
  const entries: Entry[] = []
  for await (const page of pages) {
    entries.push(...page)
    if (entries.length > most)
      throw new Refusal(
        'InvalidInput',
        `sort: this directory sorts at most ${most} matches; narrow the search`,
      )
  }
  const compare = comparing(order)
  return entries
    .map((entry) => ({ entry, position: positionOf(entry, order) }))
    .sort((a, b) => compare(a.position, b.position))
    .map(({ entry }) => entry)
}

/** These attributes carry no ordering rule of their own, so it is named. */
function sortControl({ by, name, order }: Order): ServerSideSortingRequestControl {
  const orderingRule = 'caseIgnoreOrderingMatch'
  const reverse = order === 'desc' ? { reverseOrder: true } : {}
  const value = [by, ...(by === name ? [] : [name])].map((attributeType) => ({
    ...{ attributeType, orderingRule },
    ...reverse,
  }))
  return new ServerSideSortingRequestControl({ value, critical: true })
}

function positionOf(entry: Entry, { by, name }: Order): string {
  const fold = (value: string | undefined) =>
    (value ?? '').normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ')
  return `${fold(firstOf(entry, by))}\n${fold(firstOf(entry, name))}`
}

/** By code points, as slapd's octet order of UTF-8 has it. */
function comparing({ order }: Order) {
  const sign = order === 'desc' ? -1 : 1
  return (a: string, b: string) => sign * Buffer.compare(Buffer.from(a), Buffer.from(b))
}
