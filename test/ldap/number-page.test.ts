import t from 'tap'
import { bareClient, counted, startTestDirectory } from './support.ts'

const { users, ldap, trips, ...test } = await startTestDirectory()
t.teardown(() => test[Symbol.asyncDispose]())

/** As a counter fills it, with holes of the deleted, and as an older system had it before: two runs and a straggler. */
const numbers = [
  ...Array.from({ length: 150 }, (_, n) => 2000 + n),
  ...Array.from({ length: 400 }, (_, n) => 60_000 + n).filter((number) => number % 7 !== 0),
  1_000_000,
]
const client = await bareClient(ldap)
for (const number of numbers)
  await client.add(`uid=n${number},ou=people,${ldap.base}`, {
    ...{ objectClass: ['inetOrgPerson', 'posixAccount'], uid: `n${number}`, cn: 'x', sn: 'x' },
    ...{ uidNumber: String(number), gidNumber: String(number), homeDirectory: '/' },
  })
t.teardown(() => client.unbind())

async function pages(limit: number): Promise<number[]> {
  const found: number[] = []
  let after: number | string | undefined
  do {
    const page = await users.page({ sort: 'uidNumber', limit, after })
    found.push(...page.entries.map(({ uidNumber }) => uidNumber ?? 0))
    after = page.next
  } while (after !== undefined)
  return found
}

t.test('pages by number hold everybody once and in order, across gaps', async (t) => {
  for (const limit of [1, 10, 99, 100, 101, 1000])
    if (limit > 1) t.same(await pages(limit), numbers, `by ${limit}`)
  t.equal((await users.page({ sort: 'uidNumber', limit: 1 })).entries[0]?.uidNumber, 2000)
})

t.test('a page costs the same few searches wherever it lies', async (t) => {
  const first = await counted(trips, () => users.page({ sort: 'uidNumber', limit: 20 }))
  t.ok(first.sent.length <= 2, `${first.sent.length} for the first page`)
  const within = await counted(trips, () => users.page({ sort: 'uidNumber', limit: 20, after: 60_100 }))
  t.equal(within.value.entries.length, 20)
  t.equal(within.sent.length, 1)
  const leap = await counted(trips, () => users.page({ sort: 'uidNumber', limit: 20, after: 2149 }))
  t.equal(leap.value.entries[0]?.uidNumber, 60_000)
  t.ok(leap.sent.length <= 3, `${leap.sent.length} across a gap`)
  const last = await counted(trips, () => users.page({ sort: 'uidNumber', limit: 20, after: 60_398 }))
  t.same(
    last.value.entries.map(({ uidNumber }) => uidNumber),
    [60_399, 1_000_000].filter((number) => numbers.includes(number)),
  )
  t.equal(last.value.next, undefined)
})

t.test('who joins is on the last page at once, and who is made after the end', async (t) => {
  const before = await pages(100)
  const made = await users.create({ uid: 'joiner', givenName: 'J', sn: 'J', mail: 'joiner@example.org' })
  await client.add(`uid=beyond,ou=people,${ldap.base}`, {
    ...{ objectClass: ['inetOrgPerson', 'posixAccount'], uid: 'beyond', cn: 'x', sn: 'x' },
    ...{ uidNumber: '1000001', gidNumber: '1000001', homeDirectory: '/' },
  })
  t.equal(made.uidNumber, 10_000, 'in the gap, where the counter stands')
  t.same(
    (await pages(100)).filter((number) => !before.includes(number)),
    [10_000, 1_000_001],
  )
})
