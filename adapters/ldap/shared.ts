import type { Connection } from './connection.ts'
import type { Opener } from './opener.ts'
import { LinkFailure } from './results.ts'
import { within } from './socket.ts'

/** Soon, but no storm at a server that closes what it accepts. */
const reopenMilliseconds = 10

export type SharedLane = ReturnType<typeof createSharedLane>

/**
 * The lane of reads and writes: a few connections bound as the service, each carrying many operations at a time.
 * Refilled in the background as soon as one closes, replaced (new one first) when stale.
 */
export function createSharedLane(opener: Opener, size: number) {
  const connections = new Set<Connection>()
  let filling: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  let closed = false

  const fresh = () => [...connections].filter((each) => each.alive && !opener.isStale(each))

  /** Single flight: opens what is missing, then lets the stale ones go. */
  function fill(): Promise<void> {
    filling ??= open().finally(() => {
      filling = undefined
    })
    return filling
  }

  async function open(): Promise<void> {
    try {
      while (!closed && fresh().length < size) publish(await opener.open('service'))
    } catch (error) {
      fillLater()
      throw error
    }
  }

  function publish(connection: Connection) {
    if (closed) return connection.close()
    connections.add(connection)
    connection.onClose(() => {
      connections.delete(connection)
      fillLater(reopenMilliseconds)
    })
    for (const each of connections) if (opener.isStale(each)) retire(each)
  }

  /** Out of the lane at once, closed when what is under way has been answered. */
  function retire(connection: Connection) {
    connections.delete(connection)
    const check = setInterval(() => {
      if (connection.load > 0 && connection.alive) return
      clearInterval(check)
      connection.close()
    }, 50)
    check.unref()
  }

  function fillLater(milliseconds = opener.pause) {
    if (closed || retry) return
    retry = setTimeout(() => {
      retry = undefined
      fill().catch(() => {})
    }, milliseconds)
    retry.unref()
  }

  function best(): Connection | undefined {
    let least: Connection | undefined
    for (const each of connections) if (each.alive && each.load < (least?.load ?? Infinity)) least = each
    return least
  }

  opener.onMove(() => void fill().catch(() => {}))
  return {
    /** The least loaded connection; while there is none, waits `milliseconds` at most, or not at all in a pause. */
    async take(milliseconds: number): Promise<Connection> {
      const known = best()
      if (known) {
        if (opener.isStale(known) || connections.size < size) fill().catch(() => {})
        return known
      }
      let failure: unknown = new LinkFailure('closed')
      await within(milliseconds, fill()).catch((error) => {
        failure = error
      })
      const opened = best()
      if (!opened) throw failure
      return opened
    },
    /** Connections that are open. */
    get size() {
      return fresh().length
    },
    close() {
      closed = true
      clearTimeout(retry)
      for (const connection of connections) connection.close()
    },
  }
}
