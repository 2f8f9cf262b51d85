/**
 * What a request costs where several pods share one Redis and one directory, with as many requests under way at each of
 * them as at the one. The pods take turns of a fraction of a second, so that each has a core to itself for as long: what
 * grows is then the service's own, such as caches that each pod must fill and what pods tell each other. All at once on
 * fewer cores than pods they also empty each other's processor caches; that is measured beside it.
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
/** Milliseconds of one pod's turn. */
const turn = 250
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
  const [first] = pods
  const work = serviceWork(persons)
  const lines: PodsLine[] = []
  for (const scenario of Object.keys(scenarios) as Scenario[]) {
    const runs: Record<'one' | 'many' | 'atOnce', Cost>[] = []
    for (let round = 0; round <= rounds; round++) {
      say(`${scenarios[scenario]}, one pod and ${manyPods}: ${round ? `round ${round}` : 'warming up'}`)
      const run = (some: Server[], span: number, turns = true) =>
        cost(world, some, work[scenario], { seconds: span, turns })
      // Each of the many must be as warm as the one.
      const many = await run(pods, (round === 0 ? 2 : 1) * manyPods * seconds)
      const one = await run([first as Server], seconds)
      const atOnce = await run(pods, 2 * seconds, false)
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
  { seconds, turns }: { seconds: number; turns: boolean },
): Promise<Cost> {
  const processes = [...pods, world.redis, world.slapd].map(({ pid }) => pid)
  const before = processes.map(cpuOf)
  let n = 0
  using turning = takeTurns(turns ? pods.length : 1)
  const done = await Promise.all(
    pods.map(({ port }, pod) => {
      const whenMine: Work = async (connection) => {
        if (turns) await turning.of(pod)
        await work(connection, n++)
      }
      return load(port, whenMine, { concurrency: perPod, seconds })
    }),
  )
  const spent = processes.map((pid, at) => cpuOf(pid) - (before[at] as number))
  const units = done.reduce((sum, { latencies }) => sum + latencies.length, 0)
  const [slapd = 0, redis = 0] = [spent.pop(), spent.pop()]
  const own = spent.reduce((sum, each) => sum + each, 0)
  return {
    ...{ pods: own / units, redis: redis / units, slapd: slapd / units },
    perSecond: units / Math.max(...done.map(({ seconds }) => seconds)),
  }
}

function takeTurns(count: number) {
  let current = 0
  const waiting: (() => void)[][] = Array.from({ length: count }, () => [])
  const timer = setInterval(() => {
    current = (current + 1) % count
    for (const go of waiting[current]?.splice(0) ?? []) go()
  }, turn)
  return {
    async of(pod: number): Promise<void> {
      if (pod !== current) await new Promise<void>((go) => waiting[pod]?.push(go))
    },
    [Symbol.dispose]: () => clearInterval(timer),
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
