import { isUtf8 } from 'node:buffer'
import type { Context } from './context.ts'
import { isWithin } from './dn.ts'
import { present } from './filters.ts'
import { refusalFor } from './results.ts'
import type { Element } from './wire/ber.ts'
import { elementAt, inside, text } from './wire/ber.ts'
import { pagesOf } from './wire/pages.ts'

/** An entry as it is, whatever its attributes; a value that is no text comes in base64. */
export type DumpedEntry = { dn: string; attributes: [type: string, values: DumpedValue[]][] }
export type DumpedValue = string | { base64: string }

const entryTag = 0x64
const pageSize = 500
/** What a server keeps by itself and a restored entry must have again: its identity, its history, its locks. */
const operational = [
  ...['entryUUID', 'createTimestamp', 'creatorsName', 'modifyTimestamp', 'modifiersName'],
  ...['pwdAccountLockedTime', 'pwdReset', 'pwdEndTime', 'pwdChangedTime', 'pwdPolicySubentry'],
]
/** Attributes that hold passwords, hashes of them or keys made of them, by whatever schema. */
const isHash = /passw|pwdhistory|principalkey|secret/i

/**
 * All people and groups and what holds them, parents first, in pages: what is asked for is read, not more. Without
 * `hashes` no attribute that holds one leaves here. Not a snapshot: what changes meanwhile is in it or not.
 */
export async function* dump(
  { pool, layout }: Context,
  { hashes }: { hashes: boolean },
): AsyncGenerator<DumpedEntry[]> {
  const attributes = ['*', ...operational, ...(hashes ? ['pwdHistory'] : [])]
  const read = (bytes: Buffer, operation: Element) => readWhole(bytes, operation, hashes)
  try {
    const link = await pool.openLink(read)
    try {
      const search = { filter: present('objectClass'), attributes, paged: { pageSize } }
      for (const { base, scope } of placesOf(layout)) yield* pagesOf(link, base, { ...search, scope })
    } finally {
      link.close()
    }
  } catch (error) {
    throw refusalFor(error, 'read')
  }
}

type Place = { base: string; scope: 'base' | 'sub' }

/** The entries above people and groups one by one, then each branch whole, a branch inside another once. */
function placesOf({ base, user, group }: Context['layout']): Place[] {
  const branches = user.base === group.base ? [user.base] : [user.base, group.base]
  const outermost = branches.filter(
    (branch) => !branches.some((other) => other !== branch && isWithin(branch, other)),
  )
  const above = new Set(outermost.flatMap((branch) => aboveOf(branch, base)))
  return [
    ...[...above].map((base): Place => ({ base, scope: 'base' })),
    ...outermost.map((base): Place => ({ base, scope: 'sub' })),
  ]
}

/** DNs above `dn` up to `base`, the topmost first. */
function aboveOf(dn: string, base: string): string[] {
  const parent = dn.replace(/^(?:\\.|[^,\\])+,?/s, '')
  return parent !== '' && isWithin(parent, base) ? [...aboveOf(parent, base), parent] : []
}

/** Throws ProtocolFault. */
function readWhole(bytes: Buffer, operation: Element, hashes: boolean): DumpedEntry | undefined {
  if (operation.tag !== entryTag) return undefined
  const name = elementAt(bytes, operation.start, operation.end)
  const entry: DumpedEntry = { dn: text(bytes, name), attributes: [] }
  for (const attribute of inside(bytes, elementAt(bytes, name.end, operation.end))) {
    const type = elementAt(bytes, attribute.start, attribute.end)
    const values = elementAt(bytes, type.end, attribute.end)
    const called = text(bytes, type)
    if (!hashes && isHash.test(called)) continue
    entry.attributes.push([called, [...inside(bytes, values)].map((value) => shownValue(bytes, value))])
  }
  return entry
}

function shownValue(bytes: Buffer, { start, end }: Element): DumpedValue {
  const value = bytes.subarray(start, end)
  return isUtf8(value) ? value.toString() : { base64: value.toString('base64') }
}
