/**
 * What a request costs where several pods share one Redis and one directory, with as many requests under way at each of
 * them as at the one. The pods take turns, so that each has a core to itself for as long: what grows is then the service's
 * own, such as caches that each pod must fill and what pods tell each other. The one is another pod each round: a pod that
 * had run for longer would be optimized further. All at once on fewer cores than pods they also empty each other's
 * processor caches; that is measured beside it.
 */
import type { Load, Work } from './load.ts'
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
export type PodsLine = {
  scenario: Scenario
  one: Cost
  many: Cost
  atOnce: Cost
  /** Medians of the rounds' ratios to the one pod's CPU. */
  ratio: { many: number; atOnce: number }
}

export async function measurePods(
  world: World,
  persons: Person[],
  { rounds, seconds, say }: { rounds: number; seconds: number; say(line: string): void },
): Promise<PodsLine[]> {
  const pods = await world.startPods(manyPods)
  const work = serviceWork(persons)
  const lines: PodsLine[] = []
  for (const scenario of Object.keys(scenarios) as Scenario[]) {
    const runs: Record<'one' | 'many' | 'atOnce', Cost>[] = []
    for (let round = 0; round <= rounds; round++) {
      say(`${scenarios[scenario]}, one pod and ${manyPods}: ${round ? `round ${round}` : 'warming up'}`)
      const run = (some: Server[], atOnce = false) =>
        cost(world, some, work[scenario], { seconds: (round === 0 ? 4 : 1) * seconds, atOnce })
      const many = await run(pods)
      const one = await run([pods[round % manyPods] as Server])
      const atOnce = await run(pods, true)
      if (round > 0) runs.push({ one, many, atOnce })
    }
    const ratio = (name: 'many' | 'atOnce') => median(runs.map((each) => each[name].pods / each.one.pods))
    lines.push({
      scenario,
      one: medians(runs.map(({ one }) => one)),
      many: medians(runs.map(({ many }) => many)),
      atOnce: medians(runs.map(({ atOnce }) => atOnce)),
      ratio: { many: ratio('many'), atOnce: ratio('atOnce') },
    })
  }
  for (const pod of pods) await pod.stop()
  return lines
}

async function cost(
  world: World,
  pods: Server[],
  work: Work,
  { seconds, atOnce }: { seconds: number; atOnce: boolean },
): Promise<Cost> {
  const processes = [...pods, world.redis, world.slapd].map(({ pid }) => pid)
  const before = processes.map(cpuOf)
  let n = 0
  const shared: Work = (connection) => work(connection, n++)
  const each = ({ port }: Server) => load(port, shared, { concurrency: perPod, seconds })
  const done: Load[] = []
  if (atOnce) done.push(...(await Promise.all(pods.map(each))))
  else for (const pod of pods) done.push(await each(pod))
  const spent = processes.map((pid, at) => cpuOf(pid) - (before[at] as number))
  const units = done.reduce((sum, { latencies }) => sum + latencies.length, 0)
  const [slapd = 0, redis = 0] = [spent.pop(), spent.pop()]
  const own = spent.reduce((sum, each) => sum + each, 0)
  return {
    ...{ pods: own / units, redis: redis / units, slapd: slapd / units },
    perSecond: done.reduce((sum, { seconds, latencies }) => sum + latencies.length / seconds, 0),
  }
}

function medians(costs: Cost[]): Cost {
  const of = (name: keyof Cost) => median(costs.map((each) => each[name]))
  return { pods: of('pods'), redis: of('redis'), slapd: of('slapd'), perSecond: of('perSecond') }
}

/** The last column: how many a second would fill one core of whichever of Redis and slapd is busier. */
export function podsTable(lines: PodsLine[]): string {
  const head = ['scenario', 'pods', 'req/s', 'CPU µs/req', 'Redis µs', 'slapd µs', 'shared limit/s']
  const rows = lines.flatMap(({ scenario, one, many, atOnce }) =>
    Object.entries({ '1': one, [`${manyPods} in turns`]: many, [`${manyPods} at once`]: atOnce }).map(
      ([pods, each]) => [
        scenarios[scenario],
        pods,
        ...[each.perSecond, each.pods, each.redis, each.slapd].map((value) => value.toFixed(0)),
        (1e6 / Math.max(each.redis, each.slapd)).toFixed(0),
      ],
    ),
  )
  return table([head, ...rows])
}

export function podsGoals(lines: PodsLine[]): string {
  return lines
    .map(({ scenario, ratio }) => {
      const verdict = ratio.many <= goal ? 'reached' : 'MISSED'
      const { many, atOnce } = ratio
      return `${scenarios[scenario]} at ${manyPods} pods: ${many.toFixed(2)} × the CPU at one, goal ${goal}: ${verdict} (all at once on these cores ${atOnce.toFixed(2)})`
    })
    .join('\n')
}
