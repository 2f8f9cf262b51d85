import type { TObject } from 'typebox'
import type { Received, Sending } from '#adapters/egress.ts'

/** What a run may touch, and all it may touch: it is in a process of its own. */
export type RunContext = {
  config: Record<string, unknown>
  /** In clear; those that were set. */
  secrets: Record<string, string>
  /** A line of the run's log. */
  log(line: string): void
  /** A request through the service's egress guard: the public internet, and what `egress.allow` names. */
  request(address: string, sending?: Sending): Promise<Received>
}

/** A type of plugin, a module under types/: docs/plugins.md shows how to write one. */
export type PluginType = {
  type: string
  category: string
  name: string
  description: string
  /** Of `config`: closed, so that a misspelled field is refused. */
  configSchema: TObject
  /** Names of its secrets. */
  secrets: readonly string[]
  /** What the schema cannot say; answers a sentence about the fault. */
  validate?(config: Record<string, unknown>): string | undefined
  /** Does the work once; throws where it failed. */
  run(context: RunContext): Promise<void>
}
