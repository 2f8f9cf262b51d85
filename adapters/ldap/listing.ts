import type { Control, Entry, SearchOptions } from 'ldapts'
import type { ExclusiveLane } from './exclusive.ts'
import { refusalFor } from './results.ts'
import type { Turns } from './turns.ts'

/** A reader of a long listing that stands still this long loses its connection to the next one. */
const stallMilliseconds = 30_000

/**
 * Pages of entries as they come, on a connection of their own. One page is read ahead, so that the connection is free
 * again before the last page is handed out: only a long listing can be held up by a slow reader.
 */
export async function* listing(
  { lane, turns }: { lane: ExclusiveLane; turns: Turns },
  ...search: [base: string, options: SearchOptions, controls?: Control[] | undefined]
): AsyncGenerator<Entry[]> {
  using turn = await turns.take()
  using lease = await lane.lease().catch(refuse)
  const pages = lease.connection.pages(...search)
  for (let page = await pages.next().catch(refuse); !page.done; ) {
    const ready = page.value
    page = await pages.next().catch(refuse)
    if (page.done) {
      lease.done()
      turn[Symbol.dispose]()
    }
    const stalled = setTimeout(() => lease[Symbol.dispose](), stallMilliseconds)
    try {
      yield ready
    } finally {
      clearTimeout(stalled)
    }
  }
}

function refuse(error: unknown): never {
  throw refusalFor(error, 'read')
}
