import { Attribute, Change } from 'ldapts'
import t from 'tap'
import { bareClient, person, startTestDirectory } from './support.ts'

const { users, groups, directory, ldap, ...test } = await startTestDirectory()
t.teardown(() => test[Symbol.asyncDispose]())
const user = (uid: string) => `uid=${uid},ou=people,${ldap.base}`

t.test('our own writes show at once while sixteen other programs write', async (t) => {
  const { dn } = await users.create(person())
  await groups.create({ cn: 'own', member: user('other'), owner: dn })
  let stopped = false
  const writing = Array.from({ length: 16 }, async (_, w) => {
    const writer = await bareClient(ldap)
    const busy = `cn=busy${w},ou=groups,${ldap.base}`
    await writer.add(busy, { objectClass: 'groupOfNames', cn: `busy${w}`, member: user('other') })
    for (let n = 0; !stopped; n++) {
      const modification = new Attribute({ type: 'member', values: [user(`${w}-${n}`)] })
      await writer.modify(busy, new Change({ operation: 'replace', modification }))
    }
    await writer.unbind()
  })
  let stale = 0
  for (let n = 0; n < 300; n++) {
    await groups.addMember('own', dn)
    if ((await groups.effectiveGroupsOf(dn)).length !== 1) stale += 1
    await groups.removeMember('own', dn)
    if ((await groups.effectiveGroupsOf(dn)).length !== 0) stale += 1
  }
  stopped = true
  await Promise.all(writing)
  t.equal(stale, 0)
  t.ok(directory.graphIsLive, 'memory answered')
})
