import { setTimeout as pause } from 'node:timers/promises'
import t from 'tap'
import { membersOf, settled } from './graph-support.ts'
import { bareClient, openOn, startTestDirectory } from './support.ts'

const { groups, directory, ldap, ...opened } = await startTestDirectory()
t.teardown(() => opened[Symbol.asyncDispose]())
const plain = await openOn(ldap, { groups__graph: 'false' })
t.teardown(() => plain[Symbol.asyncDispose]())
const client = await bareClient(ldap)
t.teardown(() => client.unbind())

const group = (cn: string) => `cn=${cn},ou=groups,${ldap.base}`
const user = (uid: string) => `uid=${uid},ou=people,${ldap.base}`
const newUser = (uid: string) =>
  client.add(user(uid), { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, givenName: uid })
const newGroup = (dn: string, ...member: string[]) =>
  client.add(dn, { objectClass: 'groupOfNames', cn: /=([^,]+)/.exec(dn)?.[1] as string, member })

/** Of some lists of groups everybody who is in any of them, from memory and as searches find them. */
async function people(lists: string[][]) {
  async function of(from: typeof groups) {
    const all: string[][] = []
    for await (const found of from.peopleOf(lists)) all.push(found.map((dn) => dn.toLowerCase()).sort())
    return all
  }
  return { memory: await of(groups), searched: await of(plain.groups) }
}

for (const uid of ['ann', 'ben', 'cem']) await newUser(uid)
for (let tries = 0; !directory.graphIsLive && tries < 400; tries++) {
  await groups.effectiveGroupsOf(user('ann'))
  await pause(25)
}

t.test('everybody in several groups is named once, through loops, and by each list anew', async (t) => {
  await newGroup(group('low'), user('ann'), user('ben'), group('top'))
  await newGroup(group('top'), group('low'), user('cem'))
  await newGroup(group('side'), user('ben'))
  const { memory, searched } = await people([['low', 'side'], ['side'], ['top', 'low'], [], ['side']])
  const all = ['ann', 'ben', 'cem'].map(user)
  t.same(memory, [all, [user('ben')], all, [], [user('ben')]])
  t.same(searched, memory)
})

t.test('who was renamed or deleted is told as searches find them', async (t) => {
  await client.modifyDN(user('ann'), 'uid=anna')
  await settled(async () => (await people([['low']])).searched[0]?.includes(user('anna')) ?? false)
  const renamed = await people([['low'], ['top']])
  t.same(renamed.memory, renamed.searched)
  await client.del(user('ben'))
  await settled(async () => !(await people([['low']])).searched[0]?.includes(user('ben')))
  await newUser('ben')
  const anew = await people([['low'], ['top']])
  t.same(anew.memory, anew.searched)
  t.notOk(anew.memory.flat().includes(user('ben')), 'a new person of an old name is in nothing')
})

t.test('a group below an entry that is renamed or moved away is told as searches find it', async (t) => {
  const below = (ou: string) => `ou=${ou},ou=groups,${ldap.base}`
  await client.add(below('old'), { objectClass: 'organizationalUnit', ou: 'old' })
  await newGroup(`cn=deep,${below('old')}`, user('cem'))
  await newGroup(group('over'), `cn=deep,${below('old')}`)
  const before = await people([['over']])
  t.same(before, { memory: [[user('cem')]], searched: [[user('cem')]] })
  await client.modifyDN(below('old'), 'ou=new')
  await settled(async () => (await membersOf(client, group('over'))).includes(`cn=deep,${below('new')}`))
  const after = await people([['over']])
  t.same(after.memory, after.searched)
  await client.modifyDN(below('new'), `ou=elsewhere,${ldap.base}`)
  const moved = `cn=deep,ou=elsewhere,${ldap.base}`
  await settled(async () => (await membersOf(client, group('over'))).includes(moved))
  const gone = await people([['over']])
  t.notOk(gone.searched.flat().includes(user('cem')))
  t.same(gone.memory, gone.searched, 'not of groups any more')
})
