/**
 * When signing keys are made, published, sign and go (contract section 9, ID token). Pure: the same answer on every pod
 * that sees the same keys and the same clock.
 *
 *        made      published          signs                 published only        deleted
 *   ──────┼────────────┼────────────────┼──────────────────────┼───────────────────┼──────
 *     start-2p      start-p           start             start of the next      next+retain
 *
 * The keys that are there decide, not the calendar: a key signs until one with a later start does, so a changed period,
 * pods that were all away, or a key that was not made in time never let one sign that nobody has seen published.
 */
import type { StoredKey } from '#adapters/redis/keystore.ts'

type Key = Pick<StoredKey, 'algorithm' | 'startsAt'>
/** Milliseconds. */
export type KeyTimes = { period: number; prepublish: number; retain: number }

/** How late a pod may see what others see already: each looks at least this often. */
export function slackOf({ prepublish }: Pick<KeyTimes, 'prepublish'>): number {
  return Math.min(60_000, prepublish / 4)
}

/**
 * `published`: as they stand in the JWKS, of each algorithm first the one that signs. `missing`: to be made now, and not
 * added after `latest`. `spent`: needed by nobody any more. `complete`: every algorithm can sign.
 */
export function planKeys<K extends Key>(
  keys: K[],
  algorithms: readonly Key['algorithm'][],
  now: number,
  times: KeyTimes,
) {
  const each = algorithms.map((algorithm) => planOne(algorithm, keys, now, times))
  return {
    published: each.flatMap(({ published }) => published),
    missing: each.flatMap(({ missing }) => missing),
    spent: each.flatMap(({ spent }) => spent),
    complete: each.every(({ active }) => active),
  }
}

function planOne<K extends Key>(algorithm: Key['algorithm'], keys: K[], now: number, times: KeyTimes) {
  const { period, prepublish, retain } = times
  const all = keys.filter((key) => key.algorithm === algorithm).toSorted((a, b) => b.startsAt - a.startsAt)
  const upcoming = all.filter(({ startsAt }) => startsAt > now)
  const [active, ...before] = all.filter(({ startsAt }) => startsAt <= now)
  const retired = before.map((key, at) => ({
    key,
    since: (at === 0 ? active : before[at - 1])?.startsAt ?? now,
  }))
  const until = retain + slackOf(times)

  const missing: (Key & { latest: number })[] = []
  // The very first, or all are lost: its start lies in 1970, so that all pods mean the same one.
  if (!active) missing.push({ algorithm, startsAt: 0, latest: Number.MAX_SAFE_INTEGER })
  const startsAt = Math.ceil((now + prepublish) / period) * period
  const latest = startsAt - prepublish
  if (now >= latest - prepublish && !all.some((key) => key.startsAt === startsAt))
    missing.push({ algorithm, startsAt, latest })

  return {
    active,
    missing,
    published: [
      ...(active ? [active] : []),
      ...retired.filter(({ since }) => now < since + until).map(({ key }) => key),
      ...upcoming.filter((key) => key.startsAt - prepublish <= now),
    ],
    spent: retired.filter(({ since }) => now >= since + until + prepublish).map(({ key }) => key),
  }
}
