/** Reading the audit log. What is written into it stands where it happens. */
import type { AuditFilter, AuditPage, AuditRecord, Order } from '#adapters/redis/audit.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { cell } from '#src/http/csv.ts'
import { openCursor, sealCursor } from '#src/http/cursor.ts'
import type { Actor } from '#src/user/actor.ts'
import { userNamed } from '#src/user/service.ts'

type Needs = Pick<Deps, 'store' | 'audit'>
type Filter = AuditFilter & { order?: Order }
type Page = { limit: number; cursor?: string }
type Read = (at: { limit: number; from?: string }) => Promise<AuditPage>

/** A page of the log. `next` can come with few events or none: how far was looked is bounded. */
export function pageOfEvents(deps: Needs, { order = 'desc', ...filter }: Filter, page: Page) {
  return paged(deps, page, (at) => deps.audit.page(filter, { ...at, order }), order)
}

/** All of the log that passes. */
export function allEvents(
  { audit }: Needs,
  { order = 'desc', ...filter }: Filter,
): AsyncGenerator<AuditRecord> {
  return all((at) => audit.page(filter, { ...at, order }))
}

/** A page of what the caller did and of what was done to the own account. */
export async function pageOfActivity(deps: Needs & Pick<Deps, 'users'>, by: Actor, page: Page) {
  return paged(deps, page, await activityOf(deps, by))
}

/**
 * What `npm run audit:verify` does, in parts: checks the next `limit` seals over the log. Throws Conflict where retention
 * took the seal that the part before ended with.
 */
export async function verifyPart({ store, audit }: Needs, { limit = longestPage, cursor }: Partial<Page>) {
  const key = store.keys.derive('cursor:audit-verification')
  const after = cursor === undefined ? undefined : openCursor<string>(key, cursor)
  const found = await audit.seals.part({ after, most: limit })
  if (!found) throw new Refusal('Conflict', 'Older events were removed meanwhile: begin anew.')
  const { next, fault = null, ...verdict } = found
  return { results: { ...verdict, fault }, ...(next ? { next: sealCursor(key, next) } : {}) }
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
  order: Order = 'desc',
): Promise<{ results: AuditRecord[]; next?: string }> {
  const key = store.keys.derive(`cursor:audit:${order}`)
  const from = cursor === undefined ? {} : { from: openCursor<string>(key, cursor) }
  const { events, next } = await read({ limit, ...from })
  return { results: events, ...(next ? { next: sealCursor(key, next) } : {}) }
}

async function* all(read: Read): AsyncGenerator<AuditRecord> {
  let at: { from?: string } = {}
  do {
    const { events, next } = await read({ limit: longestPage, ...at })
    yield* events
    at = next ? { from: next } : {}
  } while (at.from)
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
