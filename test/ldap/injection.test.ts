import t from 'tap'
import { isRefusal } from '#src/errors.ts'
import { collect, person, startTestDirectory } from './support.ts'

const { users, groups, ldap, ...test } = await startTestDirectory()
t.teardown(() => test[Symbol.asyncDispose]())
const alice = await users.create(person({ uid: 'alice', givenName: 'Alice', mobile: '+4917' }))
await users.create(person({ uid: 'bob' }))
await groups.create({ cn: 'staff', member: alice.dn, owner: alice.dn })
const before = await collect(users.list())

const hostile = [
  '*',
  'a*',
  'alice)(uid=*',
  '*)(objectClass=*',
  'alice)(|(uid=*',
  '\\2a',
  '\\61lice',
  'alice\\00',
  'alice\0',
  'alice\u0000)(uid=*',
  'alice,ou=people',
  'alice,ou=services',
  'alice+cn=x',
  'x,ou=people,dc=example,dc=org',
  '=alice',
  '#616c696365',
  '"alice"',
  'alice;dn',
  '<alice>',
  'alice\r\nuserPassword: x',
  '()',
  '(&)',
  '\u{10ffff}',
  'а\u200dlice',
]

t.test('metacharacters and NUL in a uid, mail or search find nobody else', async (t) => {
  for (const name of hostile) {
    const label = JSON.stringify(name)
    t.equal(await users.find(name), undefined, label)
    t.equal(await users.findByLogin(name), undefined, label)
    t.same(await users.exists([name]), new Set(), label)
    t.same(await collect(users.list({ q: name })), [], label)
    t.same((await users.page({ q: name, limit: 10 })).entries, [], label)
    t.same(await users.findByDns([name]), [], label)
  }
})

t.test('metacharacters and NUL in a uid change, lock and delete nobody', async (t) => {
  for (const name of hostile) {
    const label = JSON.stringify(name)
    t.equal(await users.update(name, { sn: 'Changed' }), undefined, label)
    t.equal(await users.setActive(name, false), undefined, label)
    t.equal(await users.setPassword(name, 'a new password', { mustChange: false }), false, label)
    t.equal(await users.remove(name), false, label)
  }
  t.same(await collect(users.list()), before)
  t.ok(await users.verifyPassword(alice, 'password of alice'))
})

t.test('an account made with such a name has that name and no other place', async (t) => {
  for (const name of hostile) {
    const made = await users
      .create(person({ uid: name, mail: `m${hostile.indexOf(name)}@example.org` }))
      .catch((error) => {
        if (!isRefusal(error, 'InvalidInput')) throw error
      })
    if (!made) continue
    t.equal(made.uid, name)
    t.match(made.dn.toLowerCase(), new RegExp(`^[^=]+=.*,ou=people,${ldap.base}$`, 's'))
    t.equal((await users.find(name))?.dn, made.dn, JSON.stringify(name))
    t.equal(await users.remove(name), true)
  }
  t.same(await collect(users.list()), before)
})

t.test('metacharacters and NUL in a group name or member reach no other group', async (t) => {
  for (const name of [...hostile, 's*', 'staff)(cn=*', 'staff,ou=groups', 'staff\0']) {
    const label = JSON.stringify(name)
    t.equal(await groups.find(name), undefined, label)
    t.equal(await groups.addMember(name, alice.dn), false, label)
    t.equal(await groups.remove(name), false, label)
    t.equal(await groups.isOwner(alice.dn, name), false, label)
    t.equal(await groups.isEffectiveMember(alice.dn, name), false, label)
    t.same(await groups.effectiveGroupsOf(`uid=${name}`).catch(() => []), [], label)
    t.same(await collect(groups.list({ memberDn: name })).catch(() => []), [], label)
  }
  t.match(await groups.find('staff'), { member: [alice.dn], owner: [alice.dn] })
})

t.test('values with metacharacters come back as they were given', async (t) => {
  for (const sn of ['O)(uid=*', 'Back\\slash', ' Müller, "Jr." +1 ', '*', '名字']) {
    const fields = sn.trim()
    t.match(await users.update('bob', { sn: fields }), { uid: 'bob', sn: fields })
    t.match(await users.find('bob'), { sn: fields })
  }
})
