import type { Element } from './ber.ts'
import { inside, ProtocolFault, parts, text, whole } from './ber.ts'

/** What the server says in the course of one content synchronization (RFC 4533), and the answers to bind and StartTLS. */
export type Message =
  | { kind: 'entry'; id: string; state: State; dn: string; values: Values }
  | { kind: 'ids'; ids: string[]; deleted: boolean }
  /** The end of a phase: what a present phase did not mention is gone. */
  | { kind: 'phase'; present: boolean }
  | { kind: 'done'; code: number; diagnostic: string; cookie?: Buffer; present?: boolean }
  | { kind: 'other' }
export type State = 'present' | 'changed' | 'deleted'
/** Walks over the values of an attribute, in lower case, without keeping any. */
export type Values = (attribute: string) => Iterable<string>

export const syncOids = {
  request: '1.3.6.1.4.1.4203.1.9.1.1',
  state: '1.3.6.1.4.1.4203.1.9.1.2',
  done: '1.3.6.1.4.1.4203.1.9.1.3',
  info: '1.3.6.1.4.1.4203.1.9.1.4',
} as const
/** The server wants the whole content to be read again (RFC 4533 section 2.6). */
export const refreshRequired = 4096

const tags = { bind: 0x61, entry: 0x64, done: 0x65, extended: 0x78, intermediate: 0x79, controls: 0xa0 }

/** One LDAPMessage, whole in `bytes`. Throws ProtocolFault. */
export function readMessage(bytes: Buffer, envelope: Element): { id: number; message: Message } {
  const [idPart, operation, controls] = parts(bytes, envelope)
  if (!operation) throw new ProtocolFault('a message without an operation')
  return { id: whole(bytes, idPart), message: messageOf(bytes, operation, controls) }
}

function messageOf(bytes: Buffer, operation: Element, controls: Element | undefined): Message {
  switch (operation.tag) {
    case tags.entry:
      return entryOf(bytes, operation, controls)
    case tags.done:
    case tags.bind:
    case tags.extended:
      return doneOf(bytes, operation, controls)
    case tags.intermediate:
      return infoOf(bytes, operation)
    default:
      return { kind: 'other' }
  }
}

function entryOf(bytes: Buffer, operation: Element, controls: Element | undefined): Message {
  const [dn, attributes] = parts(bytes, operation)
  const [state, id] = parts(bytes, controlValue(bytes, controls, syncOids.state))
  const name = (['present', 'changed', 'changed', 'deleted'] as const)[whole(bytes, state)]
  if (!name || !attributes) throw new ProtocolFault('an entry without its state')
  return { kind: 'entry', id: idOf(bytes, id), state: name, dn: text(bytes, dn), values }

  function* values(wanted: string): Generator<string> {
    for (const attribute of inside(bytes, attributes as Element)) {
      const [type, set] = parts(bytes, { ...attribute })
      if (!set || text(bytes, type).toLowerCase() !== wanted) continue
      for (const value of inside(bytes, set)) yield text(bytes, value)
    }
  }
}

function doneOf(bytes: Buffer, operation: Element, controls: Element | undefined): Message {
  const [code, , diagnostic] = parts(bytes, operation)
  const value = controls && controlValue(bytes, controls, syncOids.done, true)
  const rest = value ? parts(bytes, value) : []
  const cookie = rest.find(({ tag }) => tag === 0x04)
  return {
    kind: 'done',
    code: whole(bytes, code),
    diagnostic: text(bytes, diagnostic),
    ...(cookie ? { cookie: Buffer.from(bytes.subarray(cookie.start, cookie.end)) } : {}),
    ...(value ? { present: !isTrue(bytes, rest) } : {}),
  }
}

/** Sync Info Message (RFC 4533 section 2.5). Cookies within a refresh are not needed: a broken one begins anew. */
function infoOf(bytes: Buffer, operation: Element): Message {
  const [name, value] = parts(bytes, operation)
  if (text(bytes, name) !== syncOids.info || !value) return { kind: 'other' }
  const [choice] = parts(bytes, value)
  if (choice?.tag === 0xa1 || choice?.tag === 0xa2) return { kind: 'phase', present: choice.tag === 0xa2 }
  if (choice?.tag !== 0xa3) return { kind: 'other' }
  const rest = parts(bytes, choice)
  const set = rest.find(({ tag }) => tag === 0x31)
  const ids = set ? parts(bytes, set).map((id) => idOf(bytes, id)) : []
  return { kind: 'ids', ids, deleted: isTrue(bytes, rest) }
}

/** The value of a control, opened. Throws ProtocolFault when it is missing, unless it may be. */
function controlValue(bytes: Buffer, controls: Element | undefined, oid: string): Element
function controlValue(
  bytes: Buffer,
  controls: Element | undefined,
  oid: string,
  mayMiss: true,
): Element | undefined
function controlValue(bytes: Buffer, controls: Element | undefined, oid: string, mayMiss?: true) {
  for (const control of controls?.tag === tags.controls ? inside(bytes, controls) : []) {
    const [type, ...rest] = parts(bytes, control)
    if (text(bytes, type) !== oid) continue
    const value = rest.find(({ tag }) => tag === 0x04)
    if (value) return parts(bytes, value)[0]
  }
  if (mayMiss) return undefined
  throw new ProtocolFault(`the control ${oid} is missing`)
}

/** entryUUID in 16 characters of one byte each. */
function idOf(bytes: Buffer, element: Element | undefined): string {
  if (!element || element.end - element.start !== 16) throw new ProtocolFault('an entryUUID of another size')
  return bytes.toString('latin1', element.start, element.end)
}

function isTrue(bytes: Buffer, elements: Element[]): boolean {
  const flag = elements.find(({ tag }) => tag === 0x01)
  return flag !== undefined && bytes[flag.start] !== 0
}
