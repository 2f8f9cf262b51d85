import { Attribute, Change } from 'ldapts'
import t from 'tap'
import { bareClient, collect, counted, person, startTestDirectory } from './support.ts'

const { users, groups, ldap, trips, changes, ...test } = await startTestDirectory({ groups__graph: 'false' })
t.teardown(() => test[Symbol.asyncDispose]())
const ann = await users.create(person({ uid: 'ann' }))
const ben = await users.create(person({ uid: 'ben' }))
const cat = await users.create(person({ uid: 'cat' }))
const dnOf = (cn: string) => `cn=${cn},ou=groups,${ldap.base}`
const names = (found: { cn: string }[]) => found.map(({ cn }) => cn).sort()

t.test('a group is made with its first member and owner, visible to Linux hosts', async (t) => {
  changes.length = 0
  const { value, sent } = await counted(trips, () =>
    groups.create({ cn: 'Developers', description: 'Who writes it', member: ann.dn, owner: ann.dn }),
  )
  t.same(sent, ['search', 'modify', 'add'])
  t.same(changes, [{ group: 'Developers' }])
  t.match(value, {
    cn: 'Developers',
    dn: dnOf('Developers'),
    description: 'Who writes it',
    member: [ann.dn],
    owner: [ann.dn],
  })
  t.same(await groups.find('developers'), value)
  t.ok((value.gidNumber as number) >= 10000)
  await t.rejects(groups.create({ cn: 'DEVELOPERS', member: ben.dn, owner: ben.dn }), {
    name: 'AlreadyExists',
  })
  t.equal(await groups.find('nothing'), undefined)
})

t.test('adding a member who is one is AlreadyMember, removing one who is none is NotFound', async (t) => {
  const { value, sent } = await counted(trips, () => groups.addMember('developers', ben.dn))
  t.same([value, sent], [true, ['modify']])
  await t.rejects(groups.addMember('Developers', ben.dn.toUpperCase()), { name: 'AlreadyMember' })
  await t.rejects(groups.removeMember('Developers', cat.dn), { name: 'NotFound' })
  t.equal(await groups.addMember('nothing', ben.dn), false)
  t.equal(await groups.removeMember('nothing', ben.dn), false)
  t.equal(await groups.removeMember('Developers', ben.dn), true)
})

t.test('removing the last member is LastMember', async (t) => {
  await t.rejects(groups.removeMember('Developers', ann.dn), { name: 'LastMember' })
  t.match(await groups.find('Developers'), { member: [ann.dn] })
})

t.test('owners come and go; ownership is not transitive', async (t) => {
  t.equal(await groups.addOwner('Developers', ben.dn), true)
  await t.rejects(groups.addOwner('Developers', ben.dn), { name: 'AlreadyOwner' })
  const { value, sent } = await counted(trips, () => groups.isOwner(ben.dn, 'developers'))
  t.same([value, sent], [true, ['compare']])
  t.equal(await groups.isOwner(cat.dn, 'Developers'), false)
  t.equal(await groups.removeOwner('Developers', ben.dn), true)
  await t.rejects(groups.removeOwner('Developers', ben.dn), { name: 'NotFound' })
  t.equal(await groups.removeOwner('Developers', ann.dn), true, 'a group may have no owner')
  t.match(await groups.find('Developers'), { owner: [] })
})

t.test('effective membership goes through every level, and ends in loops', async (t) => {
  await groups.create({ cn: 'level1', member: ann.dn, owner: ann.dn })
  await groups.create({ cn: 'level2', member: dnOf('level1'), owner: ann.dn })
  await groups.create({ cn: 'level3', member: dnOf('level2'), owner: ann.dn })
  await groups.addMember('level3', cat.dn)
  await groups.addMember('level1', dnOf('level3'))
  t.same(names(await groups.namesOf(ann.dn)), ['Developers', 'level1'])
  const { value, sent } = await counted(trips, () => groups.effectiveGroupsOf(ann.dn))
  t.same(names(value), ['Developers', 'level1', 'level2', 'level3'])
  t.same(
    sent,
    ['search', 'search', 'search', 'search'],
    'a round trip for each level and one that finds nothing new',
  )
  t.same(names(await groups.ancestorsOf(dnOf('level2'))), ['level1', 'level2', 'level3'])
  t.equal(await groups.isEffectiveMember(ann.dn, 'level3'), true)
  t.equal(await groups.isEffectiveMember(ben.dn, 'level3'), false)
  const direct = await counted(trips, () => groups.isEffectiveMember(cat.dn, 'LEVEL3'))
  t.same([direct.value, direct.sent], [true, ['compare']])
})

