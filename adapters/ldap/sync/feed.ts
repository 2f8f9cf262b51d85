import type { Logger } from 'pino'
import type { Layout } from '../layout.ts'
import type { Pool } from '../pool.ts'
import type { Link } from '../wire/link.ts'
import type { Graph } from './graph.ts'
import { createGraph } from './graph.ts'
import type { Message } from './messages.ts'
import { readMessage } from './messages.ts'
import { refresh } from './refresh.ts'

const pauses = { shortest: 250, longest: 60_000 }
/** Whoever waits longer for the feed than this walks by searches. */
const behindMilliseconds = 250
/** How long a write of ours may be on its way into the feed; until it is there all walk by searches. */
const unseenMilliseconds = 1000
/** refint has done its work on a renamed or deleted entry by then; measured 8 s for sixty large ones. */
const settleMilliseconds = 60_000
/** Doubtful names (graph.ts) that are worth reading all anew. */
const mostDoubts = 1000

type State = { link: Link<Message>; graph: Graph; cookie: Buffer }
export type Feed = ReturnType<typeof openFeed>

/**
 * Who is in which group, in memory, kept by content synchronization (RFC 4533). Nobody is answered from it before the
 * server was asked, after the question came, what changed since the last time (refreshOnly, with the cookie of then): one
 * short round trip, shared by all who wait, and an answer that is never older than the question. A server that is silent,
 * late or gone costs the graph and not its truth: `current` is undefined then, and searches answer.
 *
 * slapd's contextCSN stands still while an older write is under way, and what was written meanwhile is news only then: some
 * milliseconds. What we write ourselves is awaited by name, so that it is seen at once.
 */
export function openFeed(pool: Pool, layout: Layout, log: Logger) {
  let state: State | undefined
  /** Read while somebody was listed who is not there (graph.ts): to be read once more at `due`. */
  let unsettled: (State & { due: number }) | undefined
  let running: { since: number; done: Promise<void> } | undefined
  let next: Promise<void> | undefined
  let round = 0
  /** Groups we changed, by name: during which round, and until when they are awaited. */
  const awaited = new Map<string, { round: number; until: number }>()
  let loading = false
  let closed = false
  let pause = pauses.shortest
  let notBefore = 0

  /** Reads all, unless that is under way, or to be left alone for a while. Nobody waits for it. */
  function wake() {
    const now = performance.now()
    if (loading || closed || now < notBefore || (unsettled?.link.alive && now < unsettled.due)) return
    loading = true
    load()
      .catch((error) => {
        notBefore = performance.now() + pause
        if (pause === pauses.shortest && !closed) log.warn({ err: error }, 'LDAP group graph cannot be read')
        pause = Math.min(pause * 2, pauses.longest)
      })
      .finally(() => {
        loading = false
      })
  }

  async function load(): Promise<void> {
    const begun = performance.now()
    const before = unsettled?.link.alive ? unsettled : undefined
    unsettled = undefined
    const link = before?.link ?? (await pool.openLink(readMessage))
    try {
      const graph = createGraph({ groups: layout.group.base, people: layout.user.base })
      const cookie = await refresh(link, graph, layout)
      if (before) {
        // What was renamed since the first reading may be unfinished in the second.
        await refresh(link, before.graph, layout, { cookie: before.cookie })
        for (const name of before.graph.doubtful) graph.doubtful.add(name)
      }
      if (closed) throw new Error('closed')
      pause = pauses.shortest
      if (!before && graph.dangles) {
        unsettled = { link, graph, cookie, due: performance.now() + settleMilliseconds }
        log.info('LDAP groups list members that are not there: their graph is read once more in a minute')
      } else {
        state = { link, graph, cookie }
        const milliseconds = performance.now() - begun
        log.info({ entries: graph.size, milliseconds }, 'LDAP group graph is live')
      }
    } catch (error) {
      link.close()
      throw error
    }
  }

  function drop(reason: unknown) {
    if (!state) return
    state.link.close()
    state = undefined
    if (!closed) log.warn({ err: reason }, 'LDAP group graph is dropped; searches answer')
  }

  /** Resolves when what the directory holds now is in the graph, or the graph is gone; never rejects. */
  async function ask(): Promise<void> {
    if (!state) return
    const mine = ++round
    const seen = (cn: string) => {
      if ((awaited.get(cn.toLowerCase())?.round ?? mine) < mine) awaited.delete(cn.toLowerCase())
    }
    const { link, graph, cookie } = state
    try {
      state.cookie = await refresh(link, graph, layout, { cookie, seen })
      if (graph.doubtful.size > mostDoubts) drop('many names are doubtful')
    } catch (error) {
      drop(error)
    }
  }

  /** Shared by all who wait, but nobody gets an answer that was under way before they asked. */
  function asked(): Promise<void> {
    if (!running) return next ?? start()
    next ??= running.done.then(() => {
      next = undefined
      return start()
    })
    return next
  }

  function start(): Promise<void> {
    const done = ask().finally(() => {
      running = undefined
    })
    running = { since: performance.now(), done }
    return done
  }

  /** The state while it can be used. */
  function usable(): State | undefined {
    if (state && (!state.link.alive || !pool.leadsTo(state.link.url))) drop('the connection is gone')
    if (!state) wake()
    return state
  }

  /** True when a write of ours has not come back yet. */
  function isBehind(): boolean {
    const now = performance.now()
    for (const [cn, { until }] of awaited) if (until < now) awaited.delete(cn)
    return awaited.size > 0
  }

  return {
    /** True while questions are answered from memory. Who looks while they are not has it read anew, as a question does. */
    get live() {
      return usable() !== undefined
    },

    /** The graph as the directory is at this moment or later; undefined when it must be asked itself. */
    async current(): Promise<Graph | undefined> {
      const used = usable()
      if (!used || (running && performance.now() - running.since > behindMilliseconds)) return undefined
      const { promise: late, resolve } = Promise.withResolvers<boolean>()
      const timer = setTimeout(resolve, behindMilliseconds, false)
      const inTime = await Promise.race([asked().then(() => true), late])
      clearTimeout(timer)
      return inTime && state === used && !isBehind() ? used.graph : undefined
    },

    /** A group was changed by this pod or another one. */
    groupChanged(cn: string): void {
      awaited.set(cn.toLowerCase(), { round, until: performance.now() + unseenMilliseconds })
    },
    wake,
    close() {
      closed = true
      for (const each of [state, unsettled]) each?.link.close()
      state = unsettled = undefined
    },
  }
}
