/** What requests cost in a large directory, beside one plain search by uid through the same pool in the same run. */
import type { Connection } from '../http.ts'
import { expectStatus, json, openConnection, request } from '../http.ts'
import { median } from '../load.ts'
import { measure } from '../measure.ts'
import { freshAddress, password } from '../names.ts'
import type { Server, World } from '../world.ts'
import type { Lookup, Lookups, Question } from './pod.ts'
import { depth } from './seed.ts'

/** Medians of one lookup inside the service or one request over HTTP, in one round. */
type Cost = { milliseconds: number; ldap: number; redis?: number; rounds?: number; found?: number }
/** The same over all rounds; `ratio` is the multiple of the plain search of the same round. */
export type Line = Cost & { what: string; ratio: number }

/** Of one admin there is one, so each round asks so often. */
const times = 10

/** `uids`: people of the seed, each asked for once in a round, nothing of them known. */
export async function measureLookups(
  world: World,
  service: Server,
  { uids, rounds, say }: { uids: string[]; rounds: number; say(line: string): void },
): Promise<Line[]> {
  const connection = await openConnection(service.port)
  const admin = await signIn(connection, 'admin', await world.adminPassword())
  const [nested = '', ...plain] = uids
  await makeAdmin(connection, admin, nested)
  const tokens: string[] = []
  for (const uid of plain) tokens.push(await signIn(connection, uid, password))
  connection.close()

  async function within(lookup: Lookup, of: string[]): Promise<Cost> {
    const told = await service.ask<Lookups>({ lookup, uids: of } satisfies Question)
    const { milliseconds, trips: ldap, rounds, found } = told
    return {
      ...{ milliseconds: median(milliseconds), ldap: median(ldap) },
      ...{ rounds: Math.max(...rounds), found: median(found) },
    }
  }

  /** One request after the other; `fresh`: nothing is known at the first, or at each when there is one again and again. */
  async function overHttp(path: string, as: string[], { fresh = true, status = 200 } = {}): Promise<Cost> {
    const batches = fresh && as.length === 1 ? Array.from({ length: times }, () => as) : [as]
    const costs: Cost[] = []
    for (const [n, batch] of batches.entries()) {
      if (fresh) await service.ask('forget' satisfies Question)
      const requests = batch.map((token) => get(path.replace('#', String(n % 10)), token))
      const work = async (link: Connection, n: number) => {
        expectStatus(await link.send(requests[n % requests.length] as string), status, path)
      }
      const count = fresh ? requests.length : times
      const measured = await measure(world, service, work, { concurrency: 1, count, counted: true })
      const { ldap = 0, redis = 0 } = measured.roundTrips ?? {}
      costs.push({ milliseconds: median(measured.latencies), ldap, redis })
    }
    const of = (pick: (cost: Cost) => number) => median(costs.map(pick))
    return {
      milliseconds: of((cost) => cost.milliseconds),
      ldap: of((cost) => cost.ldap),
      redis: of((cost) => cost.redis ?? 0),
    }
  }

  const again = (uid: string) => plain.map(() => uid)
  const works: Record<string, () => Promise<Cost>> = {
    'plain search by uid': () => within('search', plain),
    'effective groups': () => within('effective', plain),
    'admin gate, listed': () => within('gate', again('admin')),
    'admin gate, refused': () => within('flatGate', plain),
    [`admin gate, nested ${depth} deep`]: () => within('gate', again(nested)),
    '  refused there': () => within('gate', plain),
    'GET /healthz': () => overHttp('/healthz', tokens),
    'GET /api/user/:uid': () => overHttp(`/api/user/${plain[0]}`, tokens),
    'GET /api/user/me': () => overHttp('/api/user/me', tokens),
    '  the same within a second': () => overHttp('/api/user/me', tokens.slice(0, 1), { fresh: false }),
    'GET /api/auth/lockout': () => overHttp('/api/auth/lockout', [admin]),
    '  the same, refused': () => overHttp('/api/auth/lockout', tokens, { status: 401 }),
    'GET /api/user/?limit=100&q=, 1 % match': () => overHttp('/api/user/?limit=100&q=family1#', [admin]),
    '  all match': () => overHttp('/api/user/?limit=100&q=example', [admin]),
    'GET /api/user/?limit=100': () => overHttp('/api/user/?limit=100', [admin]),
    'GET /api/user/stats after a change': () => overHttp('/api/user/stats', [admin]),
    '  the same again': () => overHttp('/api/user/stats', [admin], { fresh: false }),
  }
  const costs: Record<string, Cost>[] = []
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'Warming up: large directory' : `Round ${round} of ${rounds}: large directory`)
    const of: Record<string, Cost> = {}
    for (const [what, work] of Object.entries(works)) of[what] = await work()
    if (round > 0) costs.push(of)
  }
  return Object.keys(works).map((what) => lineOf(what, costs))
}

function lineOf(what: string, rounds: Record<string, Cost>[]): Line {
  const all = rounds.map((round) => ({
    cost: round[what] as Cost,
    plain: round['plain search by uid'] as Cost,
  }))
  const last = all.at(-1)?.cost as Cost
  return {
    ...last,
    what,
    milliseconds: median(all.map(({ cost }) => cost.milliseconds)),
    ratio: median(all.map(({ cost, plain }) => cost.milliseconds / plain.milliseconds)),
    ldap: median(all.map(({ cost }) => cost.ldap)),
  }
}

/** A chain of groups below app_sso_admin, with this person in the last. */
async function makeAdmin(connection: Connection, admin: string, uid: string): Promise<void> {
  const send = async (method: string, path: string, body?: object) =>
    expectStatus(await connection.send(json(method, path, body ?? {}, { 'auth-token': admin })), 200, path)
  let above = 'app_sso_admin'
  for (let level = 1; level < depth; level++) {
    const name = `admins${level}`
    await send('POST', '/api/group/', { name, description: '' })
    await send('PUT', `/api/group/${above}/nested/${name}`)
    above = name
  }
  await send('PUT', `/api/group/${above}/${uid}`)
}

export async function signIn(connection: Connection, uid: string, password: string): Promise<string> {
  const login = json('POST', '/api/auth/login', { uid, password }, { 'x-forwarded-for': freshAddress() })
  return JSON.parse(expectStatus(await connection.send(login), 200, `login of ${uid}`).body).token
}

function get(path: string, token: string): string {
  return request('GET', path, { 'auth-token': token, 'x-forwarded-for': freshAddress() })
}
