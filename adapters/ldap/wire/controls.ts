import type { Element } from './ber.ts'
import { inside, parts, text } from './ber.ts'

/** The value of the control of that type, opened (RFC 4511 section 4.1.11). Throws ProtocolFault. */
export function controlValue(bytes: Buffer, controls: Element | undefined, oid: string): Element | undefined {
  for (const control of controls?.tag === 0xa0 ? inside(bytes, controls) : []) {
    const [type, ...rest] = parts(bytes, control)
    if (text(bytes, type) !== oid) continue
    const value = rest.find(({ tag }) => tag === 0x04)
    if (value) return parts(bytes, value)[0]
  }
  return undefined
}
