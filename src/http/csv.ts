/** Headers of a CSV file to be kept under that name. */
export const csvHeaders = (filename: string) => ({
  'content-type': 'text/csv; charset=utf-8',
  'content-disposition': `attachment; filename="${filename}"`,
})

/**
 * A cell of CSV (RFC 4180: quotes doubled). One that a spreadsheet would compute is prefixed (contract section 2; attacks
 * row 37).
 */
export function cell(value: string | number | boolean | undefined): string {
  const text = String(value ?? '')
  const harmless = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless
}
