import type { ExportedUser } from '#adapters/ldap/user.ts'
import { cell } from '#src/http/csv.ts'

/** The columns of the interface's export, in its order. */
const columns = [
  'uid',
  'givenName',
  'sn',
  'mail',
  'mobile',
  'uidNumber',
  'isActive',
  'createTimestamp',
] as const

/** RFC 4180: a header, lines that end in CRLF, quotes doubled. */
export const csvHeader = `${columns.join(',')}\r\n`

export function csvLine(entry: ExportedUser): string {
  return `${columns.map((name) => cell(entry[name])).join(',')}\r\n`
}
