import fc from 'fast-check'
import { test } from 'tap'
import type { ForeignEntry } from '#adapters/ldap/ldif.ts'
import { readLdif } from '#adapters/ldap/ldif.ts'

async function* piecesOf(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size)
}

async function read(text: string, size = 7): Promise<ForeignEntry[]> {
  const found: ForeignEntry[] = []
  for await (const entry of readLdif(piecesOf(text, size))) found.push(entry)
  return found
}

/** A line of LDIF as RFC 2849 writes one: base64 where the value is not plain, folded after 76 signs. */
function lineOf(name: string, value: string): string {
  const plain = /^[\x21-\x39\x3b\x3d-\x7e][\x20-\x7e]*$/.test(value) && !value.endsWith(' ')
  const line = plain ? `${name}: ${value}` : `${name}:: ${Buffer.from(value).toString('base64')}`
  return line.replace(/(.{76})(?=.)/g, '$1\n ')
}

const type = fc.constantFrom('cn', 'mail', 'description', 'x-a')
const value = fc.string({ unit: 'binary', minLength: 1, maxLength: 200 })
const records = fc.array(fc.array(fc.tuple(type, value), { minLength: 1, maxLength: 6 }), {
  minLength: 1,
  maxLength: 5,
})

test('what is written as LDIF is read as it was, however it is folded, coded and cut into pieces', async (t) => {
  await fc.assert(
    fc.asyncProperty(records, fc.integer({ min: 1, max: 300 }), fc.boolean(), async (written, size, crlf) => {
      const blocks = written.map((attributes, n) =>
        [
          `dn: cn=${n}`,
          '# a comment,',
          '  which goes on',
          ...attributes.map(([name, of]) => lineOf(name, of)),
        ].join('\n'),
      )
      const text = `version: 1\n${blocks.join('\n\n')}\n`
      const found = await read(crlf ? text.replaceAll('\n', '\r\n') : text, size)
      const expected = written.map((attributes) => {
        const values = new Map<string, string[]>()
        for (const [name, of] of attributes) values.set(name, [...(values.get(name) ?? []), of])
        return values
      })
      return (
        found.length === written.length &&
        found.every(
          ({ dn, values, fault, faults }, n) =>
            dn === `cn=${n}` &&
            fault === undefined &&
            faults.size === 0 &&
            JSON.stringify([...values]) === JSON.stringify([...(expected[n] as Map<string, string[]>)]),
        )
      )
    }),
    { numRuns: 200 },
  )
  t.pass('all of them')
})

test('what is wrong with a record or a value is said, and the next one is read', async (t) => {
  const long = 'x'.repeat(1024 * 1024)
  const found = await read(
    [
      ...['version: 1', 'dn: cn=url', 'cn:< file:///etc/passwd', ''],
      ...['dn: cn=base', 'cn:: not base64!', 'description:: /w==', ''],
      ...['cn: without a name', ''],
      ...['dn: cn=change', 'changetype: delete', ''],
      ...['dn: cn=line', 'no colon here', ''],
      ...['dn: cn=long', `cn: ${long}`, `sn: ${long}${long}${long}`, ''],
      ...['dn:: /w==', 'cn: a', ''],
      ...['dn: cn=good', 'cn;lang-de: gut', 'cn: good', ''],
      ...['dn: cn=mark', `cn:: ${Buffer.from('\ufeffmark').toString('base64')}`, ''],
    ].join('\n'),
    50_000,
  )
  t.same(
    found.map(({ dn, fault, faults }) => [dn, fault, Object.fromEntries(faults)]),
    [
      ['cn=url', undefined, { cn: 'is behind a URL, which is not fetched' }],
      ['cn=base', undefined, { cn: 'is broken base64', description: 'is not text in UTF-8' }],
      ['', 'does not begin with one dn', {}],
      ['cn=change', 'is a change, not an entry', {}],
      ['cn=line', 'holds a line that is none of LDIF (line 15)', {}],
      ['cn=long', undefined, { cn: 'is too long', sn: 'is too long' }],
      ['', 'dn is not text in UTF-8', {}],
      ['cn=good', undefined, {}],
      ['cn=mark', undefined, {}],
    ],
  )
  const [good, mark] = found.slice(-2)
  t.same(good?.values.get('cn'), ['good'])
  t.same(mark?.values.get('cn'), ['\ufeffmark'], 'a sign like any other')
  const [older] = await read('version: 2\ndn: cn=a\ncn: a\n')
  t.equal(older?.fault, 'is of another version')
})
