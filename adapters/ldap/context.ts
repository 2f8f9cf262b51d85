import type { Logger } from 'pino'
import type { Capabilities } from './capabilities.ts'
import type { Counter } from './counter.ts'
import type { Layout } from './layout.ts'
import type { Pool } from './pool.ts'

export type Change = { uid?: string; group?: string }

/** What the repositories share. */
export type Context = {
  pool: Pool
  layout: Layout
  capabilities: Capabilities
  counter: Counter
  log: Logger
  /** Awaited after every write of ours, before it answers: it drops what any pod remembers. */
  onChange: (change: Change) => Promise<void>
}
