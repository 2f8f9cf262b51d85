import { api, ok } from '../../api/client.ts'
import { remove, setActive, signOutEverywhere } from './changes.ts'
import type { Listed } from './queries.ts'

/** What can be done with many people at once, in the order of the menu. */
export const bulk = {
  group: addToGroup,
  unlock: ({ uid }: Listed) => setActive(uid, true),
  signOut: ({ uid }: Listed) => signOutEverywhere(uid),
  lock: ({ uid }: Listed) => setActive(uid, false),
  delete: ({ uid }: Listed) => remove(uid),
} satisfies Record<string, (who: Listed, group: string) => Promise<unknown>>
export type BulkDoing = keyof typeof bulk

/** What would shut out the administrator who asks for it. */
export const notToOneself: readonly BulkDoing[] = ['signOut', 'lock', 'delete']

export type Outcome = { who: Listed; error?: unknown }

/**
 * Does it to one after another, a few at once, and tells each outcome as it comes: one failure does not keep the others
 * from it. Ends early once `signal` says so; those under way are finished.
 */
export async function doToAll(
  people: readonly Listed[],
  run: (who: Listed) => Promise<unknown>,
  { onOutcome, signal }: { onOutcome: (outcome: Outcome) => void; signal: AbortSignal },
): Promise<void> {
  const waiting = people.values()
  async function work() {
    for (const who of waiting) {
      await run(who).then(
        () => onOutcome({ who }),
        (error: unknown) => onOutcome({ who, error }),
      )
      if (signal.aborted) return
    }
  }
  await Promise.all(Array.from({ length: atOnce }, work))
}
const atOnce = 4

async function addToGroup({ uid }: Listed, group: string): Promise<void> {
  await ok(api.PUT('/api/group/{group}/{uid}', { params: { path: { group, uid } } }))
}
