import type { Logger } from 'pino'
import type { Capabilities } from './capabilities.ts'
import type { Counter } from './counter.ts'
import type { Layout } from './layout.ts'
import type { Pool } from './pool.ts'
import type { Feed } from './sync/feed.ts'

export type Change = { uid?: string; group?: string }

/** What the repositories share. */
export type Context = {
  pool: Pool
  layout: Layout
  capabilities: Capabilities
  counter: Counter
  /** Who is in which group, in memory; undefined where the server has no feed of changes or it is switched off. */
  feed: Feed | undefined
  log: Logger
  /** Awaited after every write of ours, before it answers: it drops what any pod remembers. */
  onChange: (change: Change) => Promise<void>
}
