/**
 * Distinguished names (RFC 4514): built from values nobody trusts, taken apart, compared. Everything outside plain
 * letters, digits and a few harmless signs is written as hex pairs, NUL and newline included.
 */
export function rdn(attribute: string, value: string): string {
  return `${attribute}=${escapeValue(value)}`
}

/** `cn=x` below `base`. */
export function childDn(attribute: string, value: string, base: string): string {
  return `${rdn(attribute, value)},${base}`
}

/** What an entry stands below; the DN itself where it has one part only. */
export function parentDn(dn: string): string {
  const [, ...above] = splitUnescaped(dn)
  return above.length > 0 ? above.join(',').trim() : dn
}

/** A configured DN: whole when it ends in `base` already, else relative to it. */
export function absoluteDn(dn: string, base: string): string {
  return dn === '' ? base : isWithin(dn, base) ? dn : `${dn},${base}`
}

export type Rdn = { attribute: string; value: string }

/** The parts of a DN, leaf first, unescaped; undefined when it is none. Of a multi-valued RDN the whole is kept. */
export function parseDn(dn: string): Rdn[] | undefined {
  const parts: Rdn[] = []
  for (const part of splitUnescaped(dn)) {
    const equals = part.indexOf('=')
    const attribute = part.slice(0, equals).trim()
    if (equals < 1 || !/^[A-Za-z0-9.-]+$/.test(attribute)) return undefined
    parts.push({ attribute, value: unescapeValue(part.slice(equals + 1)) })
  }
  return parts
}

/** The first part as it is written. */
export function leafOf(dn: string): string {
  return splitUnescaped(dn)[0] ?? ''
}

/** One spelling for all spellings of a DN, for use as a key: types and values in lower case, blanks collapsed. */
export function normaliseDn(dn: string): string {
  // Nearly all are plain, and a group may have thousands: these need no taking apart.
  if (plain.test(dn)) return dn.toLowerCase()
  const parts = parseDn(dn)
  if (!parts) return dn.toLowerCase()
  return parts.map(({ attribute, value }) => rdn(attribute.toLowerCase(), folded(value))).join(',')
}

const plain = /^[a-z][a-z0-9.-]*=[a-z0-9._@-]+(?:,[a-z][a-z0-9.-]*=[a-z0-9._@-]+)*$/i

export function sameDn(a: string, b: string): boolean {
  return a === b || normaliseDn(a) === normaliseDn(b)
}

/** True when `dn` is `base` or below it. */
export function isWithin(dn: string, base: string): boolean {
  const [inner, outer] = [normaliseDn(dn), normaliseDn(base)]
  return inner === outer || inner.endsWith(`,${outer}`)
}

function folded(value: string): string {
  return value.normalize('NFKC').toLowerCase().trim().replace(/\s+/g, ' ')
}

function escapeValue(value: string): string {
  return value.replace(/[^\p{L}\p{N} ._@-]/gu, (sign) => hexPairs(sign)).replace(/^ | $/g, '\\20')
}

function hexPairs(sign: string): string {
  return Buffer.from(sign)
    .toString('hex')
    .replace(/../g, (pair) => `\\${pair}`)
}

function unescapeValue(raw: string): string {
  // Blanks around a value count only when escaped.
  const trimmed = raw.replace(/^ +/, '').replace(/(?<!\\) +$/, '')
  return trimmed.replace(/(?:\\[0-9a-fA-F]{2})+|\\(.)/gs, (escaped, sign: string | undefined) =>
    sign === undefined ? Buffer.from(escaped.replaceAll('\\', ''), 'hex').toString() : sign,
  )
}

function splitUnescaped(dn: string): string[] {
  return dn.match(/(?:\\.|[^,\\])+/gs) ?? []
}
