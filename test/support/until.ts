import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'

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

/** What is answered once it is as `expected`, or in the end: the assertion around it says what came instead. */
export async function soon<T>(ask: () => Promise<T>, expected: T, seconds = 40): Promise<T> {
  for (const end = Date.now() + seconds * 1000; ; await pause(100)) {
    const answer = await ask()
    if (isDeepStrictEqual(answer, expected) || Date.now() > end) return answer
  }
}

/**
 * The outcome of `asked`; throws where it takes longer, counted in ticks of this process: while that or the machine stands
 * still no time passes.
 */
export async function bounded<T>(milliseconds: number, asked: Promise<T>): Promise<T> {
  let ended = false
  const late = async () => {
    for (let ran = 0; ran < milliseconds && !ended; ran += tickMilliseconds) await pause(tickMilliseconds)
    return 'late' as const
  }
  const outcome = await Promise.race([asked.then((value) => ({ value })), late()]).finally(() => {
    ended = true
  })
  if (outcome === 'late') throw new Error(`not within ${milliseconds} ms`)
  return outcome.value
}

const tickMilliseconds = 50
