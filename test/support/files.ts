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
  const place = (file: string) => (longest.includes(file) ? longest.indexOf(file) : longest.length)
  const under = (file: string, name: string) =>
    file === name || file.startsWith(`${name.replace(/\/$/, '')}/`)
  return (readdirSync(join(project, 'test'), { recursive: true }) as string[])
    .map((name) => `test/${name}`)
    .filter((file) => file.endsWith(suffix) && (!asked.length || asked.some((name) => under(file, name))))
    .sort((a, b) => place(a) - place(b) || (a < b ? -1 : 1))
}

/**
 * What shares a process (test/together.ts): neighbours in a folder, up to eight. Those that test/longest.json names are alone,
 * as fault tests are, and come first; then lots of many files before lots of few.
 */
export function lotsOf(files: string[]): string[][] {
  const isAlone = (file: string) => longest.includes(file) || file.endsWith('.fault.ts')
  const folders = Object.groupBy(
    files.filter((file) => !isAlone(file)),
    (file) => dirname(file),
  )
  const lots = Object.values(folders).flatMap((all = []) => inEqualParts(all, Math.ceil(all.length / 8)))
  return [
    ...files.filter(isAlone).map((file) => [file]),
    ...lots.sort((one, other) => other.length - one.length),
  ]
}

function inEqualParts(files: string[], parts: number): string[][] {
  const size = Math.ceil(files.length / parts)
  return Array.from({ length: parts }, (_, at) => files.slice(at * size, (at + 1) * size))
}

/** Of test files those that start a Redis, but for what test/cluster-left-out.json names and says why. */
export function clusterFiles(files: string[]): string[] {
  const not = Object.values(leftOut).flat()
  return files.filter((file) => !not.includes(file) && startsRedis(file))
}

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
