import { flags, known, numbers, words } from './kinds.ts'
import type { Resource } from './queries.ts'

type Metadata = Record<string, string | number | boolean>
/** What is typed: texts, also of numbers, and what is switched; all that has no field of its own as lines. */
export type Typed = { said: Record<string, string>; is: Record<string, boolean>; more: string }

/** Metadata as it is edited. */
export function typedOf(metadata: Resource['metadata']): Typed {
  const named = [...words, ...numbers]
  const said = Object.fromEntries(named.map((name) => [name, String(metadata[name] ?? '')]))
  const is = Object.fromEntries(flags.map((name) => [name, metadata[name] === true]))
  const lines = Object.entries(metadata).flatMap(([name, value]) =>
    known.includes(name) ? [] : [`${name}: ${value}`],
  )
  return { said, is, more: lines.join('\n') }
}

/** The same as the API takes it: what is empty is left out, and a line that says what was there keeps its type. */
export function metadataOf({ said, is, more }: Typed, before: Resource['metadata']): Metadata {
  const metadata: Metadata = {}
  for (const name of words) if (said[name]?.trim()) metadata[name] = said[name].trim()
  for (const name of numbers) if (said[name]?.trim()) metadata[name] = Number(said[name])
  for (const name of flags) if (is[name] || before[name] !== undefined) metadata[name] = is[name] === true
  for (const [name, value] of linesOf(more)) {
    const held = before[name]
    const isSame = (typeof held === 'number' || typeof held === 'boolean') && String(held) === value
    metadata[name] = isSame ? held : value
  }
  return metadata
}

/** The first line that is not “name: value”. */
export function badLine(more: string): string | undefined {
  return more.split('\n').find((line) => line.trim() !== '' && !/^\s*[A-Za-z][\w.-]*\s*:/.test(line))
}

function linesOf(more: string): [name: string, value: string][] {
  return more.split('\n').flatMap((line) => {
    const [, name, value = ''] = /^\s*([A-Za-z][\w.-]*)\s*:(.*)$/.exec(line) ?? []
    return name === undefined ? [] : [[name, value.trim()] as [string, string]]
  })
}
