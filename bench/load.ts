import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from './http.ts'
import { openConnection } from './http.ts'

/** One unit of work: a request, or the requests of one flow in their order. `n` counts up over all connections. */
export type Work = (connection: Connection, n: number) => Promise<void>

export type Load = {
  seconds: number
  /** Milliseconds of each unit. */
  latencies: number[]
  /** Share of the time that the generator was busy; near 1 it is the generator that limits, not the server. */
  generator: number
}

/**
 * Keeps `concurrency` connections busy for `seconds`, or until `count` units are done; with `perSecond` no more than so many
 * units are begun in a second.
 */
export async function load(
  port: number,
  work: Work,
  options: { concurrency: number; seconds?: number; count?: number; perSecond?: number },
): Promise<Load> {
  const { concurrency, perSecond = Number.POSITIVE_INFINITY } = options
  const { seconds = Number.POSITIVE_INFINITY, count = Number.POSITIVE_INFINITY } = options
  const connections = await Promise.all(Array.from({ length: concurrency }, () => openConnection(port)))
  const latencies: number[] = []
  let n = 0
  const before = performance.eventLoopUtilization()
  const start = performance.now()
  const end = start + seconds * 1000
  await Promise.all(
    connections.map(async (connection) => {
      for (let at = start; at < end && n < count; ) {
        const due = start + (n * 1000) / perSecond
        if (due > at) {
          await pause(due - at)
          at = performance.now()
        }
        await work(connection, n++)
        const now = performance.now()
        latencies.push(now - at)
        at = now
      }
    }),
  ).finally(() => {
    for (const connection of connections) connection.close()
  })
  const took = (performance.now() - start) / 1000
  const { utilization } = performance.eventLoopUtilization(before)
  return { seconds: took, latencies, generator: utilization }
}

export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2
}
