import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import leftOut from '../cluster-left-out.json' with { type: 'json' }
import longest from '../longest.json' with { type: 'json' }

const project = join(import.meta.dirname, '../..')
const starters = ['test/support/redis.ts', 'test/support/redis-nodes.ts', 'quickstart/redis.ts']

/**
 * Test files with that ending, all or those asked for by file or folder. The longest come first, as far as test/longest.json
 * names them, lest one of them runs alone in the end.
 */
export function testFiles(suffix: string, asked: string[] = []): string[] {
  const under = (file: string, name: string) =>
    file === name || file.startsWith(`${name.replace(/\/$/, '')}/`)
  return (readdirSync(join(project, 'test'), { recursive: true }) as string[])
    .map((name) => `test/${name}`)
    .filter((file) => file.endsWith(suffix) && (!asked.length || asked.some((name) => under(file, name))))
    .sort((a, b) => placeOf(a) - placeOf(b) || (a < b ? -1 : 1))
}

/** So many files share a process, which takes three seconds of CPU before the first of them runs. */
const mostTogether = 12

/**
 * What shares a process (test/together.ts): neighbours in a folder, and small folders; fault tests are alone. Lots with the
 * longest files come first, then those of many files.
 */
export function lotsOf(files: string[]): string[][] {
  const faults = files.filter((file) => file.endsWith('.fault.ts'))
  const folders = Object.groupBy(
    files.filter((file) => !faults.includes(file)),
    (file) => dirname(file),
  )
  const lots = Object.values(folders).flatMap((all = []) =>
    inEqualParts(all, Math.ceil(all.length / mostTogether)),
  )
  const place = (lot: string[]) => Math.min(...lot.map(placeOf))
  return [
    ...faults.map((file) => [file]),
    ...filled(lots).sort((one, other) => place(one) - place(other) || other.length - one.length),
  ]
}

const placeOf = (file: string) => (longest.includes(file) ? longest.indexOf(file) : longest.length)

/** The smallest with one another, as far as there is room. */
function filled(lots: string[][]): string[][] {
  const full: string[][] = []
  for (const lot of lots.toSorted((one, other) => one.length - other.length)) {
    const last = full.at(-1)
    if (last && last.length + lot.length <= mostTogether) last.push(...lot)
    else full.push([...lot])
  }
  return full
}

/** Dealt out, so that the longest, which come first, are not all in one. */
function inEqualParts(files: string[], parts: number): string[][] {
  return Array.from({ length: parts }, (_, at) => files.filter((_, n) => n % parts === at))
}

/** Of test files those that start a Redis, but for what test/cluster-left-out.json names, by file or folder, and says why. */
export function clusterFiles(files: string[]): string[] {
  return files.filter((file) => !isLeftOut(file) && startsRedis(file))
}

const isLeftOut = (file: string) =>
  Object.values(leftOut).some((names) =>
    names.some((name) => (name.endsWith('/') ? file.startsWith(name) : file === name)),
  )

/** Whether it imports what starts one, by whatever way, or opens a client of its own to one. */
export function startsRedis(file: string): boolean {
  const reached = [file]
  for (const each of reached) reached.push(...importsOf(each).filter((name) => !reached.includes(name)))
  return reached.some((name) => starters.includes(name)) || textOf(file).includes("from 'ioredis'")
}

const textOf = (file: string) => readFileSync(join(project, file), 'utf8')
const imports = /^(?:import|export) (?!type )[^']*?from '([#.][^']+\.ts)'|^import '([#.][^']+\.ts)'/gm

function importsOf(file: string): string[] {
  const found =
    known.get(file) ?? [...textOf(file).matchAll(imports)].map(([, from, bare]) => named(file, from ?? bare))
  known.set(file, found)
  return found
}
const known = new Map<string, string[]>()

function named(file: string, name = ''): string {
  return name.startsWith('#') ? name.slice(1) : normalize(join(dirname(file), name))
}
