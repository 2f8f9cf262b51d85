import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'

/**
 * Wrong user codes that may be entered in 15 minutes (RFC 8628 section 5.1), beside the limit per address: by one
 * account, and by all together, so that a thousand codes in use are found with a chance of one in 25,000 by however many
 * accounts and addresses. Counted before the look and given back when there is such a code.
 */
const windowMilliseconds = 15 * 60_000
const most = { account: 10, all: 1000 }

/** Answers what takes the guess back. Throws TooManyRequests, and tells `retryAfter` the seconds to wait. */
export async function countGuess(
  uid: string,
  { store }: Pick<Deps, 'store'>,
  retryAfter: (seconds: number) => void,
): Promise<() => Promise<void>> {
  const budgets: [who: string, most: number][] = [
    [`device-guess ${uid.toLowerCase()}`, most.account],
    ['device-guess', most.all],
  ]
  // One after the other: an account that is stopped does not use up what all have together.
  for (const [who, limit] of budgets) {
    const { current, ttl } = await store.rates.count(who, windowMilliseconds)
    if (current <= limit) continue
    const seconds = Math.max(1, Math.ceil(ttl / 1000))
    retryAfter(seconds)
    const minutes = Math.ceil(seconds / 60)
    throw new Refusal(
      'TooManyRequests',
      `Too many wrong codes: try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`,
    )
  }
  return async () => {
    await Promise.all(budgets.map(([who]) => store.rates.giveBack(who)))
  }
}
