/**
 * What those who ask for little notice while many sign in, or try wrong passwords from many addresses: requests at a fixed
 * rate, sent when their time has come whether or not those before were answered, while as many logins as given wait for
 * the check of their password.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import type { Connection } from './http.ts'
import { expectStatus, json, openConnection, request } from './http.ts'
import type { Work } from './load.ts'
import { load, median, percentile } from './load.ts'
import { freshAddress, password, people, uidOf } from './names.ts'
import { table } from './report.ts'
import type { Person } from './service.ts'
import type { World } from './world.ts'

export const waiting = 64
/** Requests a second to each of the two. */
const rate = 50
/** A p99 under this, milliseconds, or under so many times the quiet one, is what the service is to keep. */
const goal = { milliseconds: 25, times: 5 }

const paths = ['/healthz', '/oauth/userinfo'] as const
type Path = (typeof paths)[number]
/** Milliseconds of each request, and how late the generator itself was with each. */
type Paced = Record<Path, number[]> & { late: number[] }
export type CrowdLine = { path: Path; quiet: number; crowded: number; quietP50: number; crowdedP50: number }
/** `late`: p99 of the generator's own delays, milliseconds. */
export type Crowd = {
  kind: Kind
  lines: CrowdLine[]
  logins: { answered: number; late: number; turnedAway: number }
  late: number
}
/** People who sign in, or a flood of wrong passwords. */
export type Kind = 'logins' | 'wrong logins'

export async function measureCrowd(
  world: World,
  persons: Person[],
  { kind, rounds, seconds, say }: { kind: Kind; rounds: number; seconds: number; say(line: string): void },
): Promise<Crowd> {
  const service = await world.startService()
  const quiet: Paced[] = []
  const crowded: Paced[] = []
  const logins = { answered: 0, late: 0, turnedAway: 0 }
  const given = kind === 'logins' ? password : `not ${password}`
  const expected = kind === 'logins' ? 200 : 401
  const signIn: Work = async (connection, n) => {
    const body = { uid: uidOf((n * 7) % people), password: given }
    const headers = { 'x-forwarded-for': freshAddress() }
    const { status } = await connection.send(json('POST', '/api/auth/login', body, headers))
    // Who waits for longer than app_ldap__timeout is told so, and so is who finds the queue full or the account closed.
    if (status === expected) logins.answered++
    else if (status === 502) logins.late++
    else if (status === 429) logins.turnedAway++
    else throw new Error(`One of the ${kind}: ${status}`)
  }
  for (let round = 0; round <= rounds; round++) {
    say(round === 0 ? `Warming up: a crowd of ${kind}` : `Round ${round} of ${rounds}: a crowd of ${kind}`)
    const alone = await paced(service.port, persons, seconds)
    const crowd = load(service.port, signIn, {
      concurrency: waiting,
      seconds: seconds + 1,
    })
    await pause(500) // all wait
    const among = await paced(service.port, persons, seconds)
    await crowd
    if (round === 0) continue
    quiet.push(alone)
    crowded.push(among)
  }
  await service.stop()
  const of = (rounds: Paced[], path: Path, share: number) =>
    median(rounds.map((round) => percentile(round[path], share)))
  return {
    kind,
    lines: paths.map((path) => ({
      path,
      ...{ quiet: of(quiet, path, 0.99), crowded: of(crowded, path, 0.99) },
      ...{ quietP50: of(quiet, path, 0.5), crowdedP50: of(crowded, path, 0.5) },
    })),
    logins,
    late: percentile(
      crowded.flatMap(({ late }) => late),
      0.99,
    ),
  }
}

async function paced(port: number, persons: Person[], seconds: number): Promise<Paced> {
  const idle: Connection[] = await Promise.all(Array.from({ length: 8 }, () => openConnection(port)))
  const measured: Paced = { '/healthz': [], '/oauth/userinfo': [], late: [] }
  const healthz = request('GET', '/healthz')
  const count = seconds * rate * paths.length
  const interval = 1000 / (rate * paths.length)
  const start = performance.now() + 20
  const underWay: Promise<void>[] = []

  async function send(n: number): Promise<void> {
    const path = paths[n % paths.length] as Path
    const person = persons[n % persons.length] as Person
    const connection = idle.pop() ?? (await openConnection(port))
    const sent = performance.now()
    measured.late.push(sent - (start + n * interval))
    expectStatus(await connection.send(path === '/healthz' ? healthz : person.userinfo), 200, path)
    measured[path].push(performance.now() - sent)
    idle.push(connection)
  }
  for (let n = 0; n < count; n++) {
    const due = start + n * interval - performance.now()
    if (due > 0) await pause(due)
    underWay.push(send(n))
  }
  await Promise.all(underWay)
  for (const connection of idle) connection.close()
  return measured
}

export function crowdTable({ kind, lines }: Crowd): string {
  const head = ['requests to', 'quiet p50 ms', 'p99', `with ${waiting} ${kind} waiting p50`, 'p99', 'times']
  return table([
    head,
    ...lines.map(({ path, quiet, crowded, quietP50, crowdedP50 }) => [
      ...[path, ...[quietP50, quiet, crowdedP50, crowded].map((value) => value.toFixed(2))],
      (crowded / quiet).toFixed(1),
    ]),
  ])
}

export function crowdGoals({ kind, lines }: Crowd): string {
  return lines
    .map(({ path, quiet, crowded }) => {
      const reached = crowded <= Math.max(goal.milliseconds, goal.times * quiet)
      const wanted = `goal ${goal.times} × the quiet p99 or ${goal.milliseconds} ms`
      return `${path} in a crowd of ${kind}: p99 ${crowded.toFixed(1)} ms, ${wanted}: ${reached ? 'reached' : 'MISSED'}`
    })
    .join('\n')
}
