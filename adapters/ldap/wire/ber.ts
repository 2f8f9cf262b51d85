/**
 * A strict reader of BER as LDAP uses it (RFC 4511 section 5.1): tags of one byte, definite lengths, nothing reaches past
 * what holds it. ldapts' own reader may loop for ever on a length that lies.
 */
export type Element = { tag: number; start: number; end: number }

/** What is malformed, or larger than it may be: the connection it came by is of no use any more. */
export class ProtocolFault extends Error {
  override readonly name = 'ProtocolFault'
}

/** The element at `at`, which must end by `limit`. Throws ProtocolFault. */
export function elementAt(bytes: Buffer, at: number, limit: number): Element {
  const head = headAt(bytes, at, limit)
  if (!head || head.end > limit) throw new ProtocolFault('an element reaches past what holds it')
  return head
}

/**
 * Tag and extent of the element at `at`, of which only the head need be there; undefined while even that is not.
 * Throws ProtocolFault.
 */
export function headAt(bytes: Buffer, at: number, limit: number): Element | undefined {
  if (at + 2 > limit) return undefined
  const tag = bytes[at] as number
  if ((tag & 0x1f) === 0x1f) throw new ProtocolFault('a tag of several bytes')
  const first = bytes[at + 1] as number
  if (first < 0x80) return { tag, start: at + 2, end: at + 2 + first }
  const size = first & 0x7f
  if (size === 0 || size > 4) throw new ProtocolFault('a length that LDAP does not have')
  const start = at + 2 + size
  if (start > limit) return undefined
  return { tag, start, end: start + bytes.readUIntBE(at + 2, size) }
}

/** The elements inside one, in order. Throws ProtocolFault. */
export function* inside(bytes: Buffer, { start, end }: Element): Generator<Element> {
  for (let at = start; at < end; ) {
    const element = elementAt(bytes, at, end)
    yield element
    at = element.end
  }
}

/** Elements of a SEQUENCE as a list. Throws ProtocolFault. */
export function parts(bytes: Buffer, element: Element | undefined): Element[] {
  if (!element) throw new ProtocolFault('an element is missing')
  return [...inside(bytes, element)]
}

/** A small whole number. Throws ProtocolFault. */
export function whole(bytes: Buffer, element: Element | undefined): number {
  const size = element ? element.end - element.start : 0
  if (!element || size < 1 || size > 4) throw new ProtocolFault('a number that LDAP does not have')
  return bytes.readIntBE(element.start, size)
}

export function text(bytes: Buffer, element: Element | undefined): string {
  if (!element) throw new ProtocolFault('a string is missing')
  return bytes.toString('utf8', element.start, element.end)
}
