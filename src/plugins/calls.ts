/**
 * What the service does for runs of plugins: each call is bounded, checked like a request from outside, and done in the
 * name of the instance, which stands in the audit log as `plugin:<id>`.
 */
import type { PluginRecord } from '#adapters/redis/plugins.ts'
import type { Deps } from '#src/deps.ts'
import { madeBy, putFound, removeFound } from '#src/directory/found.ts'
import { Refusal } from '#src/errors.ts'
import type { Calls, Needed } from './type.ts'

type Needs = Pick<Deps, 'egress' | 'store' | 'audit'>

const mostAtOnce = 100

/** What an instance may call: requests, and what its type declares. */
export function callsFor(
  deps: Needs,
  { id }: Pick<PluginRecord, 'id'>,
  { answerBytes, resources }: Needed = {},
): Partial<Calls> {
  const actor = `plugin:${id}`
  return {
    request: (address, sending) =>
      deps.egress.send(address, sending, answerBytes === undefined ? {} : { answerBytes }),
    ...(resources === 'write'
      ? {
          resourcesMade: () => madeBy(deps, actor),
          async putResources(below, found) {
            assertList(found)
            return putFound(deps, actor, String(below), found)
          },
          async removeResources(sources) {
            assertList(sources)
            return removeFound(deps, actor, sources)
          },
        }
      : {}),
  }
}

function assertList(given: unknown[]): void {
  if (Array.isArray(given) && given.length <= mostAtOnce) return
  throw new Refusal('InvalidInput', `At most ${mostAtOnce} at once.`)
}
