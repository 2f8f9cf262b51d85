/**
 * What a request costs where several pods share one Redis and one directory: as many requests under way at each of them
 * as at the one, so that each is as busy as a pod with a core of its own would be.
 */
import type { Work } from './load.ts'
import { load, median } from './load.ts'
import { cpuOf } from './process.ts'
import { table } from './report.ts'
import type { Person } from './service.ts'
import { serviceWork } from './service.ts'
import type { Server, World } from './world.ts'

export const manyPods = 4
export const perPod = 16
/** The CPU of a request may be so many times that at one pod. */
const goal = 1.1

const scenarios = { userinfo: 'userinfo', refresh: 'refresh', flow: 'code flow' } as const
type Scenario = keyof typeof scenarios
/** Microseconds of CPU per request or flow, and how many of them a second. */
type Cost = { pods: number; redis: number; slapd: number; perSecond: number }
export type PodsLine = { scenario: Scenario; one: Cost; many: Cost; ratio: number }

export async function measurePods(
  world: World,
  persons: Person[],
  { rounds, seconds, say }: { rounds: number; seconds: number; say(line: string): void },
): Promise<PodsLine[]> {
  const pods = await world.startPods(manyPods)
  const [first] = pods
  const work = serviceWork(persons)
  const lines: PodsLine[] = []
  for (const scenario of Object.keys(scenarios) as Scenario[]) {
    const pairs: { one: Cost; many: Cost }[] = []
    for (let round = 0; round <= rounds; round++) {
      say(`${scenarios[scenario]}, one pod and ${manyPods}: ${round ? `round ${round}` : 'warming up'}`)
      const run = (some: Server[], span = seconds) => cost(world, some, work[scenario], span)
      // Each of the many must be as warm as the one.
      const many = await run(pods, round === 0 ? 4 * seconds : 2 * seconds)
      const one = await run([first as Server])
      if (round > 0) pairs.push({ one, many })
    }
    lines.push({
      scenario,
      one: medians(pairs.map(({ one }) => one)),
      many: medians(pairs.map(({ many }) => many)),
      ratio: median(pairs.map(({ one, many }) => many.pods / one.pods)),
    })
  }
  for (const pod of pods) await pod.stop()
  return lines
}

async function cost(world: World, pods: Server[], work: Work, seconds: number): Promise<Cost> {
  const processes = [...pods, world.redis, world.slapd].map(({ pid }) => pid)
  const before = processes.map(cpuOf)
  let n = 0
  const shared: Work = (connection) => work(connection, n++)
  const done = await Promise.all(pods.map(({ port }) => load(port, shared, { concurrency: perPod, seconds })))
  const spent = processes.map((pid, at) => cpuOf(pid) - (before[at] as number))
  const units = done.reduce((sum, { latencies }) => sum + latencies.length, 0)
  const [slapd = 0, redis = 0] = [spent.pop(), spent.pop()]
  const own = spent.reduce((sum, each) => sum + each, 0)
  return {
    ...{ pods: own / units, redis: redis / units, slapd: slapd / units },
    perSecond: units / Math.max(...done.map(({ seconds }) => seconds)),
  }
}

function medians(costs: Cost[]): Cost {
  const of = (name: keyof Cost) => median(costs.map((each) => each[name]))
  return { pods: of('pods'), redis: of('redis'), slapd: of('slapd'), perSecond: of('perSecond') }
}

/** The last column: how many a second would fill one core of whichever of Redis and slapd is busier. */
export function podsTable(lines: PodsLine[]): string {
  const head = ['scenario', 'pods', 'req/s', 'CPU µs/req', 'Redis µs', 'slapd µs', 'shared limit/s']
  const rows = lines.flatMap(({ scenario, one, many }) =>
    [one, many].map((each, at) => [
      scenarios[scenario],
      String(at === 0 ? 1 : manyPods),
      ...[each.perSecond, each.pods, each.redis, each.slapd].map((value) => value.toFixed(0)),
      (1e6 / Math.max(each.redis, each.slapd)).toFixed(0),
    ]),
  )
  return table([head, ...rows])
}

export function podsGoals(lines: PodsLine[]): string {
  return lines
    .map(({ scenario, ratio }) => {
      const verdict = ratio <= goal ? 'reached' : 'MISSED'
      return `${scenarios[scenario]} at ${manyPods} pods: ${ratio.toFixed(2)} × the CPU at one, goal ${goal}: ${verdict}`
    })
    .join('\n')
}
