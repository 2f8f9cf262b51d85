import type { TObject } from 'typebox'
import type { Received, Sending } from '#adapters/egress.ts'
import type { DumpedEntry } from '#adapters/ldap/directory.ts'
import type { Found, Made, Outcome } from '#src/directory/found.ts'
import type { DonePeople, PlannedPeople } from './people-calls.ts'

export type { DumpedEntry } from '#adapters/ldap/directory.ts'
export type { Found, Made, Outcome } from '#src/directory/found.ts'

/**
 * What a run can ask the service for: calls.ts serves it, bounded in size, number and time, where the type declares that
 * it needs it. Rejects with a sentence about the fault.
 */
export type Calls = {
  /** A request through the egress guard: the public internet, and what `egress.allow` names. Needs nothing declared. */
  request(address: string, sending?: Sending): Promise<Received>
  /** The resources that this instance made and that are still there. */
  resourcesMade(): Promise<Made[]>
  /** Makes or updates resources below the one with this slug; one bad one keeps no other back. */
  putResources(below: string, found: Found[]): Promise<Outcome[]>
  /** Removes resources that this instance made, by their names at the source. */
  removeResources(sources: string[]): Promise<Outcome[]>
  /** The next of the people and groups and of what holds them, parents first; null after the last. */
  nextEntries(wanted: { hashes: boolean }): Promise<DumpedEntry[] | null>
  /** Adds to the file of this run, which is not there for anybody before `keepFile`. */
  appendFile(text: string): Promise<void>
  /** Compares the people of a CSV with the directory; those who are there already are kept, or updated. */
  planPeople(csv: string, existing: 'keep' | 'update'): Promise<PlannedPeople>
  /** Does the next steps of that plan, fifty at most; none are left when it did nothing. */
  applyPeople(): Promise<DonePeople>
  /** Puts the file in its place, and removes all but the newest `most` of this instance; answers its name. */
  keepFile(most: number): Promise<string>
}

/** What a type needs beyond requests. */
export type Needed = {
  /** Largest answer to a request, bytes; else 64 KB. */
  answerBytes?: number
  /** To make, update and remove resources of its own in the directory of resources. */
  resources?: 'write'
  /** To read people and groups as they are. */
  directory?: 'read'
  /** To make and update people, without passwords and groups. */
  people?: 'write'
  /** To write one file in each run, into `plugins.folder`; the ending of its name. */
  file?: string
}

/** What a run may touch, and all it may touch: it is in a process of its own. */
export type RunContext = Calls & {
  config: Record<string, unknown>
  /** In clear; those that were set. */
  secrets: Record<string, string>
  /** A line of the run's log. */
  log(line: string): void
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
  needs?: Needed
  /** What the schema cannot say; answers a sentence about the fault. */
  validate?(config: Record<string, unknown>): string | undefined
  /** Does the work once; throws where it failed. */
  run(context: RunContext): Promise<void>
}
