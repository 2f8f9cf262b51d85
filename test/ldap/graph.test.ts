import { setTimeout as pause } from 'node:timers/promises'
import { Attribute, Change } from 'ldapts'
import type { Test } from 'tap'
import t from 'tap'
import type { Directory } from '#adapters/ldap/directory.ts'
import { randomFrom } from '#test/support/random.ts'
import { chains, forgotten, membersOf, settled, standStill, untilAnswered } from './graph-support.ts'
import { bareClient, counted, openOn, person, startTestDirectory } from './support.ts'

const { users, groups, directory, ldap, trips, ...test } = await startTestDirectory()
t.teardown(() => test[Symbol.asyncDispose]())
const plain = await openOn(ldap, { groups__graph: 'false' })
t.teardown(() => plain[Symbol.asyncDispose]())

let client = await bareClient(ldap)
t.teardown(() => client.unbind())
const group = (cn: string) => `cn=${cn},ou=groups,${ldap.base}`
const user = (uid: string) => `uid=${uid},ou=people,${ldap.base}`
const names = (found: { cn: string }[]) => found.map(({ cn }) => cn).sort()

/** What other programs do to groups. */
const other = {
  add: (cn: string, ...members: string[]) =>
    client.add(group(cn), { objectClass: 'groupOfNames', cn, member: members }),
  join: (cn: string, ...members: string[]) => change(cn, 'add', members),
  leave: (cn: string, ...members: string[]) => change(cn, 'delete', members),
  replace: (cn: string, ...members: string[]) => change(cn, 'replace', members),
  newUser: (uid: string) =>
    client.add(user(uid), { objectClass: 'inetOrgPerson', uid, cn: uid, sn: uid, givenName: uid }),
}

function change(cn: string, operation: 'add' | 'delete' | 'replace', values: string[]) {
  const modification = new Attribute({ type: 'member', values })
  return client.modify(group(cn), new Change({ operation, modification }))
}

async function live(of: Directory = directory): Promise<void> {
  for (let tries = 0; !of.graphIsLive && tries < 400; tries++) {
    // Whoever asks wakes it.
    await of.groups.effectiveGroupsOf(user('nobody')).catch(() => {})
    await pause(25)
  }
  if (!of.graphIsLive) throw new Error('the graph did not come to life')
}

/** Longer than anybody waits for the feed (sync/feed.ts): searches answer then, and until it has answered. */
const lateMilliseconds = 250

/** The groups of somebody, from memory: at once, and as searches find them. */
async function groupsOf(t: Test, dn: string, { asked = false } = {}): Promise<string[]> {
  const ask = () => counted(trips, () => groups.effectiveGroupsOf(dn))
  const began = performance.now()
  let { value, sent } = await ask()
  if (performance.now() - began >= lateMilliseconds)
    await settled(async () => {
      ;({ value, sent } = await ask())
      return asked || sent.length === 1
    })
  if (!asked) t.same(sent, ['search'], 'one round trip')
  const found = await plain.groups.effectiveGroupsOf(dn)
  t.same(value.map(({ dn }) => dn).sort(), found.map(({ dn }) => dn).sort(), 'searches find the same')
  return names(value)
}

await other.newUser('ann')
await other.newUser('ben')
await live()

t.test('groups that others make, change, nest, rename and delete show at the next question', async (t) => {
  await other.add('low', user('ann'))
  t.same(await groupsOf(t, user('ann')), ['low'])
  await other.add('mid', group('low'))
  await other.add('top', group('mid'))
  t.same(await groupsOf(t, user('ann')), ['low', 'mid', 'top'])
  await other.join('mid', user('ben'))
  t.same(await groupsOf(t, user('ben')), ['mid', 'top'])
  await other.leave('mid', user('ben'))
  t.same(await groupsOf(t, user('ben')), [])
  await other.join('low', group('top'))
  t.same(await groupsOf(t, user('ann')), ['low', 'mid', 'top'], 'a loop')
  t.same(await groupsOf(t, group('mid')), ['low', 'mid', 'top'])
  await other.replace('top', user('ben'))
  t.same(await groupsOf(t, user('ann')), ['low', 'mid'])
  await client.modifyDN(group('mid'), 'cn=middle')
  t.same(await groupsOf(t, user('ann'), { asked: true }), ['low', 'middle'])
  await client.del(group('low'))
  t.same(await groupsOf(t, user('ann')), [])
  await forgotten(client, ldap.base, group('low'))
})

t.test('what refint rewrites without telling the feed is not believed', async (t) => {
  await other.add('child', user('ann'))
  await other.add('parent', group('child'), user('ben'))
  t.same(await groupsOf(t, user('ann')), ['child', 'parent'])
  await client.modifyDN(group('child'), 'cn=infant')
  await settled(async () => (await membersOf(client, group('parent'))).includes(group('infant')))
  t.same(await groupsOf(t, user('ann'), { asked: true }), ['infant', 'parent'])
  t.same((await groups.effectiveMembersOf('parent'))?.effective.sort(), [user('ann'), user('ben')])

  await client.modifyDN(user('ann'), 'uid=anna')
  await settled(async () => (await membersOf(client, group('infant'))).includes(user('anna')))
  t.same(await groupsOf(t, user('anna'), { asked: true }), ['infant', 'parent'])

  await client.del(user('ben'))
  await forgotten(client, ldap.base, user('ben'))
  await other.newUser('ben')
  t.same(await groupsOf(t, user('ben'), { asked: true }), [], 'a new person of an old name has nothing')
  await client.del(group('infant'))
  await forgotten(client, ldap.base, group('infant'))
  await other.add('infant', user('ben'))
  t.same(await groupsOf(t, user('ben'), { asked: true }), ['infant'], 'nor a new group')
})

