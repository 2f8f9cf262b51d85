import type { Logger } from 'pino'

export type Background = ReturnType<typeof openBackground>

/**
 * Work that an answer must not wait for, so that its time tells nothing (attacks row 6). Each piece ends by the time
 * limits of what it calls; one that fails is told in the log. Disposing waits for all.
 */
export function openBackground(log: Logger) {
  const underWay = new Set<Promise<void>>()
  const settled = async () => {
    while (underWay.size > 0) await Promise.all(underWay)
  }
  return {
    /** Begins after the answer under way has left this turn of the event loop. */
    run(what: string, work: () => Promise<unknown>): void {
      const done = new Promise((resolve) => setImmediate(resolve))
        .then(work)
        .then(
          () => {},
          (error) => log.error({ err: error }, `${what} failed`),
        )
        .finally(() => underWay.delete(done))
      underWay.add(done)
    },
    settled,
    [Symbol.asyncDispose]: settled,
  }
}