t.test(
  'who is in a small group is asked from the group down: two round trips where nothing is nested',
  async (t) => {
    const small = { small: true }
    t.equal(await groups.isEffectiveMember(ann.dn, 'level3', small), true, 'through two levels and a loop')
    t.equal(await groups.isEffectiveMember(ben.dn, 'level3', small), false)
    t.equal(await groups.isEffectiveMember(ben.dn, 'nothing', small), false)
    const listed = await counted(trips, () => groups.isEffectiveMember(cat.dn, 'LEVEL3', small))
    t.same([listed.value, listed.sent], [true, ['compare']])
    await groups.create({ cn: 'flat', member: ann.dn, owner: ann.dn })
    const refused = await counted(trips, () => groups.isEffectiveMember(cat.dn, 'flat', small))
    t.same([refused.value, refused.sent], [false, ['compare', 'search']])
  },
)

t.test('the effective members of a group, each once, with a shortest chain', async (t) => {
  const found = await groups.effectiveMembersOf('level3')
  t.same(found?.direct, [cat.dn])
  t.same(names(found?.nestedGroups ?? []), ['level1', 'level2'])
  t.same(found?.effective, [cat.dn, ann.dn])
  t.same(found?.via.get(ann.dn), ['level3', 'level2', 'level1'])
  t.same((await groups.effectiveMembersOf('level3', { member: ann.dn }))?.effective, [cat.dn])
  t.same(
    (await groups.effectiveMembersOf('level3', { member: ann.dn, group: dnOf('Developers') }))?.effective
      .length,
    2,
  )
  t.equal(await groups.effectiveMembersOf('nothing'), undefined)
})

t.test('hundreds of groups in one level are asked for in parts', async (t) => {
  const client = await bareClient(ldap)
  for (let n = 0; n < 120; n++)
    await client.add(dnOf(`wide${n}`), { objectClass: 'groupOfNames', cn: `wide${n}`, member: ben.dn })
  await client.add(dnOf('roof'), {
    objectClass: 'groupOfNames',
    cn: 'roof',
    member: Array.from({ length: 120 }, (_, n) => dnOf(`wide${n}`)),
  })
  await client.unbind()
  t.equal((await groups.effectiveGroupsOf(ben.dn)).length, 121)
  const roof = await groups.effectiveMembersOf('roof')
  t.equal(roof?.nestedGroups.length, 120)
  t.same(roof?.effective, [ben.dn])
})

t.test('a group that is the only member of another cannot be deleted: LastMember', async (t) => {
  await t.rejects(groups.remove('level1'), { name: 'LastMember' })
  t.ok(await groups.find('level1'))
  t.equal(await groups.removeMember('level1', dnOf('level3')), true)
  t.equal(await groups.remove('level3'), true)
  t.equal(await groups.remove('level3'), false)
  t.same(names(await groups.namesOf(cat.dn)), [])
})

t.test('a deleted user leaves all groups; where it was the only member nobody shows', async (t) => {
  await groups.addMember('level1', ben.dn)
  await groups.create({ cn: 'alone', member: ben.dn, owner: ben.dn })
  const { sent } = await counted(trips, () => users.remove('ben'))
  t.same(sent.slice(sent.indexOf('delete')), ['delete', 'search'], 'and looks once more whether that is so')
  t.match(await groups.find('alone'), { member: [], owner: [] })
  t.same((await groups.effectiveMembersOf('alone'))?.effective, [])
  t.match(await groups.find('level1'), { member: [ann.dn] })
  t.same(await groups.effectiveGroupsOf(ben.dn), [])
  t.notOk((await collect(groups.list({ memberDn: ben.dn }))).length)
})

t.test(
  'the hidden placeholder is no last member, cannot be removed, and goes when it is not needed',
  async (t) => {
    const placeholder = `cn=nobody,ou=services,${ldap.base}`
    await t.rejects(groups.removeMember('alone', placeholder), { name: 'NotFound' })
    await groups.addMember('alone', cat.dn)
    await t.rejects(groups.removeMember('alone', cat.dn), { name: 'LastMember' })
    await groups.addMember('alone', ann.dn)
    t.equal(await groups.removeMember('alone', cat.dn), true)
    const client = await bareClient(ldap)
    const [entry] = (await client.search(dnOf('alone'), { scope: 'base', attributes: ['member'] }))
      .searchEntries
    await client.unbind()
    t.equal(entry?.member, ann.dn)
  },
)

t.test('members that others wrote, in whatever spelling, are the same members', async (t) => {
  const client = await bareClient(ldap)
  const odd = `UID=CAT , OU=People,${ldap.base.toUpperCase()}`
  await client.modify(
    dnOf('alone'),
    new Change({ operation: 'add', modification: new Attribute({ type: 'member', values: [odd] }) }),
  )
  await client.unbind()
  t.equal(await groups.isEffectiveMember(cat.dn, 'alone'), true)
  t.same(names(await groups.namesOf(cat.dn)), ['alone'])
  t.equal((await groups.effectiveMembersOf('alone'))?.effective.length, 2)
})
