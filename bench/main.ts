/**
 * `npm run bench`: what a request costs, next to a bare oidc-provider in the same run, and what memory it takes.
 * docs/performance.md says how to read it.
 */
import { readFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import type { Crowd } from './crowd.ts'
import { crowdGoals, crowdTable, measureCrowd, waiting } from './crowd.ts'
import { directory, huge, large, portal } from './large/run.ts'
import { measureMemory, measureQuickstart } from './memory.ts'
import { clients, groups, people } from './names.ts'
import { manyPods, measurePods, perPod, podsGoals, podsTable } from './pods.ts'
import {
  coldTable,
  compare,
  goals,
  memoryTable,
  quickstartTable,
  singleTable,
  total,
  warmTable,
} from './report.ts'
import type { Person } from './service.ts'
import { measureSoak, soakGoals, soakTable } from './soak.ts'
import type { Scenario } from './warm.ts'
import { measureCold, measureWarm, populate, scenarios } from './warm.ts'
import type { World } from './world.ts'
import { openWorld, scriptOf } from './world.ts'

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    only: { type: 'string', default: Object.keys(scenarios).join(',') },
    parts: { type: 'string', default: 'memory,cold,warm,crowd,large,quickstart' },
    rounds: { type: 'string' },
    seconds: { type: 'string' },
    minutes: { type: 'string', default: '60' },
    node: { type: 'string', multiple: true, default: [] },
    help: { type: 'boolean', default: false },
  },
})
const only = values.only.split(',').filter((name): name is Scenario => name in scenarios)

if (values.help) console.log(await readFile(new URL('usage.txt', import.meta.url), 'utf8'))
else await run(values.parts.split(','))

async function run(parts: string[]): Promise<void> {
  const machine = { node: process.version, cpu: cpus()[0]?.model, cores: cpus().length }
  const figures: Record<string, unknown> = { ...machine, people, groups, clients }
  const { node, cpu, cores } = machine
  print(`Node ${node}, ${cores} × ${cpu}; ${people} people, ${groups} groups, ${clients} clients`)
  if (parts.some((part) => ['memory', 'cold', 'warm', 'crowd', 'pods', 'soak'].includes(part))) {
    say('Starting slapd and Redis, seeding the directory')
    await using world = await openWorld(say, { nodeOptions: values.node })
    try {
      const persons = await populate(world)
      if (parts.includes('memory')) figures.memory = await memory(world, persons)
      if (parts.includes('cold')) figures.cold = await cold(world, persons)
      if (parts.includes('warm')) figures.warm = await warm(world, persons)
      if (parts.includes('crowd')) figures.crowd = await crowd(world, persons)
      if (parts.includes('pods')) figures.pods = await pods(world, persons)
      if (parts.includes('soak')) figures.soak = await soak(world, persons)
    } catch (error) {
      say(await world.lastLogged())
      throw error
    }
  }
  const options = { rounds: roundsOf(), nodeOptions: values.node, say, print }
  if (parts.includes('large')) figures.large = await large(options)
  if (parts.includes('directory')) figures.directory = await directory(options)
  if (parts.includes('huge')) figures.huge = await huge(options)
  if (parts.includes('portal')) figures.portal = await portal(options)
  if (parts.includes('quickstart')) figures.quickstart = await quickstart()
  if (values.json) console.log(JSON.stringify(figures, undefined, 2))
}

async function memory(world: World, persons: Person[]) {
  say('Memory')
  const { idle, afterLogins } = await measureMemory(world, persons)
  print(`\nMemory of each process\n${memoryTable(idle, afterLogins)}`)
  return { idle, afterLogins }
}

async function cold(world: World, persons: Person[]) {
  const { results, readyAfter } = await measureCold(world, persons, { count: 20, only, say })
  const comparisons = only.map((name) => compare(name, results[name] ?? []))
  const after = `the service is ready after ${readyAfter.service.toFixed(0)} ms, the reference after ${readyAfter.reference.toFixed(0)} ms`
  print(`\nCold: the first 20 requests after a start, one by one (${after})\n${coldTable(comparisons)}`)
  return { readyAfter, comparisons }
}

async function warm(world: World, persons: Person[]) {
  const rounds = roundsOf()
  const seconds = secondsOf()
  const { results, single, memory } = await measureWarm(world, persons, { rounds, seconds, only, say })
  const comparisons = only.map((name) => compare(name, results[name] ?? []))
  const alone = only.map((name) => compare(name, single[name] ?? []))
  print(`\nWarm: ${rounds} rounds of ${seconds} s, in turns\n${warmTable(comparisons)}\n`)
  print(goals(only, comparisons))
  print(`\nWarm, one at a time\n${singleTable(alone)}`)
  print(`\nThe service after all this: ${memory.pss.toFixed(1)} MiB PSS, ${memory.rss.toFixed(1)} RSS`)
  return { comparisons, alone, memory }
}

function roundsOf(): number {
  return Number(values.rounds ?? (values.quick ? 1 : 5))
}

function secondsOf(): number {
  return Number(values.seconds ?? (values.quick ? 1 : 2))
}

async function crowd(world: World, persons: Person[]) {
  const crowds: Crowd[] = []
  for (const kind of ['logins', 'wrong logins'] as const) {
    const figures = await measureCrowd(world, persons, {
      kind,
      rounds: roundsOf(),
      seconds: secondsOf(),
      say,
    })
    const { answered, late, turnedAway } = figures.logins
    print(
      `\nA crowd of ${waiting} ${kind}: ${answered} answered, ${late} waited too long, ${turnedAway} turned away`,
    )
    print(`The generator was at most ${figures.late.toFixed(1)} ms late with 99 of 100 requests`)
    print(`${crowdTable(figures)}\n${crowdGoals(figures)}`)
    crowds.push(figures)
  }
  return crowds
}

async function pods(world: World, persons: Person[]) {
  const figures = await measurePods(world, persons, { rounds: roundsOf(), seconds: secondsOf(), say })
  print(`\nOne pod and ${manyPods}, ${perPod} requests under way at each\n${podsTable(figures)}`)
  print(podsGoals(figures))
  return figures
}

async function soak(world: World, persons: Person[]) {
  const minutes = Number(values.minutes)
  const figures = await measureSoak(world, persons, { minutes, say })
  print(`\nA soak of ${minutes} minutes\n${soakTable(figures)}\n${soakGoals(figures)}`)
  return figures
}

async function quickstart() {
  say('The quick start')
  // The script of package.json as npm runs it, then with npm itself, which waits beside it.
  const alone = await measureQuickstart('sh', '-c', await scriptOf('quickstart'))
  const withNpm = await measureQuickstart('npm', 'run', '--silent', 'quickstart')
  const after = `ready after ${alone.readyAfter.toFixed(0)} ms`
  print(`\nThe whole quick start, idle (${after})\n${quickstartTable(alone)}`)
  print(`With npm beside it: ${total(withNpm.processes).pss.toFixed(1)} MiB PSS`)
  return { alone, withNpm }
}

/** Progress, apart from the result. */
function say(line: string): void {
  process.stderr.write(process.stderr.isTTY ? `\r\x1b[K${line}` : `${line}\n`)
}

function print(text: string): void {
  if (process.stderr.isTTY) say('')
  if (!values.json) console.log(text)
}
