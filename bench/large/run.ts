/** The parts of the bench on a large directory: each opens a world of its own. */
import { table } from '../report.ts'
import { openWorld } from '../world.ts'
import type { Line } from './lookups.ts'
import { measureLookups } from './lookups.ts'
import type { Seeded } from './seed.ts'
import { deep, seedLarge, someOf } from './seed.ts'

type Options = { rounds: number; nodeOptions: string[]; say(line: string): void; print(text: string): void }

/** As many people of the seed are asked for in each round. */
const asked = 40

export async function large({ rounds, nodeOptions, say, print }: Options) {
  say('Seeding a large directory')
  let seeded: Seeded | undefined
  await using world = await openWorld(say, {
    nodeOptions,
    seed: async (where) => {
      seeded = await seedLarge(deep, where)
    },
  })
  print(`\nLarge directory: ${sizeOf(seeded)}`)
  const service = await world.startPod()
  try {
    const lines = await measureLookups(world, service, { uids: someOf(deep, asked), rounds, say })
    print(lookupTable(lines))
    return { seeded, lines }
  } finally {
    await service.stop()
  }
}

export function sizeOf(seeded: Seeded | undefined): string {
  const { people, groups, edges, seconds } = seeded as Seeded
  return `${people} people, ${groups} groups, ${edges} edges, seeded in ${seconds.toFixed(1)} s`
}

function lookupTable(lines: Line[]): string {
  const head = ['what', 'ms', '× plain search', 'LDAP', 'rounds', 'Redis', 'groups']
  const row = ({ what, milliseconds, ratio, ldap, rounds, redis, found }: Line) => [
    ...[what, milliseconds.toFixed(2), ratio.toFixed(1), ldap.toFixed(1)],
    ...[rounds, redis?.toFixed(1), what.includes('groups') ? found : undefined].map((value) =>
      String(value ?? ''),
    ),
  ]
  return table([head, ...lines.map(row)])
}
