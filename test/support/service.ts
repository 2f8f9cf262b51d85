import { randomBytes } from 'node:crypto'
import { freePort } from '#quickstart/child.ts'
import { readConfig } from '#src/config.ts'
import type { Deps } from '#src/deps.ts'
import { startService } from '#src/main.ts'
import { clientOf } from './client.ts'
import { startTestServers } from './servers.ts'

export type TestService = Awaited<ReturnType<typeof startTestService>>

/** The real service on its own slapd and Redis, listening on loopback. `settings` are `app_…` names. */
export async function startTestService(settings: Record<string, string> = {}) {
  await using opened = new AsyncDisposableStack()
  const servers = opened.use(await startTestServers())
  const { ldap, redis } = servers
  const environment = (port: number): Record<string, string> => ({
    app_listen__port: String(port),
    app_oauth__issuer: `http://127.0.0.1:${port}`,
    app_oauth__jwtSecret: testSecret,
    app_ldap__url: ldap.url,
    app_ldap__base: ldap.base,
    // Cheap hashes: tests make many users.
    ...{ app_ldap__password__memory: '1024', app_ldap__password__passes: '1' },
    app_ldap__bindDN: ldap.bindDN,
    app_ldap__bindPassword: ldap.bindPassword,
    ...redis.settings,
    // A busy machine is no fault; a test of what is away says how long one waits.
    ...{ app_ldap__timeout: '15000', app_redis__timeout: '15000' },
    app_trust_proxy: '127.0.0.1',
    app_log__level: process.env.TEST_LOG ?? 'silent',
    ...settings,
  })
  const port = await freePort()
  const service = opened.use(await startService(readConfig(environment(port))))
  const { firstAdmin, deps } = service
  if (!firstAdmin) throw new Error('a fresh directory has no first administrator')
  const url = `http://127.0.0.1:${port}`
  const client = clientOf(url)
  const environmentOfPod = async (
    differently: Record<string, string> = {},
  ): Promise<Record<string, string>> => ({
    ...environment(await freePort()),
    app_oauth__issuer: url,
    ...settings,
    ...differently,
  })
  const closing = opened.move()
  return {
    url,
    admin: firstAdmin,
    deps,
    servers,
    ...client,
    /** The settings of another pod on the same directory and Redis, on a port of its own. */
    environmentOfPod,
    async secondPod(differently: Record<string, string> = {}) {
      const settings = await environmentOfPod(differently)
      const pod = await startService(readConfig(settings))
      const at = `http://127.0.0.1:${settings.app_listen__port}`
      return { ...pod, url: at, ...clientOf(at) }
    },
    /** Round trips counted since the service started. */
    roundTrips: () => roundTripsOf(deps),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** Round trips of one pod since it started. */
export async function roundTripsOf({
  metrics,
}: Pick<Deps, 'metrics'>): Promise<{ ldap: number; redis: number }> {
  const metric = await metrics.registry.getSingleMetric('upstream_round_trips_total')?.get()
  const of = (system: string) => metric?.values.find(({ labels }) => labels.system === system)?.value ?? 0
  return { ldap: of('ldap'), redis: of('redis') }
}

const testSecret = randomBytes(36).toString('base64url')
