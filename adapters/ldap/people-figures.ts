import type { Filter } from 'ldapts'
import type { Context } from './context.ts'
import { all, atLeast } from './filters.ts'
import { formatTime } from './time.ts'
import type { UserEntry } from './user-entry.ts'
import { lockedNow, userOf } from './user-entry.ts'

const pageSize = 500
const minuteSeconds = 60
/** Since the epoch, in eightfold steps from a minute. */
const steps = 10

/** What is said of people as a whole, each read by an index where the directory has one. */
export function openPeopleFigures({ pool, layout, capabilities }: Context, attributes: string[]) {
  const { user: names } = layout

  async function* matching(filter: Filter): AsyncGenerator<UserEntry> {
    const options = { filter: all(filter, names.filter), attributes, paged: { pageSize } }
    for await (const page of pool.list(names.base, options))
      for (const entry of page) yield userOf(entry, layout)
  }

  return {
    /** Everybody who is locked. */
    async *locked(): AsyncGenerator<UserEntry> {
      if (!capabilities.lock) return
      for await (const user of matching(lockedNow())) if (!user.isActive) yield user
    },

    /** The `limit` people whose entries are youngest, the youngest first. Looks back step by step until there are enough. */
    async newest(limit: number): Promise<UserEntry[]> {
      for (let step = 1; ; step++) {
        const since = step < steps ? Date.now() / 1000 - minuteSeconds * 8 ** step : 0
        const youngest: UserEntry[] = []
        for await (const user of matching(atLeast('createTimestamp', formatTime(Math.max(0, since))))) {
          youngest.push(user)
          // No more than a few are held, however many were made at once.
          if (youngest.length > 2 * limit) youngest.sort(byAge).splice(limit)
        }
        if (youngest.length >= limit || since <= 0) return youngest.sort(byAge).slice(0, limit)
      }
    },
  }
}

function byAge(a: UserEntry, b: UserEntry): number {
  return b.createTimestamp.localeCompare(a.createTimestamp) || (b.uidNumber ?? 0) - (a.uidNumber ?? 0)
}
