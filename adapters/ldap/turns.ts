import { Refusal } from '#src/errors.ts'

/**
 * A bounded number of things at one time, first come first served, with a bounded queue: a flood waits or is
 * refused (TooManyRequests when the queue is full, UpstreamFailure when nothing moves for `wait` milliseconds).
 */
export function createTurns({ size, waiting, wait }: { size: number; waiting: number; wait: number }) {
  let taken = 0
  /** Those who wait, in their order, each with the timer that ends its waiting. */
  const queue = new Map<() => void, NodeJS.Timeout>()

  function give() {
    const [next] = queue.keys()
    if (!next) {
      taken--
      return
    }
    next()
    for (const timer of queue.values()) timer.refresh()
  }

  function enqueue(): Promise<void> {
    if (queue.size >= waiting) throw new Refusal('TooManyRequests')
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const timer = setTimeout(() => {
      queue.delete(mine)
      reject(new Refusal('UpstreamFailure'))
    }, wait)
    const mine = () => {
      clearTimeout(timer)
      queue.delete(mine)
      resolve()
    }
    queue.set(mine, timer)
    return promise
  }

  return {
    /** How many have a turn, and how many wait for one. */
    figures: () => ({ running: taken, waiting: queue.size }),
    /** Waits for a turn; call the answer once to hand it on. */
    async take(): Promise<Disposable> {
      if (taken < size) taken++
      else await enqueue()
      let held = true
      return {
        [Symbol.dispose]() {
          if (held) give()
          held = false
        },
      }
    },
  }
}
export type Turns = ReturnType<typeof createTurns>
