import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import type { Series } from './durations.ts'
import { durations } from './durations.ts'

/** Prometheus metrics; label values come from closed sets only (route patterns, methods, status, system names). */
export function openMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
  const requests = durations(
    ...([registry, 'http_request_duration_seconds', 'Duration of HTTP requests by route.'] as const),
    [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10],
  )
  const upstream = durations(
    registry,
    'upstream_duration_seconds',
    'Time from sending an operation to the directory (binds hash), or a flush to Redis, to its answer.',
    [0.0005, 0.001, 0.005, 0.025, 0.1, 0.5, 2.5],
  )
  const ofLdap = {
    bind: upstream.series('ldap bind', () => ({ system: 'ldap', operation: 'bind' })),
    other: upstream.series('ldap', () => ({ system: 'ldap', operation: 'other' })),
  }
  const ofRedis = upstream.series('redis', () => ({ system: 'redis', operation: 'flush' }))
  /** What is to be called when the answer is there. */
  const timed = (series: Series) => {
    const sent = performance.now()
    return () => upstream.observe(series, (performance.now() - sent) / 1000)
  }
  // Counted on every request, many times: plain numbers, told when somebody asks.
  const trips = { ldap: 0, redis: 0 }
  new Counter({
    name: 'upstream_round_trips_total',
    help: 'Round trips to the directory and to Redis.',
    labelNames: ['system'] as const,
    registers: [registry],
    collect() {
      this.reset()
      this.inc({ system: 'ldap' }, trips.ldap)
      this.inc({ system: 'redis' }, trips.redis)
    },
  })
  const deliveries = new Counter({
    name: 'deliveries_total',
    help: 'Attempts to deliver mails and SMS by outcome: sent, retry (tried again later) or failed.',
    labelNames: ['kind', 'outcome'] as const,
    registers: [registry],
  })
  const deviceCodes = new Counter({
    name: 'device_codes_total',
    help: 'Codes of devices: asked for, allowed, denied, and wrong ones that people typed.',
    labelNames: ['outcome'] as const,
    registers: [registry],
  })
  const oauthTokens = new Counter({
    name: 'oauth_access_tokens_total',
    help: 'Access tokens given to applications, by grant.',
    labelNames: ['grant'] as const,
    registers: [registry],
  })
  const oauthRefusals = new Counter({
    name: 'oauth_refusals_total',
    help: 'Requests of applications that were refused, by endpoint and error code (a replayed DPoP proof: invalid_dpop_proof).',
    labelNames: ['endpoint', 'error'] as const,
    registers: [registry],
  })
  return {
    registry,
    deliveries,
    deviceCodes,
    oauthTokens,
    oauthRefusals,
    /** Shows how many jobs each queue has in each state, asked when somebody looks; left out while Redis is away. */
    watchJobs(queues: Record<string, () => Promise<Record<string, number>>>): void {
      new Gauge({
        name: 'jobs',
        help: 'Jobs by queue and state, of all pods together.',
        labelNames: ['queue', 'state'] as const,
        registers: [registry],
        async collect() {
          this.reset()
          for (const [queue, counts] of Object.entries(queues)) {
            const states = await counts().catch(() => ({}))
            for (const [state, count] of Object.entries(states)) this.set({ queue, state }, count)
          }
        },
      })
    },
    /** Shows how busy this pod's connections are, and whether they stand. */
    watchPools(directory: () => PoolFigures, redisIsUp: () => boolean): void {
      new Gauge({
        name: 'ldap_turns',
        help: 'Password checks and long listings of this pod: those that run, and those that wait for their turn.',
        labelNames: ['lane', 'state'] as const,
        registers: [registry],
        collect() {
          const { checks, listings } = directory()
          for (const [lane, { running, waiting }] of Object.entries({ checks, listings })) {
            this.set({ lane, state: 'running' }, running)
            this.set({ lane, state: 'waiting' }, waiting)
          }
        },
      })
      new Gauge({
        name: 'upstream_connections',
        help: 'Shared connections of this pod that are open.',
        labelNames: ['system'] as const,
        registers: [registry],
        collect() {
          this.set({ system: 'ldap' }, directory().connections)
          this.set({ system: 'redis' }, redisIsUp() ? 1 : 0)
        },
      })
    },
    /** Shows whether this pod answers effective groups from memory. */
    watchGraph(isLive: () => boolean): void {
      new Gauge({
        name: 'ldap_group_graph_live',
        help: '1 while effective groups are answered from memory, 0 while by searches.',
        registers: [registry],
        collect() {
          this.set(isLive() ? 1 : 0)
        },
      })
    },
    observeRequest(method: string, route: string, status: number, seconds: number): void {
      const series = requests.series(`${method} ${status} ${route}`, () => ({ method, route, status }))
      requests.observe(series, seconds)
    },
    /**
     * Counts one round trip to a system behind the service, of flushes side by side the first; the answer is to be called
     * when it has ended.
     */
    roundTrip: {
      ldap(operation: string) {
        trips.ldap++
        return timed(operation === 'bind' ? ofLdap.bind : ofLdap.other)
      },
      redis(_commands: number, beside: boolean) {
        if (!beside) trips.redis++
        return timed(ofRedis)
      },
    },
  }
}
type Turns = { running: number; waiting: number }
type PoolFigures = { connections: number; checks: Turns; listings: Turns }
export type Metrics = ReturnType<typeof openMetrics>
