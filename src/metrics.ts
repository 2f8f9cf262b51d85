import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client'
import { requestDurations } from './request-durations.ts'

/** Prometheus metrics; label values come from closed sets only (route patterns, methods, status, system names). */
export function openMetrics() {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 })
  const requests = requestDurations(registry)
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
    /** Shows how many jobs there are in each state, asked when somebody looks; left out while Redis is away. */
    watchJobs(counts: () => Promise<Record<string, number>>): void {
      new Gauge({
        name: 'jobs',
        help: 'Jobs by state, of all pods together.',
        labelNames: ['state'] as const,
        registers: [registry],
        async collect() {
          this.reset()
          const states = await counts().catch(() => ({}))
          for (const [state, count] of Object.entries(states)) this.set({ state }, count)
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
    requests,
    /** Counts one round trip to a system behind the service. */
    roundTrip: {
      ldap: () => void trips.ldap++,
      redis: () => void trips.redis++,
    },
  }
}
export type Metrics = ReturnType<typeof openMetrics>
