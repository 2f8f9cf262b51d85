import type { Work } from './load.ts'
import type { Measure } from './measure.ts'
import { measure } from './measure.ts'
import type { Memory } from './process.ts'
import { memoryOf } from './process.ts'
import type { Person } from './service.ts'
import { makeClients, serviceWork, signPeopleIn } from './service.ts'
import { measureSignatures } from './signature.ts'
import { referenceWork, signPeopleInAtReference } from './stock.ts'
import type { Server, World } from './world.ts'

/** What is measured, with how many requests at a time. */
export const scenarios = {
  discovery: { title: 'discovery', concurrency: 16 },
  userinfo: { title: 'userinfo', concurrency: 16 },
  flow: { title: 'code flow', concurrency: 16 },
  flowByApi: { title: 'code flow, API', concurrency: 16 },
  introspection: { title: 'introspection', concurrency: 16 },
  clientCredentials: { title: 'client credentials', concurrency: 16 },
  refresh: { title: 'refresh', concurrency: 16 },
  refreshES256: { title: 'refresh, ES256', concurrency: 16 },
  // The service checks two passwords at a time, and so does the reference: more would only queue.
  fullFlow: { title: 'full login flow', concurrency: 2 },
  fullFlowChecked: { title: 'full flow, checked', concurrency: 2 },
  fullFlowSameRate: { title: 'full flow, same rate', concurrency: 2, sameRate: true },
  fullFlowStored: { title: 'full flow, stored', concurrency: 2, stored: true },
  login: { title: 'login', concurrency: 2 },
} as const satisfies Record<
  string,
  { title: string; concurrency: number; sameRate?: boolean; stored?: boolean }
>
export type Scenario = keyof typeof scenarios
/** Measured against one RS256 signature: the memory adapter's index of a grant makes its refreshes slower and slower. */
export function isRefresh(scenario: Scenario): scenario is 'refresh' | 'refreshES256' {
  return scenario === 'refresh' || scenario === 'refreshES256'
}
export type Pair = { service: Measure; reference: Measure }
type Load = { concurrency: number; seconds?: number; count?: number; perSecond?: number }
/** Per scenario, the pairs of all rounds. */
export type Rounds = Partial<Record<Scenario, Pair[]>>

const alone = { concurrency: 1, count: 50 }

/**
 * Both servers up and warm; they take turns, scenario by scenario, round by round, so that noise hits both. At the end
 * each scenario once more one request at a time: latency without waiting, and the exact number of round trips.
 */
export async function measureWarm(
  world: World,
  persons: Person[],
  options: { rounds: number; seconds: number; only: Scenario[]; say(line: string): void },
): Promise<{ results: Rounds; single: Rounds; memory: Memory }> {
  const { rounds, seconds, only, say } = options
  const service = await world.startService()
  const plainReference = await world.startReference()
  const isStored = (scenario: Scenario) => 'stored' in scenarios[scenario]
  const storedReference = only.some(isStored) ? await world.startReference({ stored: true }) : plainReference
  const results: Rounds = {}
  const single: Rounds = {}
  const ours = serviceWork(persons)
  /** Units a second of the service, where the reference is to be loaded as much. */
  const rates: Partial<Record<Scenario, number>> = {}
  for (let round = 0; round <= rounds; round++) {
    for (const scenario of only) {
      const reference = isStored(scenario) ? storedReference : plainReference
      const theirs = referenceWork(await signPeopleInAtReference(reference.port))
      say(round === 0 ? `Warming up: ${scenario}` : `Round ${round} of ${rounds}: ${scenario}`)
      const { concurrency } = scenarios[scenario]
      // V8 compiles the hot paths for seconds on; that belongs to no request.
      const span = round === 0 ? 2 * seconds : seconds
      const run = (server: Server, work: Work, load: Load = { concurrency, seconds: span }) =>
        measure(world, server, work, { ...load, counted: server === service })
      const other = (load: Load = { concurrency, seconds: span, ...paceOf(rates[scenario]) }) =>
        isRefresh(scenario) ? measureSignatures() : run(reference, theirs[scenario], load)
      const flipped = round % 2 === 1 ? await other() : undefined
      const own = await run(service, ours[scenario])
      if ('sameRate' in scenarios[scenario]) rates[scenario] = own.units / own.seconds
      const pair = { service: own, reference: flipped ?? (await other()) }
      if (round > 0) (results[scenario] ??= []).push(pair)
      if (round === rounds)
        single[scenario] = [
          {
            service: await run(service, ours[scenario], alone),
            reference: await other(alone),
          },
        ]
    }
  }
  const memory = memoryOf(service.pid)
  await Promise.all([...new Set([service, plainReference, storedReference])].map((server) => server.stop()))
  return { results, single, memory }
}

function paceOf(perSecond: number | undefined): { perSecond?: number } {
  return perSecond === undefined ? {} : { perSecond }
}

/**
 * The first requests after a start, one by one; each scenario gets servers of its own. People and tokens of the service
 * live in Redis from before; at the reference, which forgets, one person signs in first (a few requests of warmth).
 */
export async function measureCold(
  world: World,
  persons: Person[],
  options: { count: number; only: Scenario[]; say(line: string): void },
): Promise<{ results: Rounds; readyAfter: { service: number; reference: number } }> {
  const { count, only, say } = options
  const results: Rounds = {}
  const readyAfter = { service: 0, reference: 0 }
  for (const scenario of only) {
    say(`Cold: ${scenario}`)
    const service = await world.startService()
    const own = await measure(world, service, serviceWork(persons)[scenario], { concurrency: 1, count })
    await service.stop()
    const reference = await world.startReference({ stored: 'stored' in scenarios[scenario] })
    const signedIn = /discovery|login/.test(scenario) ? [] : await signPeopleInAtReference(reference.port, 1)
    const their = isRefresh(scenario)
      ? await measureSignatures(count)
      : await measure(world, reference, referenceWork(signedIn)[scenario], { concurrency: 1, count })
    await reference.stop()
    results[scenario] = [{ service: own, reference: their }]
    readyAfter.service = service.readyAfter
    readyAfter.reference = reference.readyAfter
  }
  return { results, readyAfter }
}

/** Clients and signed-in people, made once through the service's own API; they outlive its restarts in Redis. */
export async function populate(world: World): Promise<Person[]> {
  const service = await world.startService()
  const clients = await makeClients(service.port, await world.adminPassword())
  const persons = await signPeopleIn(service.port, clients)
  await service.stop()
  return persons
}
