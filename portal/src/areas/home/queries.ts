import { queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'
import { lastDays, lastHours } from './times.ts'

/** All that is shown here lies below this key. */
export const homeKey = ['home'] as const
/** Milliseconds after which it is asked for again, while somebody looks. */
const often = { refetchInterval: 30_000 }
const seldom = { refetchInterval: 120_000, staleTime: 60_000 }

export const status = queryOptions({
  queryKey: [...homeKey, 'status'],
  queryFn: async () => (await ok(api.GET('/api/status/'))).results,
  ...often,
})
export type Status = Awaited<ReturnType<NonNullable<typeof status.queryFn>>>
export type ChannelState = NonNullable<Status['channels']>['mail']

export const figures = queryOptions({
  queryKey: [...homeKey, 'figures'],
  queryFn: () => ok(api.GET('/api/user/stats')),
  ...often,
})

/** Accounts, or names that are none, that too many failures have closed. */
export const closed = queryOptions({
  queryKey: [...homeKey, 'closed'],
  queryFn: async () => (await ok(api.GET('/api/auth/lockout/'))).results,
  ...often,
})

/** A number that may be higher than what was counted. */
export type AtLeast = { count: number; more: boolean }
const most = 1000

/** How many applications there are; only for those who administer them. */
export const applications = queryOptions({
  queryKey: [...homeKey, 'applications'],
  queryFn: async (): Promise<AtLeast> => {
    const { results, next } = await ok(api.GET('/api/oauth/client/', { params: { query: { limit: most } } }))
    return { count: results.length, more: next !== undefined }
  },
  ...seldom,
})

/** How many invites wait for somebody. */
export const invites = queryOptions({
  queryKey: [...homeKey, 'invites'],
  queryFn: async (): Promise<AtLeast> => {
    const query = { limit: most, state: 'valid' as const }
    const { results, next } = await ok(api.GET('/api/user/invite/', { params: { query } }))
    return { count: results.length, more: next !== undefined }
  },
  ...seldom,
})

export const plugins = queryOptions({
  queryKey: [...homeKey, 'plugins'],
  queryFn: async () => (await ok(api.GET('/api/plugins/'))).results,
  ...seldom,
})

/** Webhooks whose last message was not taken, with how many in a row were not, and those switched off by their receiver. */
export const webhooks = queryOptions({
  queryKey: [...homeKey, 'webhooks'],
  queryFn: async () => {
    const { results } = await ok(api.GET('/api/webhooks/'))
    const states = results.map(async ({ id, name, enabled }) => {
      const { results: sent } = await ok(
        api.GET('/api/webhooks/{id}/deliveries', { params: { path: { id } } }),
      )
      const reached = sent.findIndex(({ status }) => status === 'delivered')
      const missed = reached === -1 ? sent.length : reached
      const gone = !enabled && sent[0]?.response_status === 410
      return { id, name, enabled, gone, missed, error: sent[0]?.error ?? '' }
    })
    return (await Promise.all(states)).filter(({ enabled, gone, missed }) => gone || (enabled && missed > 0))
  },
  ...seldom,
})

/** Of the last notifications those that did not reach everybody. */
export const notifications = queryOptions({
  queryKey: [...homeKey, 'notifications'],
  queryFn: async () => {
    const { results } = await ok(api.GET('/api/notification/', { params: { query: { limit: 20 } } }))
    return results.filter(
      ({ failed_count, created_on }) => failed_count > 0 && created_on > Date.now() - week,
    )
  },
  ...seldom,
})
const week = 7 * 86_400_000

/** My own access tokens that end within two weeks: those of others are theirs to see. */
export const endingTokens = queryOptions({
  queryKey: [...homeKey, 'tokens'],
  queryFn: async () => {
    const { results } = await ok(api.GET('/api/api-token/'))
    return results.filter(({ expires_at }) => expires_at < Date.now() + 2 * week)
  },
  ...seldom,
})

/** How long a key signs before the next one does, in milliseconds. */
export const keyPeriod = queryOptions({
  queryKey: [...homeKey, 'key-period'],
  queryFn: async () => (await ok(api.GET('/api/conf/'))).oauth.keys.period_seconds * 1000,
  ...seldom,
})

type Event = { at: number; target: string; address: string }
/** Without `complete` there were more than are counted: these are the newest. */
export type Counted = { events: Event[]; complete: boolean; starts: number[] }

/** Refused sign-ins of the last day, by hour. */
export const refusals = happened('refusals', () => lastHours(24), [{ action: 'login', outcome: 'refused' }])

/** Accounts made by an administrator, an import or an invite within the last thirty days. */
export const signUps = happened('sign-ups', () => lastDays(30), [
  { action: 'user.create', outcome: 'ok' },
  { action: 'invite.accept', outcome: 'ok' },
])

type Filter = { action: string; outcome: string }

/** Events that pass one of the filters, the newest first, since the first of the starts. */
function happened(name: string, startsNow: () => number[], filters: Filter[]) {
  return queryOptions({
    queryKey: [...homeKey, name],
    queryFn: async ({ signal }): Promise<Counted> => {
      const starts = startsNow()
      const all = await Promise.all(filters.map((filter) => eventsOf(filter, starts, signal)))
      return {
        events: all.flatMap(({ events }) => events).sort((a, b) => b.at - a.at),
        complete: all.every(({ complete }) => complete),
        starts,
      }
    },
    ...seldom,
  })
}

const mostPages = 5

/** The newest events since the first start; a busy service has more than a screen should ask for. */
async function eventsOf(
  filter: Filter,
  [since = 0]: number[],
  signal: AbortSignal,
): Promise<Omit<Counted, 'starts'>> {
  const events: Event[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const query = { ...filter, since, limit: 1000, cursor }
    const { results, next } = await ok(api.GET('/api/audit/', { params: { query }, signal }))
    events.push(...results.map(({ at, target, address }) => ({ at, target, address })))
    if (next === undefined) return { events, complete: true }
    cursor = next
  }
  return { events, complete: false }
}

/** Lets somebody sign in again whom an administrator had locked. */
export async function unlock(uid: string): Promise<void> {
  await ok(api.PUT('/api/user/{uid}/active', { params: { path: { uid } }, body: { active: true } }))
  await Promise.all([changed(), queries.invalidateQueries({ queryKey: ['people'] })])
}

/** Forgets the failures that closed an account. */
export async function openDoors(uid: string): Promise<void> {
  await ok(api.DELETE('/api/auth/lockout/{uid}', { params: { path: { uid } } }))
  await changed()
}

async function changed(): Promise<void> {
  await Promise.all([figures, closed].map(({ queryKey }) => queries.invalidateQueries({ queryKey })))
}
