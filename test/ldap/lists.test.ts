import t from 'tap'
import type { PeopleQuery } from '#adapters/ldap/user.ts'
import { bareClient, collect, counted, openOn, startTestDirectory } from './support.ts'

const { users, groups, ldap, trips, ...test } = await startTestDirectory()
t.teardown(() => test[Symbol.asyncDispose]())

/** As others would fill it: numbers with gaps and in no order, several people a second. */
const people = 2000
const numberOf = (n: number) => 20_000 + ((n * 7919) % people) * (n % 3 === 0 ? 40 : 1) + (n % 3) * 200_000
const client = await bareClient(ldap)
const uids: string[] = []
for (let n = 0; n < people; n++) uids.push(`p${String(n).padStart(4, '0')}`)
const addOne = (uid: string, n: number) =>
  client.add(`uid=${uid},ou=people,${ldap.base}`, {
    objectClass: ['inetOrgPerson', 'posixAccount'],
    ...{
      uid,
      cn: `Given${n} Family${n % 50}`,
      givenName: `Given${n}`,
      sn: `Family${n % 50}`,
      mail: `${uid}@example.org`,
    },
    ...{ uidNumber: String(numberOf(n)), gidNumber: String(numberOf(n)), homeDirectory: `/home/${uid}` },
  })
for (let n = 0; n < people; n += 50)
  await Promise.all(uids.slice(n, n + 50).map((uid, i) => addOne(uid, n + i)))
await client.unbind()
t.equal(new Set(uids.map((_, n) => numberOf(n))).size, people)

/** All pages, each checked against its limit. */
async function pages(query: PeopleQuery, limit: number): Promise<string[]> {
  const found: string[] = []
  let after: number | string | undefined
  do {
    const page = await users.page({ ...query, limit, after })
    if (page.entries.length > limit || (page.next !== undefined && page.entries.length < limit))
      throw new Error(`a page of ${page.entries.length}`)
    found.push(...page.entries.map(({ uid }) => uid))
    after = page.next
  } while (after !== undefined)
  return found
}

t.test('everybody is streamed, in pages, each once', async (t) => {
  const { value, sent } = await counted(trips, () => collect(users.list()))
  t.same(value.map(({ uid }) => uid).sort(), uids)
  t.same(sent, ['bind', 'search', 'search', 'search', 'search'], 'on a connection of its own, 500 at a time')
  t.equal(await users.count(), people)
})

t.test('a listing that nobody reads to its end holds up no other', async (t) => {
  for (let n = 0; n < 6; n++) {
    for await (const { uid } of users.list()) {
      t.ok(uid)
      break
    }
  }
  const waiting = Array.from({ length: 8 }, () => users.list())
  for (const list of waiting.slice(0, 1)) await list.next()
  t.equal((await collect(users.list({ q: 'p000' }))).length, 10)
  for (const list of waiting) await list.return(undefined)
})

t.test('people page by uidNumber, in order, each once', async (t) => {
  const byNumber = uids.map((uid, n) => ({ uid, number: numberOf(n) })).sort((a, b) => a.number - b.number)
  const found = await pages({ sort: 'uidNumber' }, 300)
  t.same(
    found,
    byNumber.map(({ uid }) => uid),
  )
  const { sent } = await counted(trips, () => users.page({ sort: 'uidNumber', limit: 20 }))
  t.ok(sent.length <= 8, `${sent.length} searches for a page`)
})

t.test('people page by createTimestamp, in order, each once', async (t) => {
  const found = await pages({ sort: 'createTimestamp' }, 170)
  t.same([...found].sort(), uids)
})

t.test('people who join or leave between two pages disturb no other', async (t) => {
  const first = await users.page({ sort: 'uidNumber', limit: 100 })
  const gone = first.entries.at(-1)
  await users.remove(gone?.uid as string)
  const rest = await users.page({ sort: 'uidNumber', limit: 100, after: first.next })
  t.equal(rest.entries.length, 100)
  t.notOk(rest.entries.some(({ uid }) => first.entries.some((entry) => entry.uid === uid)))
  uids.splice(uids.indexOf(gone?.uid as string), 1)
})

t.test('the directory sorts by uid, sn or mail', async (t) => {
  t.same(await pages({ sort: 'uid' }, 450), uids)
  t.same(await pages({ sort: 'mail' }, 900), uids)
  const sn = await users.page({ sort: 'sn', limit: 50 })
  t.same(new Set(sn.entries.map((entry) => entry.sn)), new Set(['Family0', 'Family1']))
  const more = await users.page({ sort: 'sn', limit: 50, after: sn.next })
  t.same(new Set([...sn.entries, ...more.entries].map(({ uid }) => uid)).size, 100)
  t.same(
    (await collect(users.list({ sort: 'uid' }))).map(({ uid }) => uid),
    uids,
  )
})

t.test('one or two characters match beginnings, longer ones anywhere, in uid, mail and names', async (t) => {
  const find = async (q: string) => (await collect(users.list({ q }))).map(({ uid }) => uid).sort()
  t.same(await find('p1234'), ['p1234'])
  t.same(await find('234@'), ['p0234', 'p1234'])
  t.same(
    await find('amily49'),
    uids.filter((uid) => Number(uid.slice(1)) % 50 === 49),
  )
  t.same(await find('GIVEN1999'), ['p1999'])
  t.equal((await find('p1')).length, uids.filter((uid) => uid.startsWith('p1')).length)
  t.same(await find('19'), [], 'nothing begins with it')
  t.same(await pages({ q: 'amily49' }, 7).then((found) => found.sort()), await find('amily49'))
})

t.test('groups are listed, searched and paged', async (t) => {
  const owner = `uid=p0001,ou=people,${ldap.base}`
  for (let n = 0; n < 25; n++)
    await groups.create({ cn: `group ${n}`, description: n % 5 ? '' : 'every fifth', member: owner, owner })
  t.equal((await collect(groups.list())).length, 25)
  t.equal((await collect(groups.list({ q: 'fifth' }))).length, 5)
  t.equal((await collect(groups.list({ memberDn: owner }))).length, 25)
  t.equal((await collect(groups.list({ memberDn: ldap.bindDN }))).length, 0)
  const found: string[] = []
  let after: number | string | undefined
  do {
    const page = await groups.page({ limit: 10, after })
    found.push(...page.entries.map(({ cn }) => cn))
    after = page.next
  } while (after !== undefined)
  t.equal(new Set(found).size, 25)
  t.equal(await groups.count(), 25)
})

t.test('where somebody has no uidNumber, people page by createTimestamp', async (t) => {
  const client = await bareClient(ldap)
  await client.add(`uid=plain,ou=people,${ldap.base}`, {
    objectClass: 'inetOrgPerson',
    uid: 'plain',
    cn: 'Plain',
    sn: 'Plain',
  })
  await client.unbind()
  await using pod = await openOn(ldap)
  await pod.prepare()
  t.notOk(pod.capabilities.find(({ feature }) => feature === 'everybody has a uidNumber')?.available)
  const seen: string[] = []
  let after: number | string | undefined
  do {
    const page = await pod.users.page({ limit: 500, after })
    seen.push(...page.entries.map(({ uid }) => uid))
    after = page.next
  } while (after !== undefined)
  t.same(seen.sort(), [...uids, 'plain'].sort())
  t.notHas(await pod.users.find('plain'), 'uidNumber')
})
