import type { DumpedEntry } from '../type.ts'

/** One entry as LDIF (RFC 2849), with the empty line that ends it. */
export function ldifOf({ dn, attributes }: DumpedEntry): string {
  const lines = [lineOf('dn', dn)]
  for (const [type, values] of attributes) for (const value of values) lines.push(lineOf(type, value))
  return `${lines.join('')}\n`
}

/** Values that need no encoding (SAFE-STRING), less control characters and those that end in a blank. */
const safe = /^(?:[!-9;=-~](?:[ -~]*[!-~])?)?$/
const width = 76

function lineOf(type: string, value: string | { base64: string }): string {
  if (typeof value !== 'string') return folded(`${type}:: ${value.base64}`)
  if (safe.test(value)) return folded(`${type}: ${value}`)
  return folded(`${type}:: ${Buffer.from(value).toString('base64')}`)
}

/** All of it is ASCII by now, so that no fold falls into a character. */
function folded(line: string): string {
  if (line.length <= width) return `${line}\n`
  const rest = line.slice(width).match(new RegExp(`.{1,${width - 1}}`, 'gs')) ?? []
  return `${[line.slice(0, width), ...rest].join('\n ')}\n`
}
