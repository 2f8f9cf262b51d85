import { setTimeout as pause } from 'node:timers/promises'

/** Asks again and again, every few `milliseconds`, until the answer is one; throws with `what` was awaited after `seconds`. */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | false>,
  seconds = 40,
  milliseconds = 100,
): Promise<T> {
  for (const end = Date.now() + seconds * 1000; ; ) {
    const answer = await ask()
    if (answer) return answer
    if (Date.now() > end) throw new Error(`in vain awaited: ${what}`)
    await pause(milliseconds)
  }
}
