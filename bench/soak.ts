/**
 * The whole way of an application's user, over and over, a few a second for as long as asked: login, authorize, token,
 * userinfo, three refreshes. What is looked for is what only shows in time: memory that grows, keys of Redis that nobody
 * will ever remove, an error now and then.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { codeOf, formOf } from './forms.ts'
import type { Connection } from './http.ts'
import { cookiesOf, expectStatus, json, locationOf, openConnection, request } from './http.ts'
import { median, percentile } from './load.ts'
import { freshAddress, password, people, uidOf } from './names.ts'
import { memoryOf } from './process.ts'
import { table } from './report.ts'
import type { Person } from './service.ts'
import type { World } from './world.ts'

/** Ways a second: about a third of what two cores check of passwords. */
const rate = 8
const refreshes = 3
/** Share of the time that counts as warm-up, and the growth after it that is allowed. */
const warmUp = 0.3
const goal = 1.05

type Sample = { minute: number; pss: number }
export type Soak = {
  ways: number
  errors: string[]
  p50: number
  p99: number
  samples: Sample[]
  /** Median memory of the last tenth of the time over that of the first tenth after the warm-up. */
  growth: number
  /** Families of keys without an expiry that were not there before, or have grown, with their count. */
  kept: Record<string, number>
}

export async function measureSoak(
  world: World,
  persons: Person[],
  { minutes, say }: { minutes: number; say(line: string): void },
): Promise<Soak> {
  const service = await world.startService()
  const before = await keptKeys(world.redis.url)
  const latencies: number[] = []
  const errors: string[] = []
  const samples: Sample[] = []
  const idle: Connection[] = []
  const start = performance.now()
  const underWay = new Set<Promise<void>>()
  const walk = async (n: number) => {
    // The one that idled longest, so that none idles until the service closes it.
    const connection = idle.shift() ?? (await openConnection(service.port))
    const at = performance.now()
    try {
      await wholeWay(connection, uidOf((n * 7) % people), persons[n % persons.length] as Person)
      latencies.push(performance.now() - at)
      idle.push(connection)
    } catch (error) {
      errors.push(String(error).split('\r\n')[0] as string)
      connection.close()
    }
  }
  const total = minutes * 60 * rate
  for (let n = 0; n < total; n++) {
    const due = start + (n * 1000) / rate - performance.now()
    if (due > 0) await pause(due)
    const walking = walk(n).finally(() => underWay.delete(walking))
    underWay.add(walking)
    if (n % (10 * rate) !== 0) continue
    const minute = n / rate / 60
    samples.push({ minute, pss: memoryOf(service.pid).pss })
    say(`Soak: ${minute.toFixed(1)} of ${minutes} minutes, ${errors.length} errors`)
  }
  await Promise.all(underWay)
  for (const connection of idle) connection.close()
  const after = await keptKeys(world.redis.url)
  await service.stop()
  const between = (from: number, to: number) =>
    median(
      samples
        .filter(({ minute }) => minute >= from * minutes && minute <= to * minutes)
        .map(({ pss }) => pss),
    )
  return {
    ...{ ways: latencies.length, errors, samples },
    ...{ p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
    growth: between(0.9, 1) / between(warmUp, warmUp + 0.1),
    kept: grown(before, after),
  }
}

/** Eight requests, each expected to succeed; a person's own address, so that the limits stay as they are. */
async function wholeWay(connection: Connection, uid: string, { authorize, redeem, client }: Person) {
  const headers = { 'x-forwarded-for': freshAddress() }
  const login = json('POST', '/api/auth/login', { uid, password }, headers)
  const signedIn = expectStatus(await connection.send(login), 200, 'login')
  const cookie = [...cookiesOf(signedIn)].map((pair) => pair.join('=')).join('; ')
  const asked = /^GET (\S+)/.exec(authorize)?.[1] as string
  const parameters = Object.fromEntries(new URL(asked, 'http://localhost').searchParams)
  // Once for each person and client consent is given, by the request of the consent page.
  const allow = json('POST', '/api/oauth/authorize', parameters, {
    ...headers,
    'auth-token': JSON.parse(signedIn.body).token,
  })
  const away = await connection.send(request('GET', asked, { ...headers, cookie, accept: 'text/html' }))
  const code =
    away.status === 303
      ? codeOf(locationOf(away))
      : codeOf(expectStatus(await connection.send(allow), 200, 'consent').body)
  let tokens = JSON.parse(expectStatus(await connection.send(redeem(code)), 200, 'token').body)
  const bearer = { ...headers, authorization: `Bearer ${tokens.access_token}` }
  expectStatus(await connection.send(request('GET', '/oauth/userinfo', bearer)), 200, 'userinfo')
  for (let turn = 0; turn < refreshes; turn++) {
    const { refresh_token } = tokens
    const form = formOf(client, { grant_type: 'refresh_token', refresh_token }, { headers })
    tokens = JSON.parse(expectStatus(await connection.send(form), 200, 'refresh').body)
  }
}

/** Keys that stay for ever, counted by family: the part of the name before the first id. */
async function keptKeys(url: string): Promise<Map<string, number>> {
  const redis = new Redis(url)
  const counts = new Map<string, number>()
  for await (const keys of redis.scanStream({ count: 1000 }) as AsyncIterable<string[]>) {
    const pipeline = redis.pipeline()
    for (const key of keys) pipeline.ttl(key)
    const answers = (await pipeline.exec()) ?? []
    keys.forEach((key, at) => {
      if (answers[at]?.[1] !== -1) return
      const family = /\{[^}]+\}(?::[a-z]+)?/.exec(key)?.[0] ?? key.split(':').slice(0, 3).join(':')
      counts.set(family, (counts.get(family) ?? 0) + 1)
    })
  }
  redis.disconnect()
  return counts
}

function grown(before: Map<string, number>, after: Map<string, number>): Record<string, number> {
  const more = [...after].filter(([family, count]) => count > (before.get(family) ?? 0))
  return Object.fromEntries(more.map(([family, count]) => [family, count - (before.get(family) ?? 0)]))
}

export function soakTable({ samples, ways, p50, p99, kept }: Soak): string {
  const step = Math.max(1, Math.floor(samples.length / 12))
  const rows = samples
    .filter((_, at) => at % step === 0)
    .map(({ minute, pss }) => [minute.toFixed(1), pss.toFixed(1)])
  const keys = Object.entries(kept).map(([family, count]) => `${family} ${count}`)
  return [
    table([['minute', 'PSS MiB'], ...rows]),
    `${ways} ways, p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms`,
    `keys without expiry that were added: ${keys.join(', ') || 'none'}`,
  ].join('\n')
}

export function soakGoals({ growth, errors }: Soak): string {
  const flat = `memory after the warm-up: ${growth.toFixed(3)} times, goal ${goal}: ${growth <= goal ? 'reached' : 'MISSED'}`
  const clean = `errors: ${errors.length}, goal 0: ${errors.length ? 'MISSED' : 'reached'}`
  return [flat, clean, ...errors.slice(0, 5)].join('\n')
}
