import type { Element } from '../wire/ber.ts'
import { inside, ProtocolFault, parts, text, whole } from '../wire/ber.ts'
import { controlValue } from '../wire/controls.ts'
import type { Done } from '../wire/link.ts'

/** What the server says in the course of one content synchronization (RFC 4533). */
export type Message =
  | { kind: 'entry'; id: string; state: State; dn: string; values: Values }
  | { kind: 'ids'; ids: string[]; deleted: boolean }
  /** The end of a phase: what a present phase did not mention is gone. */
  | { kind: 'phase'; present: boolean }
  | { kind: 'other' }
/** The end: where it got to, and whether a present phase went before; undefined without the control that says so. */
export type SyncDone = { cookie?: Buffer; present: boolean } | undefined
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

const tags = { entry: 0x64, intermediate: 0x79 }

/** One operation with its controls, whole in `bytes`. Throws ProtocolFault. */
export function readMessage(bytes: Buffer, operation: Element, controls: Element | undefined): Message {
  if (operation.tag === tags.entry) return entryOf(bytes, operation, controls)
  return operation.tag === tags.intermediate ? infoOf(bytes, operation) : { kind: 'other' }
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

/** Throws ProtocolFault. */
export function syncDoneOf({ bytes, controls }: Pick<Done, 'bytes' | 'controls'>): SyncDone {
  const value = controlValue(bytes, controls, syncOids.done)
  if (!value) return undefined
  const rest = parts(bytes, value)
  const cookie = rest.find(({ tag }) => tag === 0x04)
  return {
    ...(cookie ? { cookie: Buffer.from(bytes.subarray(cookie.start, cookie.end)) } : {}),
    present: !isTrue(bytes, rest),
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

/** entryUUID in 16 characters of one byte each. */
function idOf(bytes: Buffer, element: Element | undefined): string {
  if (!element || element.end - element.start !== 16) throw new ProtocolFault('an entryUUID of another size')
  return bytes.toString('latin1', element.start, element.end)
}

function isTrue(bytes: Buffer, elements: Element[]): boolean {
  const flag = elements.find(({ tag }) => tag === 0x01)
  return flag !== undefined && bytes[flag.start] !== 0
}
