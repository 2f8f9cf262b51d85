import type { BerReader, Entry, BerWriter as Writer } from 'ldapts'
import { BerWriter, Control, SearchEntry } from 'ldapts'

export const oids = {
  paged: '1.2.840.113556.1.4.319',
  sort: '1.2.840.113556.1.4.473',
  postRead: '1.3.6.1.1.13.2',
  /** OpenLDAP's: attributes that the server else keeps to itself (draft-zeilenga-ldap-relax). */
  relax: '1.3.6.1.4.1.4203.666.5.12',
  passwordModify: '1.3.6.1.4.1.4203.1.11.1',
  startTLS: '1.3.6.1.4.1.1466.20037',
} as const

/** The entry as a write left it, in the answer of that write (RFC 4527). One instance serves one operation. */
export class PostReadControl extends Control {
  readonly attributes: string[]
  entry: Entry | undefined

  constructor(attributes: string[]) {
    super(oids.postRead)
    this.attributes = attributes
  }

  override writeControl(writer: Writer): void {
    const value = new BerWriter()
    value.startSequence()
    for (const attribute of this.attributes) value.writeString(attribute)
    value.endSequence()
    writer.writeBuffer(value.buffer, 0x04)
  }

  override parseControl(reader: BerReader): void {
    reader.readSequence(0x64)
    const found = new SearchEntry({ messageId: 0 })
    found.parseMessage(reader)
    this.entry = found.toObject(this.attributes, [])
  }
}

/** PasswdModifyRequestValue (RFC 3062). */
export function passwordModifyValue(dn: string, newPassword: string, oldPassword?: string): Buffer {
  const value = new BerWriter()
  value.startSequence()
  value.writeString(dn, 0x80)
  if (oldPassword !== undefined) value.writeString(oldPassword, 0x81)
  value.writeString(newPassword, 0x82)
  value.endSequence()
  return value.buffer
}
