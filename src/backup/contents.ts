import type { EntryLine } from '#adapters/ldap/copy.ts'
import type { RecordLine } from '#adapters/redis/copy.ts'

/** The first line of a backup. `fingerprints` say which secrets of the environment open what is sealed in it. */
export type Header = {
  latchkey_backup: 1
  id: string
  made_on: string
  base: string
  prefix: string
  fingerprints: { signing: string; sealing: string }
  /** The signing secret is one of the records (`POST /api/conf`), so the environment's may be another. */
  stored_secret: boolean
}
/** The last line: how many lines of each kind came before. */
export type Closing = { end: Counts }
export type Counts = { entries: number; records: number }
export type Line = { entry: EntryLine } | { record: RecordLine }

/**
 * Reads a backup whole, and gives each line to `see`: throws an Error when it is not one, not of this version or not
 * complete. Nothing may be written before it has answered.
 */
export async function readWhole(
  lines: AsyncIterable<unknown>,
  see: (line: Line) => void,
): Promise<{ header: Header; counts: Counts }> {
  let header: Header | undefined
  let closing: Counts | undefined
  const counts: Counts = { entries: 0, records: 0 }
  for await (const line of lines as AsyncIterable<Header | Closing | Line>) {
    if (!header) header = headerOf(line)
    else if (closing) throw new Error('the file goes on behind its end')
    else if ('end' in line) closing = line.end
    else {
      see(line as Line)
      counts['entry' in line ? 'entries' : 'records']++
    }
  }
  if (!header || !closing) throw new Error('the file is not complete')
  if (closing.entries !== counts.entries || closing.records !== counts.records)
    throw new Error('the file does not hold what it says it holds')
  return { header, counts }
}

export async function* entriesIn(lines: AsyncIterable<unknown>): AsyncGenerator<EntryLine> {
  for await (const line of lines as AsyncIterable<Line>) if ('entry' in line) yield line.entry
}

export async function* recordsIn(lines: AsyncIterable<unknown>): AsyncGenerator<RecordLine> {
  for await (const line of lines as AsyncIterable<Line>) if ('record' in line) yield line.record
}

function headerOf(line: Header | Closing | Line): Header {
  if (!('latchkey_backup' in line)) throw new Error('this is no backup of Latchkey')
  if (line.latchkey_backup !== 1)
    throw new Error(`this backup is of version ${line.latchkey_backup}, which a later release wrote`)
  return line
}
