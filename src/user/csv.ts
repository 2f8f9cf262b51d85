import type { UserEntry } from '#adapters/ldap/user.ts'

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

export function csvLine(entry: UserEntry): string {
  return `${columns.map((name) => cell(entry[name])).join(',')}\r\n`
}

/** A cell that a spreadsheet would compute is prefixed (contract section 2; attacks row 37). */
export function cell(value: string | number | boolean | undefined): string {
  const text = String(value ?? '')
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