t.test('a group below an entry that is renamed is asked for: the feed says nothing of it', async (t) => {
  const below = (ou: string) => `ou=${ou},${group('').replace('cn=,', '')}`
  await other.newUser('zoe')
  await client.add(below('old'), { objectClass: 'organizationalUnit', ou: 'old' })
  const member = [user('zoe'), group('above')]
  await client.add(`cn=deep,${below('old')}`, { objectClass: 'groupOfNames', cn: 'deep', member })
  t.same(await groupsOf(t, user('zoe'), { asked: true }), ['deep'])
  await client.modifyDN(below('old'), 'ou=new')
  t.same(await groupsOf(t, user('zoe'), { asked: true }), ['deep'])
  await client.del(`cn=deep,${below('new')}`)
})

t.test('our own writes show at once on every pod', async (t) => {
  await using pod = await test.open()
  await live(pod)
  const { dn } = await users.create(person({ uid: 'eve' }))
  for (let n = 0; n < 40; n++) {
    await groups.create({ cn: `own${n}`, member: dn, owner: dn })
    t.equal((await pod.groups.effectiveGroupsOf(dn)).length, n + 1)
    t.equal(await groups.isEffectiveMember(dn, `own${n}`), true)
  }
  for (let n = 0; n < 40; n++) {
    t.equal(await groups.remove(`own${n}`), true)
    t.equal(await pod.groups.isEffectiveMember(dn, `own${n}`), false)
  }
  t.same(await groupsOf(t, dn, { asked: true }), [])
})

t.test('writes beside each other show as soon as they are answered, or within a second', async (t) => {
  const writers = await Promise.all(Array.from({ length: 6 }, () => bareClient(ldap)))
  await other.add('busy', user('ben'))
  await Promise.all(
    writers.map(async (writer, w) => {
      for (let n = 0; n < 40; n++) {
        const member = user(`w${w}-${n}`)
        const modification = new Attribute({ type: 'member', values: [member] })
        await writer.modify(group('busy'), new Change({ operation: 'add', modification }))
        await settled(async () => names(await groups.effectiveGroupsOf(member)).includes('busy'), 1000)
      }
    }),
  )
  for (const writer of writers) await writer.unbind()
  t.ok(directory.graphIsLive)
  await client.del(group('busy'))
})

t.test('random changes: memory and searches say the same after each of them', async (t) => {
  const random = randomFrom(20_261_121)
  const people = Array.from({ length: 8 }, (_, n) => `p${n}`)
  for (const uid of people) await other.newUser(uid)
  const there = new Set<string>()
  for (let step = 0; step < 80; step++) {
    const cn = `r${random(12)}`
    const member = random(2) ? user(people[random(8)] as string) : group(`r${random(12)}`)
    const act = random(10)
    if (!there.has(cn)) {
      await other.add(cn, member)
      there.add(cn)
    } else if (act === 0) {
      await client.del(group(cn))
      there.delete(cn)
    } else if (act === 1 && !there.has(`r${step % 12}`)) {
      await client.modifyDN(group(cn), `cn=r${step % 12}`)
      there.delete(cn)
      there.add(`r${step % 12}`)
    } else
      await other
        .join(cn, member)
        .catch(() => other.leave(cn, member))
        .catch(() => {})
    await settled(async () => {
      for (const dn of [...people.map(user), ...[...there].map(group)]) {
        const [memory, found] = await Promise.all(
          [groups, plain.groups].map((of) => of.effectiveGroupsOf(dn)),
        )
        if (names(memory as []).join() !== names(found as []).join()) return false
      }
      for (const name of there) {
        const [memory, found] = await Promise.all(
          [groups, plain.groups].map((of) => of.effectiveMembersOf(name)),
        )
        const text = (of: typeof memory) =>
          JSON.stringify([
            of?.direct,
            names(of?.nestedGroups ?? []),
            of?.effective.toSorted(),
            chains(of?.via),
          ])
        if (text(memory) !== text(found)) return false
      }
      return true
    }, 1000)
  }
  t.ok(directory.graphIsLive, 'it was memory that answered')
})

t.test(
  'after a restart, a kill and a standstill of slapd nothing old is told, and memory answers again',
  async (t) => {
    const again = async () => {
      await client.unbind().catch(() => {})
      client = await bareClient(ldap)
    }
    await other.add('during', user('ben'))
    for (const stop of [() => ldap.stop(), () => ldap.kill()]) {
      t.ok((await groupsOf(t, user('ben'), { asked: true })).includes('during'))
      await stop()
      await t.rejects(groups.effectiveGroupsOf(user('ben')), { name: 'UpstreamFailure' })
      await ldap.start()
      await again()
      await other.leave('during', user('ben')).catch(() => other.replace('during', user('p1')))
      const first = await untilAnswered(() => groups.effectiveGroupsOf(user('ben')))
      t.notOk(names(first).includes('during'))
      await live()
      t.notOk((await groupsOf(t, user('ben'))).includes('during'))
      await other.join('during', user('ben'))
    }
    await standStill(ldap.pid)
    const silent = groups.effectiveGroupsOf(user('ben')).then(
      () => 'an answer',
      ({ name }) => name,
    )
    t.equal(await silent, 'UpstreamFailure', 'a silent server is no answer from memory')
    process.kill(ldap.pid, 'SIGCONT')
    await again()
    await other.replace('during', user('p2'))
    t.notOk(names(await untilAnswered(() => groups.effectiveGroupsOf(user('ben')))).includes('during'))
    await live()
    t.notOk((await groupsOf(t, user('ben'))).includes('during'))
  },
)
