/**
 * The terms of service. Each text that is put in force is a version of its own and none is ever lost; what somebody
 * accepted is a version (src/user/service.ts), so a new text is asked of everybody again.
 */
import type { Terms } from '#adapters/redis/terms.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { openCursor, sealCursor } from '#src/http/cursor.ts'
import type { Actor } from '#src/user/actor.ts'
import { renderTerms } from './markdown.ts'

/** The terms in force, or an earlier version. Throws NotFound for a version that never was. */
export async function readTerms({ store }: Pick<Deps, 'store'>, version?: number) {
  const terms = version === undefined ? await store.terms.current() : await store.terms.find(version)
  if (version !== undefined && !terms) throw new Refusal('NotFound', 'There is no such version of the terms.')
  return terms ?? { version: 0, text: '', created_on: null }
}

/** How a text will look, before it is put in force. */
export function previewTerms(input: string): Promise<string> {
  return renderTerms(plainLines(input))
}

/** Puts a text in force; everybody is asked to accept it, unless it is the one in force already. */
export async function publishTerms(
  { store, audit }: Pick<Deps, 'store' | 'audit'>,
  by: Actor,
  input: string,
): Promise<Terms> {
  const text = plainLines(input)
  const terms = await store.terms.publish({ text, created_by: by.event.actor })
  const { version } = terms
  audit.append({ ...by.event, action: 'tos.publish', target: 'tos', outcome: 'ok', detail: { version } })
  return terms
}

/** Versions without their texts, the newest first; all of them without `limit`. */
export async function listVersions(
  { store }: Pick<Deps, 'store'>,
  { limit, cursor }: { limit?: number; cursor?: string },
): Promise<{ results: Terms[]; next?: string }> {
  const key = store.keys.derive('cursor:tos')
  const before = cursor === undefined ? undefined : openCursor<number>(key, cursor)
  const found = await store.terms.list({ limit: limit ?? all, ...(before === undefined ? {} : { before }) })
  const last = found.at(-1)
  if (limit === undefined || !last || last.version === 1) return { results: found }
  return { results: found, next: sealCursor(key, last.version) }
}

const all = 100_000

function plainLines(input: string): string {
  return input.replace(/\r\n?/g, '\n').trim()
}
