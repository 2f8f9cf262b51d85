import t from 'tap'
import { absoluteDn, childDn, isWithin, normaliseDn, parseDn, rdn, sameDn } from '#adapters/ldap/dn.ts'

const base = 'ou=people,dc=example,dc=org'

t.test('whatever the value, it stays one value of one DN', async (t) => {
  const values = [
    'a,b',
    'a+b=c',
    '"a"',
    '#616c',
    ' a ',
    'a\\',
    'a\0',
    'a\nb',
    'ä;<>',
    '名',
    '\u{1f600}',
    ',',
    '=',
    '\\,',
    'a\\2cb',
  ]
  for (const value of values) {
    const dn = childDn('uid', value, base)
    t.match(dn, /^[\x20-\x7e\p{L}\p{N}]+$/u, JSON.stringify(value))
    const parts = parseDn(dn)
    t.same(parts?.[0], { attribute: 'uid', value })
    t.equal(parts?.length, 4)
    t.ok(isWithin(dn, base))
  }
})

t.test('plain values are written as they are', async (t) => {
  t.equal(rdn('uid', 'jane.doe-1_x'), 'uid=jane.doe-1_x')
  t.equal(rdn('cn', 'Zoë Müller'), 'cn=Zoë Müller')
})

t.test('spellings of one DN are one', async (t) => {
  const spellings = [
    'uid=Ann Lee,ou=People,dc=example,dc=org',
    'UID = ann  lee , OU=people, DC=Example,dc=ORG',
    'uid=\\41nn Lee,ou=People,dc=example,dc=org',
    'uid=ann\\20lee,ou=people,dc=example,dc=org',
  ]
  for (const dn of spellings) t.equal(normaliseDn(dn), normaliseDn(spellings[0] as string))
  t.ok(sameDn(spellings[0] as string, spellings[1] as string))
  t.notOk(sameDn('uid=a,dc=x', 'uid=a\\,dc=x'))
  t.notOk(sameDn('uid=a,dc=x', 'cn=a,dc=x'))
  t.equal(normaliseDn('uid=Plain,dc=x'), 'uid=plain,dc=x')
})

t.test('what is no DN parses to nothing', async (t) => {
  for (const text of ['alice', '=a', 'a b=c', 'uid=a,,dc=x', 'uid=a,b'])
    t.notOk(parseDn(text)?.length === text.split(',').length && parseDn(text), text)
})

t.test('a configured base is whole, or relative to the base DN', async (t) => {
  t.equal(absoluteDn('ou=people', 'dc=example,dc=org'), base)
  t.equal(absoluteDn('OU=people,dc=example, dc=org', 'dc=example,dc=org'), 'OU=people,dc=example, dc=org')
  t.equal(absoluteDn('', 'dc=example,dc=org'), 'dc=example,dc=org')
  t.notOk(isWithin('ou=otherpeople,dc=example,dc=org', base))
  t.notOk(isWithin('uid=x,ou=people,dc=example,dc=org.evil', base))
})
