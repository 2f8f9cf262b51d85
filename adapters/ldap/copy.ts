import { isUtf8 } from 'node:buffer'
import { present } from './filters.ts'
import type { Layout } from './layout.ts'
import type { Pool } from './pool.ts'
import type { Element } from './wire/ber.ts'
import { elementAt, inside, text } from './wire/ber.ts'
import { pagesOf } from './wire/pages.ts'

/** An entry as a backup has it. A value that is no text stands as base64. */
export type EntryLine = { dn: string; attributes: Record<string, EntryValue[]> }
export type EntryValue = string | { base64: string }

/**
 * What the server itself keeps of an entry and a backup must: who it is (`sub` may be its entryUUID), its dates, and what
 * slapo-ppolicy knows of its password. Failed logins are of the moment.
 */
export const operational = [
  ...['entryUUID', 'createTimestamp', 'creatorsName', 'modifyTimestamp', 'modifiersName'],
  ...['pwdChangedTime', 'pwdReset', 'pwdAccountLockedTime', 'pwdStartTime', 'pwdEndTime', 'pwdHistory'],
  ...['pwdGraceUseTime', 'pwdPolicySubentry'],
]

const entryTag = 0x64

/** Everything below the base that the service may read, in pages, in the server's order. */
export async function* entriesOf(pool: Pool, { base }: Pick<Layout, 'base'>): AsyncGenerator<EntryLine> {
  const link = await pool.openLink(readEntryLine)
  try {
    const options = {
      filter: present('objectClass'),
      scope: 'sub' as const,
      attributes: ['*', ...operational],
      paged: { pageSize: 500 },
    }
    for await (const page of pagesOf<EntryLine>(link, base, options)) yield* page
  } finally {
    link.close()
  }
}

function readEntryLine(bytes: Buffer, operation: Element): EntryLine | undefined {
  if (operation.tag !== entryTag) return undefined
  const name = elementAt(bytes, operation.start, operation.end)
  const entry: EntryLine = { dn: text(bytes, name), attributes: {} }
  for (const attribute of inside(bytes, elementAt(bytes, name.end, operation.end))) {
    const type = elementAt(bytes, attribute.start, attribute.end)
    const values = elementAt(bytes, type.end, attribute.end)
    entry.attributes[text(bytes, type)] = [...inside(bytes, values)].map(({ start, end }) =>
      valueIn(bytes.subarray(start, end)),
    )
  }
  return entry
}

function valueIn(bytes: Buffer): EntryValue {
  return isUtf8(bytes) ? bytes.toString() : { base64: bytes.toString('base64') }
}
