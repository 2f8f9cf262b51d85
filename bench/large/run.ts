/** The parts of the bench on a large directory: each opens a world of its own. */
import { table } from '../report.ts'
import type { Seed } from '../world.ts'
import { openWorld } from '../world.ts'
import type { DirectoryLine } from './directory.ts'
import { measureDirectory } from './directory.ts'
import type { ListLine, PageLine } from './lists.ts'
import { measureLists, measurePages } from './lists.ts'
import type { Line } from './lookups.ts'
import { measureLookups } from './lookups.ts'
import type { Question } from './pod.ts'
import type { ScrollLine, SearchLine } from './portal.ts'
import { measurePortal, typingMilliseconds } from './portal.ts'
import { edges, links, resources } from './resources.ts'
import type { Seeded, Size } from './seed.ts'
import { broad, deep, narrow, seedLarge, someOf, wide } from './seed.ts'

type Options = { rounds: number; nodeOptions: string[]; say(line: string): void; print(text: string): void }

/** As many people of the seed are asked for in each round. */
const asked = 40

export async function large({ rounds, nodeOptions, say, print }: Options) {
  await using world = await worldOf(deep, { say, nodeOptions })
  const { seeded } = world
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

/** The directory of resources, in the same large directory of people and groups. */
export async function directory({ rounds, nodeOptions, say, print }: Options) {
  await using world = await worldOf(deep, { say, nodeOptions })
  const { seeded } = world
  print(`\nDirectory of ${resources} resources, ${edges} edges, ${links} group links; ${sizeOf(seeded)}`)
  const service = await world.startPod()
  try {
    say('Seeding resources')
    await service.ask('seedResources' satisfies Question)
    const lines = await measureDirectory(world, service, { uids: someOf(deep, asked), rounds, say })
    print(directoryTable(lines))
    return { seeded, lines }
  } finally {
    await service.stop()
  }
}

export async function huge({ rounds, nodeOptions, say, print }: Options) {
  await using small = await worldOf(narrow, { say, nodeOptions })
  await using large = await worldOf(wide, { say, nodeOptions })
  print(`\nHuge directory: ${sizeOf(large.seeded)}`)
  const [smallService, service] = [await small.startService(), await large.startService()]
  try {
    const lists = await measureLists(large, service, { rounds, say })
    print(listTable(lists))
    const places = [
      { world: small, service: smallService },
      { world: large, service },
    ] as const
    const pages = await measurePages(...places, { rounds, say })
    print(`\nPages of 100 by uidNumber\n${pageTable(pages)}`)
    return { seeded: large.seeded, lists, pages }
  } finally {
    await Promise.all([smallService.stop(), service.stop()])
  }
}

/** The portal in a browser, on the service as production starts it. */
export async function portal({ rounds, nodeOptions, say, print }: Options) {
  await using world = await worldOf(broad, { say, nodeOptions })
  const { seeded } = world
  print(`\nPortal: ${sizeOf(seeded)}`)
  const service = await world.startService()
  try {
    const { searching, scrolling } = await measurePortal(world, service, { size: broad, rounds, say })
    print(searchTable(searching))
    print(scrollTable(scrolling))
    return { seeded, searching, scrolling }
  } finally {
    await service.stop()
  }
}

async function worldOf(size: Size, { say, nodeOptions }: Pick<Options, 'say' | 'nodeOptions'>) {
  say(`Seeding a directory of ${size.people} people`)
  let seeded: Seeded | undefined
  const seed: Seed = async (where) => {
    seeded = await seedLarge(size, where)
  }
  const world = await openWorld(say, { nodeOptions, seed })
  return Object.assign(world, { seeded: seeded as unknown as Seeded })
}

function listTable(lines: ListLine[]): string {
  const head = ['list', 'MB', 's', 'ldapsearch s', 'times', 'extra PSS MiB', 'extra RSS']
  const row = ({ what, megabytes, seconds, ldapsearch, ratio, extra }: ListLine) => [
    what,
    ...[megabytes, seconds, ldapsearch, ratio, extra.pss, extra.rss].map((value) => value.toFixed(2)),
  ]
  return table([head, ...lines.map(row)])
}

function pageTable(lines: PageLine[]): string {
  const row = ({ what, small, large, ratio }: PageLine) => [
    what,
    small.toFixed(2),
    large.toFixed(2),
    ratio.toFixed(2),
  ]
  return table([['page', `at ${narrow.people} people, ms`, `at ${wide.people}`, 'times'], ...lines.map(row)])
}

function searchTable(lines: SearchLine[]): string {
  const head = [
    'digits',
    'API page ms',
    'shown after ms',
    `beyond the page and the ${typingMilliseconds} of typing`,
  ]
  const row = ({ digits, api, shown }: SearchLine) => [
    String(digits),
    ...[api, shown, shown - api - typingMilliseconds].map((value) => value.toFixed(0)),
  ]
  return table([head, ...lines.map(row)])
}

function scrollTable(lines: ScrollLine[]): string {
  const head = ['people loaded', 'frames', '% over 50 ms', 'longest ms', 'rows in the page', 'heap MiB']
  const row = ({ loaded, frames, slow, longest, rows, heap }: ScrollLine) => [
    ...[loaded, frames].map(String),
    ...[100 * slow, longest].map((value) => value.toFixed(1)),
    ...[String(rows), heap.toFixed(1)],
  ]
  return table([head, ...lines.map(row)])
}

function directoryTable(lines: DirectoryLine[]): string {
  const head = ['what', 'ms', '× effective groups', 'LDAP', 'Redis', 'KB']
  const row = ({ what, milliseconds, ratio, ldap, redis, kilobytes }: DirectoryLine) => [
    ...[what, milliseconds.toFixed(2), ratio.toFixed(1), ldap.toFixed(1)],
    ...[redis?.toFixed(1) ?? '', kilobytes?.toFixed(1) ?? ''],
  ]
  return table([head, ...lines.map(row)])
}

function sizeOf({ people, groups, edges, seconds }: Seeded): string {
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
