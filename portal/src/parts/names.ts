/** What a distinguished name calls somebody or a group: the value of its first part (RFC 4514). */
export function nameOf(dn: string): string {
  const [, value = dn] = /^[^=]+=((?:\\.|[^\\,+])*)/s.exec(dn) ?? []
  const bytes = value.replace(/(?:\\[\da-f]{2})+/gi, (escaped) =>
    decodeURIComponent(escaped.replaceAll('\\', '%')),
  )
  return bytes.replace(/\\(.)/gs, '$1').trim()
}

/** The directory compares names without case. */
export function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}

/** Where an entry lies: what comes after the first part of its name. */
export function parentOf(dn: string): string {
  return dn.replace(/^(?:\\.|[^\\,])*,/s, '').toLowerCase()
}

/** Those of `dns` that are not in `others`. */
export function without(dns: readonly string[], others: readonly string[]): string[] {
  const known = new Set(others.map((dn) => dn.toLowerCase()))
  return dns.filter((dn) => !known.has(dn.toLowerCase()))
}

export function byName(a: string, b: string): number {
  return a.localeCompare(b, undefined, { numeric: true, sensitivity: 'base' })
}

/** The names of these, in their order. */
export function namesOf(dns: readonly string[]): string[] {
  return dns.map(nameOf).sort(byName)
}

/** Without accents and case, so that "zoe" finds "Zoë". */
export function fold(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
}
