/** A stretch of time and how much fell into it; `at` is where it begins, in milliseconds. */
export type Stretch = { at: number; count: number }

const hour = 3_600_000

/** Where the last `days` days begin, today's last; by the reader's clock, whatever the length of a day. */
export function lastDays(days: number, now = Date.now()): number[] {
  const today = new Date(now)
  return Array.from({ length: days }, (_, nth) =>
    new Date(today.getFullYear(), today.getMonth(), today.getDate() - (days - 1 - nth)).getTime(),
  )
}

/** The same for hours, that of now last. */
export function lastHours(hours: number, now = Date.now()): number[] {
  const last = Math.floor(now / hour) * hour
  return Array.from({ length: hours }, (_, nth) => last - (hours - 1 - nth) * hour)
}

/** How many of `times` fall into each stretch; each ends where the next begins. */
export function spread(starts: readonly number[], times: readonly number[]): Stretch[] {
  const stretches = starts.map((at) => ({ at, count: 0 }))
  for (const time of times) {
    const into = stretches.findLast(({ at }) => at <= time)
    if (into) into.count++
  }
  return stretches
}
