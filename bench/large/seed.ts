/**
 * A large directory for slapadd: people in groups of the lowest of five levels, each group in one or two of the level
 * above. With the measures of `deep` a person is effectively in about 100 groups, and there are about 126,000 edges.
 */
import { execFile } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { argon2id } from '#adapters/ldap/hash.ts'
import type { Binaries } from '#quickstart/binaries.ts'
import { password, uidOf } from '../names.ts'
import { firstNumber, groupDn, groupLines, personDn, personEntry } from '../seed.ts'

export const depth = 5
/** `direct`: groups of the lowest level that each person is in; where it is no whole number, on average. */
export type Size = { people: number; groups: number; direct: number }
export const deep: Size = { people: 10_000, groups: 10_000, direct: 11.5 }
export const wide: Size = { people: 100_000, groups: 1_000, direct: 1 }
/** As many people as `wide`, and the groups of `deep`: what the portal's tables are to stay quick with. */
export const broad: Size = { people: 100_000, groups: 10_000, direct: 1 }
export const narrow: Size = { people: 1_000, groups: 1_000, direct: 1 }

/** A load that takes longer has failed. */
const mostMilliseconds = 120_000

export type Seeded = Size & { edges: number; seconds: number }

/** Loads it into a stopped slapd. */
export async function seedLarge(
  size: Size,
  { dir, base, slapd }: { dir: string; base: string; slapd: Binaries['slapd'] },
): Promise<Seeded> {
  const started = performance.now()
  const hash = await argon2id(password, { memory: 19_456, passes: 2 })
  const file = join(dir, 'large.ldif')
  const members = membersOf(size, base)
  function* entries(): Generator<string> {
    for (let person = 0; person < size.people; person++)
      yield `${personEntry(person, base, hash).join('\n')}\n\n`
    for (let group = 0; group < size.groups; group++) {
      const number = firstNumber + size.people + group
      yield `${groupLines(group, { number, base, members: members[group] ?? [] }).join('\n')}\n\n`
    }
  }
  await pipeline(Readable.from(entries(), { highWaterMark: 256 }), createWriteStream(file, { mode: 0o600 }))
  await promisify(execFile)(slapd.path, ['-T', 'add', '-F', 'conf', '-n', '1', '-q', '-l', file], {
    cwd: dir,
    env: { ...process.env, ...slapd.env },
    timeout: mostMilliseconds,
  })
  await rm(file)
  const edges = members.reduce((sum, { length }) => sum + length, 0)
  return { ...size, edges, seconds: (performance.now() - started) / 1000 }
}

/** The DNs on each group. Places are spread by multiplying with primes, the same in every run. */
function membersOf({ people, groups, direct }: Size, base: string): string[][] {
  const members: string[][] = Array.from({ length: groups }, () => [])
  const level = groups / depth
  for (let person = 0; person < people; person++) {
    const of = Math.floor(direct * (person + 1)) - Math.floor(direct * person)
    const places = new Set(Array.from({ length: of }, (_, n) => (person * 7919 + n * 104_729) % level))
    for (const place of places) members[place]?.push(personDn(person, base))
  }
  for (let group = 0; group < groups - level; group++) {
    const above = (Math.floor(group / level) + 1) * level
    const place = group % level
    const parents = new Set([(place * 7 + 3) % level])
    if (place % 3 === 0) parents.add((place * 13 + 5) % level)
    for (const parent of parents) members[above + parent]?.push(groupDn(group, base))
  }
  // A group of the directory holds somebody.
  for (const [group, listed] of members.entries())
    if (listed.length === 0) listed.push(personDn(group % people, base))
  return members
}

/** People spread over the whole. */
export function someOf({ people }: Size, count: number): string[] {
  return Array.from({ length: count }, (_, n) => uidOf(Math.floor(((n + 0.5) * people) / count)))
}
