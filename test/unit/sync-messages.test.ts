import { BerWriter } from 'ldapts'
import { test } from 'tap'
import { readMessage, syncDoneOf, syncOids } from '#adapters/ldap/sync/messages.ts'
import { headAt, ProtocolFault, parts } from '#adapters/ldap/wire/ber.ts'
import { readEntry } from '#adapters/ldap/wire/pages.ts'
import { randomFrom } from '#test/support/random.ts'

const id = Buffer.from('000102030405060708090a0b0c0d0e0f', 'hex')

function message(operation: (writer: BerWriter) => void, control?: { oid: string; value: Buffer }): Buffer {
  const writer = new BerWriter()
  writer.startSequence()
  writer.writeInt(7)
  operation(writer)
  if (control) {
    writer.startSequence(0xa0)
    writer.startSequence()
    writer.writeString(control.oid)
    writer.writeBoolean(true)
    writer.writeBuffer(control.value, 0x04)
    writer.endSequence()
    writer.endSequence()
  }
  writer.endSequence()
  return Buffer.from(writer.buffer)
}

function value(write: (writer: BerWriter) => void, tag?: number): Buffer {
  const writer = new BerWriter()
  writer.startSequence(tag)
  write(writer)
  writer.endSequence()
  return Buffer.from(writer.buffer)
}

const entry = message(
  (writer) => {
    writer.startSequence(0x64)
    writer.writeString('cn=a,ou=groups')
    writer.startSequence()
    for (const [type, values] of Object.entries({ cn: ['a'], Member: ['uid=b', 'uid=c'] })) {
      writer.startSequence()
      writer.writeString(type)
      writer.startSequence(0x31)
      for (const each of values) writer.writeString(each)
      writer.endSequence()
      writer.endSequence()
    }
    writer.endSequence()
    writer.endSequence()
  },
  {
    oid: syncOids.state,
    value: value((writer) => {
      writer.writeEnumeration(1)
      writer.writeBuffer(id, 0x04)
    }),
  },
)
const done = message(
  (writer) => {
    writer.startSequence(0x65)
    writer.writeEnumeration(0)
    writer.writeString('')
    writer.writeString('')
    writer.endSequence()
  },
  {
    oid: syncOids.done,
    value: value((writer) => {
      writer.writeString('a cookie')
      writer.writeBoolean(true)
    }),
  },
)
const idSet = message((writer) => {
  writer.startSequence(0x79)
  writer.writeString(syncOids.info, 0x80)
  const set = value((inner) => {
    inner.writeBoolean(true)
    inner.startSequence(0x31)
    inner.writeBuffer(id, 0x04)
    inner.endSequence()
  }, 0xa3)
  writer.writeBuffer(set, 0x81)
  writer.endSequence()
})

function opened(bytes: Buffer) {
  const head = headAt(bytes, 0, bytes.length)
  if (!head || head.end > bytes.length) throw new ProtocolFault('cut off')
  const [, operation, controls] = parts(bytes, head)
  if (!operation) throw new ProtocolFault('no operation')
  return { bytes, operation, controls }
}
function read(whole: Buffer) {
  const { bytes, operation, controls } = opened(whole)
  readEntry(bytes, operation)
  if (operation.tag === 0x65) return { kind: 'done', end: syncDoneOf({ bytes, controls }) } as const
  const message = readMessage(bytes, operation, controls)
  if (message.kind === 'entry') for (const name of ['cn', 'member']) [...message.values(name)]
  return message
}

test('what a server tells in a content synchronization is read as RFC 4533 writes it', (t) => {
  const found = read(entry)
  t.match(found, { kind: 'entry', id: id.toString('latin1'), state: 'changed', dn: 'cn=a,ou=groups' })
  t.same(found.kind === 'entry' && [...found.values('member')], ['uid=b', 'uid=c'])
  t.same(read(done), { kind: 'done', end: { cookie: Buffer.from('a cookie'), present: false } })
  t.same(read(idSet), { kind: 'ids', ids: [id.toString('latin1')], deleted: true })
  t.end()
})

test('malformed messages are faults, wherever they are cut or changed', (t) => {
  const random = randomFrom(1)
  const wrong: unknown[] = []
  const tryOne = (bytes: Buffer) => {
    try {
      read(bytes)
    } catch (error) {
      if (!(error instanceof ProtocolFault)) wrong.push(error)
    }
  }
  for (const whole of [entry, done, idSet]) {
    for (let end = 0; end < whole.length; end++) t.throws(() => read(whole.subarray(0, end)), ProtocolFault)
    for (let n = 0; n < 20_000; n++) {
      const bytes = Buffer.from(whole)
      for (let changes = 0; changes <= random(3); changes++) bytes[random(bytes.length)] = random(256)
      tryOne(bytes)
    }
  }
  t.same(wrong, [])
  t.throws(() => headAt(Buffer.from([0x30, 0x80, 0, 0]), 0, 4), ProtocolFault, 'an indefinite length')
  t.throws(
    () => headAt(Buffer.from([0x30, 0x85, 0, 0, 0, 0, 1]), 0, 7),
    ProtocolFault,
    'a length of five bytes',
  )
  t.end()
})
