import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { groupTools } from './support.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
/** Asks the directory level by level. */
const searching = await service.secondPod({ app_ldap__groups__graph: 'false' })
tap.teardown(() => searching[Symbol.asyncDispose]())
const { newUser } = service
const { admin, ask, newGroup, newOwner, read } = await groupTools(service)

type Changed = { cn: string; gain: string[]; loss: string[] }
type Preview = { results: { loop?: string[]; groups: Changed[] } }
type Around = { results: { cn: string; above: { cn: string }[]; below: { cn: string }[]; edges: object[] } }

const pods = { 'in memory': service.request, 'by searches': searching.request }
const everywhere = Object.entries(pods).map(([how, request]) => ({
  how,
  preview: async (cn: string, query: string, token = admin) =>
    (await request<Preview>('GET', `/api/group/${cn}/preview?${query}`, { token })).body.results,
  around: async (cn: string) =>
    (await request<Around>('GET', `/api/group/${cn}/nesting`, { token: admin })).body.results,
}))
const names = (groups: { cn: string }[]) => groups.map(({ cn }) => cn).sort()
const sorted = (given: object[]) => given.map((each) => JSON.stringify(each)).sort()

// top lists left and right, both of which list low; low lists one person, right one more.
const [one, other] = [await newUser(admin), await newUser(admin)]
const [top, left, right, low] = [await newGroup(), await newGroup(), await newGroup(), await newGroup()]
for (const path of [
  ...[`${low}/${one.uid}`, `${right}/${other.uid}`],
  ...[`${left}/nested/${low}`, `${right}/nested/${low}`, `${top}/nested/${left}`, `${top}/nested/${right}`],
])
  await ask('PUT', path)

test('GET /api/group/:group/nesting answers what it is nested in, what is nested in it, and every nesting among these, to any user', async (t) => {
  const edges = [
    { group: top, nested: left },
    { group: top, nested: right },
    { group: left, nested: low },
    { group: right, nested: low },
  ]
  for (const { how, around } of everywhere) {
    const lowest = await around(low)
    t.same([names(lowest.above), lowest.below], [[top, left, right].sort(), []], how)
    t.same(sorted(lowest.edges), sorted(edges), how)
    const highest = await around(top)
    t.same([highest.above, names(highest.below)], [[], [left, right, low].sort()], how)
    t.same(sorted(highest.edges), sorted(edges), how)
  }
  t.equal((await ask('GET', 'no-such-group/nesting')).status, 404)
  const plain = await newUser(admin)
  t.equal((await ask('GET', `${low}/nesting`, plain.token)).status, 200)
})

test('GET /api/group/:group/preview says who would gain which group, in those it is nested in too, and changes nothing', async (t) => {
  const third = await newUser(admin)
  const more = await newGroup()
  await ask('PUT', `${more}/${other.uid}`)
  for (const { how, preview } of everywhere) {
    const { groups: added } = await preview(low, `change=addMember&name=${third.uid}`)
    t.same(
      added.map(({ cn, gain }) => [cn, gain]).sort(),
      [top, left, right, low].map((cn) => [cn, [third.dn]]).sort(),
      how,
    )
    t.equal(added[0]?.cn, low)
    const { groups: known } = await preview(left, `change=addMember&name=${other.uid}`)
    t.same(known, [{ cn: left, gain: [other.dn], loss: [] }], `${how}: in top by the other way already`)
    const { groups: nested } = await preview(low, `change=nest&name=${more}`)
    t.same(
      nested.map(({ cn, gain }) => [cn, gain]).sort(),
      [low, left].map((cn) => [cn, [other.dn]]).sort(),
      how,
    )
  }
  t.notOk((await read(low)).member.includes(third.dn))
})

test('GET /api/group/:group/preview says who would lose which group, and not who stays by another way', async (t) => {
  for (const { how, preview } of everywhere) {
    const losses = async (cn: string, query: string) =>
      (await preview(cn, query)).groups.map(({ cn, loss }) => [cn, loss]).sort()
    t.same(await losses(left, `change=unnest&name=${low}`), [[left, [one.dn]]], `${how}: top by right`)
    t.same(
      await losses(low, `change=removeMember&name=${one.uid}`),
      [top, left, right, low].map((cn) => [cn, [one.dn]]).sort(),
      how,
    )
    const { groups: gone } = await preview(right, 'change=delete')
    t.same(
      gone.map(({ cn, loss }) => [cn, loss.length]),
      [
        [right, 3],
        [top, 1],
      ],
      how,
    )
  }
  t.equal((await read(right)).cn, right)
})

test('GET /api/group/:group/preview answers a loop as the path it would close', async (t) => {
  for (const { how, preview } of everywhere) {
    const { loop, groups } = await preview(low, `change=nest&name=${top}`)
    t.match(loop, [low, top, /./, low], how)
    t.same([loop?.length, groups], [4, []], how)
    t.same((await preview(low, `change=nest&name=${low}`)).loop, [low, low], how)
  }
})

test('a preview is for whoever may change the group, and of a change that is named', async (t) => {
  const owner = await newOwner(low)
  const plain = await newUser(admin)
  t.equal((await ask('GET', `${low}/preview?change=delete`, owner.token)).status, 200)
  t.equal((await ask('GET', `${low}/preview?change=delete`, plain.token)).status, 401)
  for (const query of ['change=addMember', 'change=everything', ''])
    t.equal((await ask('GET', `${low}/preview?${query}`)).status, 400, query)
  t.equal((await ask('GET', `${low}/preview?change=addMember&name=nobody-at-all`)).status, 404)
  t.equal((await ask('GET', 'no-such-group/preview?change=delete')).status, 404)
})
