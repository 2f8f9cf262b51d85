/** What the directory of resources costs beside one lookup of effective groups in the same run. */
import type { Connection } from '../http.ts'
import { expectStatus, json, openConnection, request } from '../http.ts'
import { median } from '../load.ts'
import { measure } from '../measure.ts'
import { freshAddress, password } from '../names.ts'
import type { Server, World } from '../world.ts'
import { signIn } from './lookups.ts'
import type { Lookups, Question } from './pod.ts'

/** `kilobytes`: of the answer. */
export type DirectoryLine = {
  what: string
  milliseconds: number
  ratio: number
  ldap: number
  redis: number | undefined
  kilobytes: number | undefined
}
type Cost = Omit<DirectoryLine, 'what' | 'ratio'>

const baseline = 'effective groups'
/** Of one caller again and again, so each round asks so often. */
const times = 10

/** `uids`: people of the seed. The resources were seeded before. */
export async function measureDirectory(
  world: World,
  service: Server,
  { uids, rounds, say }: { uids: string[]; rounds: number; say(line: string): void },
): Promise<DirectoryLine[]> {
  const connection = await openConnection(service.port)
  const admin = await signIn(connection, 'admin', await world.adminPassword())
  const tokens: string[] = []
  for (const uid of uids) tokens.push(await signIn(connection, uid, password))

  async function effective(): Promise<Cost> {
    const told = await service.ask<Lookups>({ lookup: 'effective', uids } satisfies Question)
    const { milliseconds, trips } = told
    return { milliseconds: median(milliseconds), ldap: median(trips), redis: undefined, kilobytes: undefined }
  }

  /** Nothing is known of anybody before each request. */
  async function overHttp(path: (n: number) => string, as: (n: number) => string): Promise<Cost> {
    const costs: Cost[] = []
    for (let n = 0; n < times; n++) {
      await service.ask('forget' satisfies Question)
      const asked = request('GET', path(n), { 'auth-token': as(n), 'x-forwarded-for': freshAddress() })
      let kilobytes = 0
      const work = async (link: Connection) => {
        kilobytes = expectStatus(await link.send(asked), 200, path(n)).body.length / 1000
      }
      const measured = await measure(world, service, work, { concurrency: 1, count: 1, counted: true })
      const { ldap = 0, redis = 0 } = measured.roundTrips ?? {}
      costs.push({ milliseconds: median(measured.latencies), ldap, redis, kilobytes })
    }
    const of = (pick: (cost: Cost) => number | undefined) => median(costs.map((cost) => pick(cost) ?? 0))
    return {
      milliseconds: of((cost) => cost.milliseconds),
      ldap: of((cost) => cost.ldap),
      redis: of((cost) => cost.redis),
      kilobytes: of((cost) => cost.kilobytes),
    }
  }

  const token = (n: number) => tokens[n % tokens.length] as string
  const works: Record<string, () => Promise<Cost>> = {
    [baseline]: effective,
    'GET /api/user/:uid': () => overHttp(() => `/api/user/${uids[0]}`, token),
    'GET /api/discovery/me': () => overHttp(() => '/api/discovery/me', token),
    'GET /api/directory-admin/user-access/:uid': () =>
      overHttp(
        (n) => `/api/directory-admin/user-access/${uids[n % uids.length]}`,
        () => admin,
      ),
    'GET /api/directory-admin/access-summary': () =>
      overHttp(
        () => '/api/directory-admin/access-summary',
        () => admin,
      ),
    '  a page of 100': () =>
      overHttp(
        () => '/api/directory-admin/access-summary?limit=100',
        () => admin,
      ),
  }
  // The first administrator is in all four groups of the service, this one among them.
  const made = json('PUT', '/api/group/app_sso_directory_admin/admin', {}, { 'auth-token': admin })
  if (![200, 409].includes((await connection.send(made)).status)) throw new Error('no directory admin')
  connection.close()

  const costs: Record<string, Cost>[] = []
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? 'Warming up: resources' : `Round ${round} of ${rounds}: resources`)
    const of: Record<string, Cost> = {}
    for (const [what, work] of Object.entries(works)) of[what] = await work()
    if (round > 0) costs.push(of)
  }
  return Object.keys(works).map((what) => {
    const all = costs.map((round) => ({ cost: round[what] as Cost, beside: round[baseline] as Cost }))
    return {
      ...(all.at(-1)?.cost as Cost),
      what,
      milliseconds: median(all.map(({ cost }) => cost.milliseconds)),
      ratio: median(all.map(({ cost, beside }) => cost.milliseconds / beside.milliseconds)),
    }
  })
}
