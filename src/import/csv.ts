import { CsvError, parse } from 'csv-parse'
import type { PersonField, Source, SourcePerson } from './source.ts'

/** Characters of one row. */
const longestRow = 4 * 1024 * 1024

const fields: readonly PersonField[] = [
  ...(['uid', 'givenName', 'sn', 'mail', 'mobile', 'dateOfBirth', 'sshPublicKey'] as const),
  ...(['uidNumber', 'homeDirectory', 'loginShell'] as const),
]
/** The columns of our own export (src/user/csv.ts) and what else people are made of; `groups` are names joined by `;`. */
export const csvColumns: readonly string[] = [
  ...fields,
  'isActive',
  'createTimestamp',
  'password_hash',
  'groups',
]

/**
 * People of a CSV text (RFC 4180, in UTF-8): a header, then rows in any order of columns. A row that does not fit is a fault
 * and the next one is read; a header that does not fit, or quotes that do not close, end the reading.
 */
export async function* fromCsv(chunks: AsyncIterable<string>): AsyncGenerator<Source> {
  const parser = parse({
    ...{ bom: true, info: true, relax_column_count: true, skip_empty_lines: true },
    max_record_size: longestRow,
  })
  const feeding = feed(parser, chunks)
  let columns: string[] | undefined
  let at = 'line 1'
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[]
      info: { lines: number }
    }>) {
      at = `line ${info.lines}`
      if (columns) yield rowOf(at, columns, record)
      else {
        columns = record.map((name) => name.trim())
        const reason = headerFault(columns)
        if (reason) return yield { is: 'fault', at, field: 'header', reason }
      }
    }
    if (!columns) yield { is: 'fault', at, field: 'header', reason: 'is missing' }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const reason = faults[error.code] ?? 'is no CSV'
    yield { is: 'fault', at: `after ${at}`, field: 'row', reason: `${reason}; nothing after it was read` }
  } finally {
    parser.destroy()
    await feeding
  }
}

/** Backpressure included; the parser tells what goes wrong. */
async function feed(parser: ReturnType<typeof parse>, chunks: AsyncIterable<string>): Promise<void> {
  try {
    for await (const chunk of chunks) {
      if (parser.destroyed) return
      if (!parser.write(chunk))
        await new Promise<void>((done) => {
          parser.once('drain', done)
          parser.once('close', done)
        })
    }
    parser.end()
  } catch (error) {
    parser.destroy(error as Error)
  }
}

const faults: Record<string, string> = {
  CSV_MAX_RECORD_SIZE: 'is too long',
  CSV_QUOTE_NOT_CLOSED: 'has quotes that do not close',
  CSV_INVALID_CLOSING_QUOTE: 'has quotes in the wrong place',
  INVALID_OPENING_QUOTE: 'has quotes in the wrong place',
}

function headerFault(columns: string[]): string | undefined {
  const unknown = columns.find((name) => !csvColumns.includes(name))
  if (unknown !== undefined)
    return `has a column that is not known (${JSON.stringify(unknown.slice(0, 40))}); known are ${csvColumns.join(', ')}`
  if (new Set(columns).size < columns.length) return 'names a column twice'
  return columns.includes('uid') ? undefined : 'lacks the column uid'
}

function rowOf(at: string, columns: string[], record: string[]): Source {
  const fault = (field: string, reason: string): Source => ({ is: 'fault', at, field, reason })
  if (record.length !== columns.length)
    return fault('row', `has ${record.length} cells instead of ${columns.length}`)
  const cells = new Map(columns.map((name, place) => [name, unguarded(record[place] ?? '')]))
  const values: SourcePerson['values'] = {}
  for (const field of fields) {
    const value = cells.get(field)?.trim()
    if (value) values[field] = value
  }
  const active = cells.get('isActive')?.trim().toLowerCase()
  if (active && active !== 'true' && active !== 'false') return fault('isActive', 'must be true or false')
  const password = cells.get('password_hash')?.trim()
  const groups = (cells.get('groups') ?? '').split(';').map((name) => name.trim())
  return {
    ...{ is: 'person', at, values, groups: groups.filter(Boolean) },
    ...(active ? { isActive: active === 'true' } : {}),
    ...(password ? { password } : {}),
  }
}

/** Our export puts an apostrophe before what a spreadsheet would compute (src/http/csv.ts). */
function unguarded(cell: string): string {
  return /^'[=+\-@\t\r]/.test(cell) ? cell.slice(1) : cell
}
