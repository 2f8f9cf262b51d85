import type { Opener } from './opener.ts'

type Kept = { alive: boolean; url: string; openedAt: number; close(): void }
export type ExclusiveLane<C extends Kept> = ReturnType<typeof createExclusiveLane<C>>
/** Call `done` when nothing is under way any more; a lease that ends without it closes its connection. */
export type Lease<C> = Disposable & { connection: C; done(): void }

/** Connections that serve one lease at a time, kept for the next one. Turns (turns.ts) bound how many there are. */
export function createExclusiveLane<C extends Kept>(opener: Pick<Opener, 'isStale'>, open: () => Promise<C>) {
  const idle: C[] = []
  let closed = false

  async function take(): Promise<C> {
    for (let kept = idle.pop(); kept; kept = idle.pop()) {
      if (kept.alive && !opener.isStale(kept)) return kept
      kept.close()
    }
    return open()
  }

  return {
    async lease(): Promise<Lease<C>> {
      const connection = await take()
      let ended = false
      const end = (reusable: boolean) => {
        if (ended) return
        ended = true
        if (reusable && connection.alive && !closed) idle.push(connection)
        else connection.close()
      }
      return { connection, done: () => end(true), [Symbol.dispose]: () => end(false) }
    },
    close() {
      closed = true
      for (const connection of idle) connection.close()
    },
  }
}
