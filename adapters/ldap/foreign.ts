import { createReadStream } from 'node:fs'
import type { Source } from '#src/import/source.ts'
import type { Identity, Operation } from './connection.ts'
import { any, equals } from './filters.ts'
import type { Bases } from './foreign-entry.ts'
import { foreignAttributes, groupClasses, personClasses, sourceOf } from './foreign-entry.ts'
import type { ForeignEntry } from './ldif.ts'
import { readLdif } from './ldif.ts'
import { openLink } from './wire/link.ts'
import { pagesOf, readEntry } from './wire/pages.ts'

export type { Bases } from './foreign-entry.ts'

/** A running directory that somebody else keeps. */
export type Foreign = { url: string; startTLS: boolean; identity: Identity; base: string; bases: Bases }

const timeout = 30_000
const pageSize = 500

/** People and groups of an LDIF file. Throws where the file is not UTF-8. */
export async function* fromLdif(file: string, bases: Bases): AsyncGenerator<Source> {
  for await (const entry of readLdif(textOf(file))) yield sourceOf(entry, bases)
}

/** The text of a file, piece by piece, without a byte order mark. Throws where it is not UTF-8. */
export async function* textOf(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  try {
    for await (const chunk of createReadStream(file)) yield decoder.decode(chunk as Buffer, { stream: true })
    yield decoder.decode()
  } catch (cause) {
    if (cause instanceof TypeError) throw new Error(`${file} is not text in UTF-8`, { cause })
    throw cause
  }
}

/** People and groups of a running directory, in pages, people first; nothing is written there. */
export async function* fromDirectory(
  { url, startTLS, identity, base, bases }: Foreign,
  onOperation: (operation: Operation) => void = () => {},
): AsyncGenerator<Source> {
  const target = { url, startTLS, tls: { rejectUnauthorized: true }, timeout, openTimeout: timeout / 3 }
  const link = await openLink(target, identity, onOperation, readEntry)
  const search = (classes: string[]) => ({
    ...{ scope: 'sub' as const, attributes: foreignAttributes, paged: { pageSize } },
    filter: any(classes.map((name) => equals('objectClass', name))),
  })
  try {
    for (const [where = base, classes, other] of [
      [bases.people, personClasses, 'group'],
      [bases.groups, groupClasses, 'person'],
    ] as const)
      for await (const page of pagesOf(link, where, search(classes)))
        for (const { dn, ...shown } of page) {
          const source = sourceOf(entryOf(dn, shown), bases)
          if (source.is !== other) yield source
        }
  } finally {
    link.close()
  }
}

function entryOf(dn: string, shown: Record<string, unknown>): ForeignEntry {
  const values = Object.entries(shown).map(
    ([name, value]) => [name.toLowerCase(), [value].flat().map(String)] as [string, string[]],
  )
  return { at: dn, dn, values: new Map(values), faults: new Map() }
}
