import { useQuery } from '@tanstack/react-query'
import type { Way } from './places.ts'
import { here, places } from './places.ts'
import type { ChannelState, Status } from './queries.ts'
import * as read from './queries.ts'

/** Something that is not well: a key of the texts below `problems`, where it means something and says what to do. */
export type Problem = {
  of:
    | 'ldapAway'
    | 'redisAway'
    | 'noKey'
    | 'keyLate'
    | 'plugin'
    | 'webhook'
    | 'webhookGone'
    | 'delivery'
    | 'notification'
    | 'redisWarns'
    | 'mailOff'
    | 'mailFails'
    | 'smsFails'
    | 'closed'
    | 'token'
  /** Stands for something that does not work now. */
  grave?: true
  values: { count?: number; name?: string; error?: string; at?: number }
  /** Where one acts. */
  to: Way
}

/**
 * What is not well as far as it is known, the gravest first; whether more is waited for, and what could not be read.
 * `undefined` until the systems have been heard.
 */
export function useProblems() {
  const { data: status } = useQuery(read.status)
  const asked = [
    useQuery(read.keyPeriod),
    useQuery(read.plugins),
    useQuery(read.webhooks),
    useQuery(read.notifications),
    useQuery(read.closed),
    useQuery(read.endingTokens),
  ] as const
  const [
    { data: period },
    { data: plugins = [] },
    { data: webhooks = [] },
    { data: notifications = [] },
    { data: closed = [] },
    { data: tokens = [] },
  ] = asked
  if (!status) return undefined
  const all: Problem[] = [
    ...ofSystems(status),
    ...ofKeys(status, period),
    ...plugins
      .filter(({ last_status }) => last_status === 'error')
      .map(({ id, name, last_error }) => ({
        of: 'plugin' as const,
        grave: true as const,
        values: { name, error: last_error ?? '' },
        to: places.plugin(id),
      })),
    ...webhooks.map(({ id, name, gone, missed, error }) => ({
      of: gone ? ('webhookGone' as const) : ('webhook' as const),
      grave: true as const,
      values: { name, count: missed, error },
      to: places.webhook(id),
    })),
    ...notifications.map(({ notification_id, subject, failed_count }) => ({
      of: 'notification' as const,
      values: { name: subject, count: failed_count },
      to: places.notification(notification_id),
    })),
    ...(closed.length > 0
      ? [{ of: 'closed' as const, values: { count: closed.length }, to: here.locked }]
      : []),
    ...tokens.map(({ name, expires_at }) => ({
      of: 'token' as const,
      values: { name, at: expires_at },
      to: places.tokens,
    })),
  ]
  return {
    problems: all.toSorted((a, b) => Number(b.grave ?? false) - Number(a.grave ?? false)),
    waits: asked.some(({ isPending }) => isPending),
    lost: asked.find(({ isLoadingError }) => isLoadingError),
  }
}

function ofSystems({ ldap, redis, mail, sms, channels, jobs }: Status): Problem[] {
  const lost = jobs.delivery?.failed ?? 0
  return [
    ...(ldap.status === 'away'
      ? [{ of: 'ldapAway' as const, grave: true as const, values: {}, to: here.systems }]
      : []),
    ...(redis.status === 'away'
      ? [{ of: 'redisAway' as const, grave: true as const, values: {}, to: here.systems }]
      : []),
    ...redis.warnings.map((error) => ({ of: 'redisWarns' as const, values: { error }, to: here.systems })),
    ...(mail === 'configured' ? [] : [{ of: 'mailOff' as const, values: {}, to: places.mail }]),
    ...(mail === 'configured' && channels ? ofChannel('mailFails', channels.mail) : []),
    ...(sms === 'configured' && channels ? ofChannel('smsFails', channels.sms) : []),
    ...(lost > 0 ? [{ of: 'delivery' as const, values: { count: lost }, to: here.systems }] : []),
  ]
}

function ofChannel(of: 'mailFails' | 'smsFails', channel: ChannelState): Problem[] {
  if (!isFailing(channel)) return []
  return [
    {
      of,
      grave: true,
      values: { error: channel.error ?? '' },
      to: of === 'mailFails' ? places.mail : places.sms,
    },
  ]
}

/** Nothing has gone out since the last failure. */
export function isFailing({ sent_on, failed_on }: ChannelState): boolean {
  return failed_on !== null && failed_on > (sent_on ?? 0)
}

/** The next key takes over at a multiple of the period; an hour is room for all pods to see it. */
const slack = 3_600_000

function ofKeys(status: Status, period: number | undefined): Problem[] {
  return keysOf(status).flatMap(({ algorithm, since, next }): Problem[] => {
    if (since === undefined)
      return [{ of: 'noKey', grave: true, values: { name: algorithm }, to: here.systems }]
    const due = period === undefined ? undefined : since + period
    // The very first key counts from 1970, which tells nothing of its age.
    if (next !== undefined || since === 0 || due === undefined || due + slack > Date.now()) return []
    return [{ of: 'keyLate', grave: true, values: { name: algorithm, at: since }, to: here.systems }]
  })
}

export type KeyOf = { algorithm: string; since?: number; next?: number }

/** For each algorithm since when its key signs, and when the next one that is published takes over. */
export function keysOf({ signing_keys }: Pick<Status, 'signing_keys'>): KeyOf[] {
  const algorithms = [...new Set(signing_keys.map(({ algorithm }) => algorithm))]
  return algorithms.map((algorithm) => {
    const those = signing_keys.filter((key) => key.algorithm === algorithm)
    const since = those.find(({ state }) => state === 'signing')?.signs_from
    const next = those.find(({ state }) => state === 'coming')?.signs_from
    return {
      algorithm,
      ...(since === undefined ? {} : { since }),
      ...(next === undefined ? {} : { next }),
    }
  })
}
