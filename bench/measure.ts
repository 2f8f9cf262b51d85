import type { Work } from './load.ts'
import { load } from './load.ts'
import { cpuOf } from './process.ts'
import type { Server, World } from './world.ts'

export type Measure = {
  /** Units of work done: requests, or whole flows. */
  units: number
  seconds: number
  /** Milliseconds of each unit. */
  latencies: number[]
  /** Microseconds of CPU per unit, of the server under load, of slapd and of Redis. */
  cpu: { server: number; slapd: number; redis: number }
  /** Per unit; of the service only. */
  roundTrips: { ldap: number; redis: number } | undefined
  /** Share of the time that the load generator was busy. */
  generator: number
}

/** Runs the work against one server and reads what it cost there, in slapd and in Redis. */
export async function measure(
  world: World,
  server: Server,
  work: Work,
  options: { concurrency: number; seconds?: number; count?: number; counted?: boolean; perSecond?: number },
): Promise<Measure> {
  const { slapd, redis } = world
  const counted = options.counted ?? false
  const tripsBefore = counted ? await roundTripsOf(server.port) : undefined
  const before = [server, slapd, redis].map(({ pid }) => cpuOf(pid))
  const { latencies, seconds, generator } = await load(server.port, work, options)
  const after = [server, slapd, redis].map(({ pid }) => cpuOf(pid))
  const tripsAfter = counted ? await roundTripsOf(server.port) : undefined
  const units = latencies.length
  const [own = 0, ldap = 0, store = 0] = after.map((cpu, at) => (cpu - (before[at] as number)) / units)
  const roundTrips = tripsBefore &&
    tripsAfter && {
      ldap: (tripsAfter.ldap - tripsBefore.ldap) / units,
      redis: (tripsAfter.redis - tripsBefore.redis) / units,
    }
  return {
    units,
    seconds,
    latencies,
    cpu: { server: own, slapd: ldap, redis: store },
    roundTrips,
    generator,
  }
}

async function roundTripsOf(port: number): Promise<{ ldap: number; redis: number }> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`)
  const metrics = await response.text()
  const of = (system: string) =>
    Number(
      new RegExp(`^upstream_round_trips_total\\{system="${system}"\\} (\\S+)`, 'm').exec(metrics)?.[1] ?? 0,
    )
  return { ldap: of('ldap'), redis: of('redis') }
}
