/** Reading the audit log. What is written into it stands where it happens. */
import type { AuditFilter, AuditPage, AuditRecord } from '#adapters/redis/audit.ts'
import type { Deps } from '#src/deps.ts'
import { cell } from '#src/http/csv.ts'
import { openCursor, sealCursor } from '#src/http/cursor.ts'
import type { Actor } from '#src/user/actor.ts'
import { userNamed } from '#src/user/service.ts'

type Needs = Pick<Deps, 'store' | 'audit'>
type Page = { limit: number; cursor?: string }
type Read = (at: { limit: number; before?: string }) => Promise<AuditPage>

/** A page of the log, the newest first. `next` can come with few events or none: how far was looked is bounded. */
export function pageOfEvents(deps: Needs, filter: AuditFilter, page: Page) {
  return paged(deps, page, (at) => deps.audit.page(filter, at))
}

/** All of the log that passes, the newest first. */
export function allEvents({ audit }: Needs, filter: AuditFilter): AsyncGenerator<AuditRecord> {
  return all((at) => audit.page(filter, at))
}

/** A page of what the caller did and of what was done to the own account. */
export async function pageOfActivity(deps: Needs & Pick<Deps, 'users'>, by: Actor, page: Page) {
  return paged(deps, page, await activityOf(deps, by))
}

export async function* allActivity(deps: Needs & Pick<Deps, 'users'>, by: Actor) {
  yield* all(await activityOf(deps, by))
}

/**
 * Since there is this account: its name can have had another owner. Where somebody else was at work from stays theirs;
 * where an unknown one came from does not.
 */
async function activityOf({ audit, users }: Needs & Pick<Deps, 'users'>, by: Actor): Promise<Read> {
  const { uid } = by.caller
  const since = users.madeOn(await userNamed({ users }, uid))
  const shown = ({ address, ...event }: AuditRecord) =>
    event.actor === '' || event.actor === uid ? { ...event, address } : { ...event, address: '' }
  return async (at) => {
    const { events, ...rest } = await audit.about(uid, since, at)
    return { events: events.map(shown), ...rest }
  }
}

async function paged(
  { store }: Needs,
  { limit, cursor }: Page,
  read: Read,
): Promise<{ results: AuditRecord[]; next?: string }> {
  const key = store.keys.derive('cursor:audit')
  const from = cursor === undefined ? {} : { before: openCursor<string>(key, cursor) }
  const { events, before } = await read({ limit, ...from })
  return { results: events, ...(before ? { next: sealCursor(key, before) } : {}) }
}

async function* all(read: Read): AsyncGenerator<AuditRecord> {
  let from: { before?: string } = {}
  do {
    const { events, before } = await read({ limit: longestPage, ...from })
    yield* events
    from = before ? { before } : {}
  } while (from.before)
}

const longestPage = 1000
const columns = [
  'id',
  'at',
  'actor',
  'action',
  'target',
  'outcome',
  'address',
  'detail',
  'api_token',
] as const

/** RFC 4180, as the list of users; `detail` is JSON. */
export const csvHeader = `${columns.join(',')}\r\n`
export function csvLine({ detail, ...event }: AuditRecord): string {
  const shown = { ...event, detail: detail && JSON.stringify(detail) }
  return `${columns.map((name) => cell(shown[name])).join(',')}\r\n`
}
