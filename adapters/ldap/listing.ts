import type { Control, Entry, SearchOptions } from 'ldapts'
import type { ExclusiveLane } from './exclusive.ts'
import { refusalFor } from './results.ts'
import type { Turns } from './turns.ts'
import type { Pages } from './wire/pages.ts'
import { pagesOf } from './wire/pages.ts'

export type ListOptions = SearchOptions & { paged: { pageSize: number } }

/** A reader of a long listing that stands still this long loses its connection to the next one. */
const stallMilliseconds = 30_000

/**
 * Pages of entries as they come, on a connection of their own. The next page is under way while one is worked on, and
 * the connection is free again before a last page that is not full is handed out: only a long listing can be held up
 * by a slow reader.
 */
export async function* listing(
  { lane, turns }: { lane: ExclusiveLane<Pages>; turns: Turns },
  base: string,
  options: ListOptions,
  controls?: Control[] | undefined,
): AsyncGenerator<Entry[]> {
  using turn = await turns.take()
  using lease = await lane.lease().catch(refuse)
  const pages = pagesOf(lease.connection, base, options, controls)
  for (let page = await pages.next().catch(refuse); !page.done; ) {
    const ready = page.value
    const upcoming = pages.next()
    upcoming.catch(() => {}) // who stops here does not care
    if (ready.length < options.paged.pageSize && (await upcoming.catch(refuse)).done) {
      lease.done()
      turn[Symbol.dispose]()
    }
    const stalled = setTimeout(() => lease[Symbol.dispose](), stallMilliseconds)
    try {
      yield ready
    } finally {
      clearTimeout(stalled)
    }
    page = await upcoming.catch(refuse)
  }
  lease.done()
}

function refuse(error: unknown): never {
  throw refusalFor(error, 'read')
}
