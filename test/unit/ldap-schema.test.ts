import t from 'tap'
import { parseSchema } from '#adapters/ldap/schema.ts'
import { formatTime, parseTime } from '#adapters/ldap/time.ts'

t.test('classes are read with their kind and what they require', async (t) => {
  const { classes } = parseSchema(
    [
      "( 2.5.6.9 NAME 'groupOfNames' DESC 'RFC2256: a group of names (DNs) MUST AUXILIARY' SUP top STRUCTURAL MUST ( member $ cn ) MAY ( businessCategory $ owner ) )",
      "( 1.3.6.1.1.1.2.2 NAME ( 'posixGroup' 'pGroup' ) SUP top AUXILIARY MUST gidNumber MAY ( memberUid ) )",
      "( 1.2.3 NAME 'bare' )",
    ],
    [],
  )
  t.match(classes.get('groupofnames'), { name: 'groupOfNames', kind: 'STRUCTURAL' })
  t.same(classes.get('groupofnames')?.must, new Set(['member', 'cn']))
  t.match(classes.get('pgroup'), { kind: 'AUXILIARY' })
  t.same(classes.get('posixgroup')?.must, new Set(['gidnumber']))
  t.same(classes.get('bare')?.must, new Set())
})

t.test('attributes are known by all their names', async (t) => {
  const { attributes } = parseSchema(
    [],
    [
      "( 0.9.2342.19200300.100.1.3 NAME ( 'mail' 'rfc822Mailbox' ) EQUALITY caseIgnoreIA5Match )",
      "( 1.3 NAME 'sshPublicKey' DESC 'NAME of a key' )",
    ],
  )
  t.same(attributes, new Set(['mail', 'rfc822mailbox', 'sshpublickey']))
})

t.test('generalized times are read and written', async (t) => {
  t.equal(formatTime(parseTime('20260102030405Z')), '20260102030405Z')
  t.equal(parseTime('19700101000000Z'), 0)
  t.equal(parseTime('197001010001Z'), 60)
  t.equal(parseTime('20260102030405.123Z'), parseTime('20260102030405Z'))
  t.ok(Number.isNaN(parseTime('today')))
})
