import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import { connect, createServer } from 'node:net'

/**
 * `pass`: as if it were not there. `slow`: everything arrives `delay` milliseconds late, in both directions. `stalled`:
 * nothing arrives any more and nobody is told, new connections are accepted and hear nothing. `half-closed`: the far side
 * says that it has ended, and takes no notice of what is still sent to it. `refused`: connections are reset.
 */
export type Network = 'pass' | 'slow' | 'stalled' | 'half-closed' | 'refused'

/**
 * A network between a pod and a server on a port of loopback, that can be made bad while it is in use. `only`: for those
 * alone who come from that address, of which loopback has many.
 */
export async function startTcpProxy(targetPort: number, { delay = 150, only }: Options = {}) {
  let network: Network = 'pass'
  const networkOf = ({ subject }: { subject: boolean }) => (subject ? network : 'pass')
  const pairs = new Set<Pair>()
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const subject = !only || near.remoteAddress === only
    if (subject && network === 'refused') return void near.resetAndDestroy()
    const far = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true })
    const pair = { near, subject, ways: [] as Way[] }
    pairs.add(pair)
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      const way = { subject, waiting: [] as (() => void)[], due: 0 }
      pair.ways.push(way)
      from.setNoDelay(true)
      from.on('data', (chunk) => deliver(way, () => to.writable && to.write(chunk)))
      from.on('end', () => deliver(way, () => to.end()))
      from.on('error', () => {})
      from.on('close', () => deliver(way, () => to.destroy()))
    }
    near.on('close', () => pairs.delete(pair))
    if (subject && network === 'half-closed') near.end()
  })
  /** In the order in which it came, whatever the network is by then. */
  function deliver(way: Way, send: () => void) {
    if (networkOf(way) === 'half-closed') return
    way.waiting.push(send)
    if (networkOf(way) !== 'stalled') go(way)
  }
  function go(way: Way) {
    if (networkOf(way) === 'pass' && way.due < Date.now()) for (const send of way.waiting.splice(0)) send()
    if (way.waiting.length === 0) return
    way.due = Date.now() + (networkOf(way) === 'slow' ? delay : 0)
    setTimeout(() => way.waiting.shift()?.(), way.due - Date.now())
  }
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return {
    port,
    /** What was held up goes on its way when the network passes again. */
    become(next: Network) {
      network = next
      for (const { near, ways, subject } of pairs) {
        if (!subject) continue
        if (next === 'half-closed') near.end()
        if (next === 'refused') near.resetAndDestroy()
        if (next === 'pass' || next === 'slow')
          for (const way of ways) for (const send of way.waiting.splice(0)) send()
      }
    },
    async [Symbol.asyncDispose]() {
      for (const { near } of pairs) near.destroy()
      server.close()
    },
  }
}
type Options = { delay?: number; only?: string }
type Way = { subject: boolean; waiting: (() => void)[]; due: number }
type Pair = { near: Socket; subject: boolean; ways: Way[] }
