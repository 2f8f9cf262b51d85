import { median, percentile } from './load.ts'
import type { Measure } from './measure.ts'
import type { ProcessMemory, QuickstartMemory } from './memory.ts'
import type { Memory } from './process.ts'
import type { Pair, Scenario } from './warm.ts'
import { isRefresh, scenarios } from './warm.ts'

/** One line of the tables: a scenario at one of the two servers. */
export type Row = {
  scenario: string
  server: string
  perSecond: number
  /** Milliseconds. */
  first: number
  p50: number
  p99: number
  /** Microseconds of CPU per request or flow: of the server itself, of slapd, of Redis. */
  cpu: number
  slapdCpu: number
  redisCpu: number
  ldapTrips?: number
  redisTrips?: number
  generator: number
}
export type Comparison = { service: Row; reference: Row; cpuRatio: number; rateRatio: number }

/** Rounds merged: latencies together, the rest by its median; ratios are medians of each round's own ratio. */
export function compare(scenario: Scenario, pairs: Pair[]): Comparison {
  const { title } = scenarios[scenario]
  const counterpart =
    scenario === 'login' ? 'bare LDAP bind' : isRefresh(scenario) ? 'RS256 signature' : 'bare oidc-provider'
  return {
    service: rowOf(
      title,
      'latchkey',
      pairs.map((pair) => pair.service),
    ),
    reference: rowOf(
      title,
      counterpart,
      pairs.map((pair) => pair.reference),
    ),
    cpuRatio: median(pairs.map(({ service, reference }) => service.cpu.server / reference.cpu.server)),
    rateRatio: median(pairs.map(({ service, reference }) => rate(service) / rate(reference))),
  }
}

function rowOf(scenario: string, server: string, measures: Measure[]): Row {
  const of = (pick: (measure: Measure) => number) => median(measures.map(pick))
  const latencies = measures.flatMap((measure) => measure.latencies)
  const counted = measures.every((measure) => measure.roundTrips)
  return {
    scenario,
    server,
    perSecond: of(rate),
    first: latencies[0] ?? Number.NaN,
    p50: percentile(latencies, 0.5),
    p99: percentile(latencies, 0.99),
    cpu: of((measure) => measure.cpu.server),
    slapdCpu: of((measure) => measure.cpu.slapd),
    redisCpu: of((measure) => measure.cpu.redis),
    ...(counted && {
      ldapTrips: of((measure) => measure.roundTrips?.ldap ?? 0),
      redisTrips: of((measure) => measure.roundTrips?.redis ?? 0),
    }),
    generator: Math.max(...measures.map((measure) => measure.generator)),
  }
}

function rate({ units, seconds }: Measure): number {
  return units / seconds
}

/** One request at a time: what it waits for. */
export function singleTable(comparisons: Comparison[]): string {
  const head = 'scenario,server,p50 ms,p99 ms,LDAP,Redis'
  const lines = comparisons.flatMap(({ service, reference }) => [
    [service.scenario, service.server, ms(service.p50), ms(service.p99), ...trips(service)],
    [reference.scenario, reference.server, ms(reference.p50), ms(reference.p99), '', ''],
  ])
  return table([head.split(','), ...lines])
}

export function warmTable(comparisons: Comparison[]): string {
  const head =
    'scenario,server,req/s,p50 ms,p99 ms,CPU µs/req,× CPU,× req/s,LDAP/req,Redis/req,slapd µs,Redis µs,generator'
  const lines = comparisons.flatMap(({ service, reference, cpuRatio, rateRatio }) => [
    [...lead(service), cpuRatio.toFixed(2), rateRatio.toFixed(2), ...trips(service), ...trail(service)],
    [...lead(reference), '', '', '', '', ...trail(reference)],
  ])
  return table([head.split(','), ...lines])
}

export function coldTable(comparisons: Comparison[]): string {
  const head = 'scenario,server,first ms,p50 ms,p99 ms,CPU µs/req,× CPU'
  const line = (row: Row) => [row.scenario, row.server, ms(row.first), ms(row.p50), ms(row.p99), us(row.cpu)]
  const lines = comparisons.flatMap(({ service, reference, cpuRatio }) => [
    [...line(service), cpuRatio.toFixed(2)],
    [...line(reference), ''],
  ])
  return table([head.split(','), ...lines])
}

export function memoryTable(idle: ProcessMemory, afterLogins: ProcessMemory): string {
  const names = ['service', 'slapd', 'redis'] as const
  return table([
    ['process', 'idle PSS MiB', 'RSS', 'after 20 parallel logins PSS', 'RSS'],
    ...names.map((name) => [name, ...mib(idle[name]), ...mib(afterLogins[name])]),
    [
      'together',
      ...mib(total(names.map((name) => idle[name]))),
      ...mib(total(names.map((name) => afterLogins[name]))),
    ],
  ])
}

export function quickstartTable({ processes }: QuickstartMemory): string {
  return table([
    ['process', 'PSS MiB', 'RSS'],
    ...processes.map((one) => [one.command.slice(0, 70), ...mib(one)]),
    ['together', ...mib(total(processes))],
  ])
}

/** What the service is to reach, warm, as a multiple of the reference's CPU. */
const most: Partial<Record<Scenario, number>> = {
  ...{ discovery: 0.4, userinfo: 1.3, clientCredentials: 1.15, flow: 1.2, fullFlow: 1.5, refresh: 2.4 },
}

export function goals(only: Scenario[], comparisons: Comparison[]): string {
  const lines = only.flatMap((name, at) => {
    const goal = most[name]
    const ratio = comparisons[at]?.cpuRatio
    if (goal === undefined || ratio === undefined) return []
    const verdict = ratio <= goal ? 'reached' : 'MISSED'
    return [
      `${scenarios[name].title}: ${ratio.toFixed(2)} × the CPU of ${isRefresh(name) ? 'one RS256 signature' : 'the reference'}, goal ${goal}: ${verdict}`,
    ]
  })
  return lines.join('\n')
}

export function total(memories: Memory[]): Memory {
  return {
    pss: memories.reduce((sum, { pss }) => sum + pss, 0),
    rss: memories.reduce((sum, { rss }) => sum + rss, 0),
  }
}

function lead(row: Row): string[] {
  return [row.scenario, row.server, row.perSecond.toFixed(0), ms(row.p50), ms(row.p99), us(row.cpu)]
}

function trips({ ldapTrips = 0, redisTrips = 0 }: Row): string[] {
  return [ldapTrips.toFixed(3), redisTrips.toFixed(2)]
}

function trail({ slapdCpu, redisCpu, generator }: Row): string[] {
  return [us(slapdCpu), us(redisCpu), `${Math.round(generator * 100)} %`]
}

function ms(value: number): string {
  return value.toFixed(2)
}

function us(value: number): string {
  return value.toFixed(0)
}

function mib({ pss, rss }: Memory): string[] {
  return [pss.toFixed(1), rss.toFixed(1)]
}

/** Columns of equal width; the first two to the left when they are words, numbers to the right. */
export function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  const cell = (text: string, column: number) =>
    /^[-\d.]+( %)?$/.test(text) || (text === '' && column > 1)
      ? text.padStart(widths[column] ?? 0)
      : text.padEnd(widths[column] ?? 0)
  return rows.map((row) => row.map(cell).join('  ').trimEnd()).join('\n')
}
