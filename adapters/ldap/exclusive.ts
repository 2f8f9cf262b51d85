import type { Connection } from './connection.ts'
import type { Opener } from './opener.ts'

export type ExclusiveLane = ReturnType<typeof createExclusiveLane>
/** Call `done` when nothing is under way any more; a lease that ends without it closes its connection. */
export type Lease = Disposable & { connection: Connection; done(): void }

/** Connections that serve one lease at a time, kept for the next one. Turns (turns.ts) bound how many there are. */
export function createExclusiveLane(opener: Opener, as: 'service' | 'nobody') {
  const idle: Connection[] = []
  let closed = false

  async function take(): Promise<Connection> {
    for (let kept = idle.pop(); kept; kept = idle.pop()) {
      if (kept.alive && !opener.isStale(kept)) return kept
      kept.close()
    }
    return opener.open(as)
  }

  return {
    async lease(): Promise<Lease> {
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
