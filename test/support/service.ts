import { randomBytes } from 'node:crypto'
import { freePort } from '#quickstart/child.ts'
import { readConfig } from '#src/config.ts'
import type { Deps } from '#src/deps.ts'
import { startService } from '#src/main.ts'
import { startTestServers } from './servers.ts'

type Json = Record<string, unknown>
export type Answer<T = Json> = { status: number; headers: Headers; body: T; text: string }
export type RequestOptions = {
  token?: string
  body?: unknown
  headers?: Record<string, string>
  /** Client address as a trusted proxy would tell it; a fresh one each time unless given, so limits stay apart. */
  address?: string
}
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

/** An ordinary HTTP client of the service. */
export function clientOf(url: string) {
  let uids = 0

  async function request<T = Json>(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): Promise<Answer<T>> {
    const { token, body, headers, address = freshAddress() } = options
    const response = await fetch(new URL(path, url), {
      method,
      redirect: 'manual',
      headers: {
        'x-forwarded-for': address,
        ...(token === undefined ? {} : { 'auth-token': token }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: parse<T>(text), text }
  }

  /** Signs in and answers the auth token. */
  async function login(uid: string, password: string): Promise<string> {
    const { body, text } = await request<{ token?: string }>('POST', '/api/auth/login', {
      body: { uid, password },
    })
    if (!body.token) throw new Error(`login of ${uid}: ${text}`)
    return body.token
  }

  /** Makes a user through the API as the admin with `adminToken`, and signs it in. */
  async function newUser(adminToken: string, fields: Record<string, string> = {}) {
    const uid = fields.uid ?? `user${++uids}-${randomBytes(3).toString('hex')}`
    const password = fields.password ?? `password of ${uid}`
    const body = { uid, password, givenName: 'Given', sn: 'Family', mail: `${uid}@example.org`, ...fields }
    const made = await request('POST', '/api/user/', { token: adminToken, body })
    if (made.status !== 200) throw new Error(`creating ${uid}: ${made.text}`)
    return {
      uid,
      password,
      mail: body.mail,
      dn: (made.body.results as { dn: string }).dn,
      token: await login(uid, password),
    }
  }

  return { request, login, newUser }
}

function parse<T>(text: string): T {
  try {
    return JSON.parse(text) as T
  } catch {
    return undefined as T
  }
}

let addresses = 0
/** An address no other request of this test has used. */
export function freshAddress(): string {
  addresses++
  return `10.${(addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`
}
