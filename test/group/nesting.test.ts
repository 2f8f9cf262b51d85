import { Attribute, Change } from 'ldapts'
import tap, { test } from 'tap'
import { roundTripsOf, startTestService } from '#test/support/service.ts'
import { groupTools, plainLdap } from './support.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { request, newUser } = service
const { admin, ask, newGroup, newOwner, read, dnOf, audited } = await groupTools(service)
const plain = await newUser(admin)
const adminDn = `uid=admin,ou=people,${service.servers.ldap.base}`

type Effective = {
  cn: string
  direct: string[]
  nestedGroups: { cn: string; dn: string }[]
  effective: string[]
  via?: Record<string, string[]>
}
const effective = async (cn: string, query = '', token = admin) =>
  (await request<{ results: Effective }>('GET', `/api/group/${cn}/effective${query}`, { token })).body.results
const groupsOf = async (token: string) =>
  (await request<{ groups: string[] }>('GET', '/api/user/me', { token })).body.groups.sort()

/** A fresh group that holds `user` alone. */
async function groupOf(user: { uid: string }, cn?: string): Promise<string> {
  const made = await newGroup(cn)
  await ask('PUT', `${made}/${user.uid}`)
  await ask('DELETE', `${made}/admin`)
  return made
}

test('PUT /api/group/:group/nested/:child nests: the child’s members become members at any depth, at once', async (t) => {
  const user = await newUser(admin)
  const [top, middle] = [await newGroup(), await newGroup()]
  const low = await groupOf(user)
  const owner = await newOwner(top)
  t.same(await groupsOf(user.token), [low])
  t.equal((await ask('PUT', `${middle}/nested/${low}`)).status, 200)
  const { status, body } = await ask('PUT', `${top}/nested/${middle}`, owner.token)
  t.equal(status, 200)
  t.match(body, { results: { cn: top, member: [adminDn, dnOf(middle)] }, message: String })
  t.same((await read(top)).member, [adminDn, dnOf(middle)])
  t.same(await groupsOf(user.token), [low, middle, top].sort())
  t.ok(
    (await audited('group.nest')).some(
      ({ actor, target, detail }) => actor === owner.uid && target === top && detail?.child === middle,
    ),
  )
})

test('nesting and un-nesting need an admin or an owner of the outer group', async (t) => {
  const [outer, inner, nested] = [await newGroup(), await newGroup(), await newGroup()]
  await ask('PUT', `${outer}/nested/${nested}`)
  for (const { token } of [plain, await newOwner(inner), await newOwner(nested)])
    for (const [method, child] of [
      ['PUT', inner],
      ['DELETE', nested],
    ] as const) {
      const { status, body } = await ask(method, `${outer}/nested/${child}`, token)
      t.equal(status, 401)
      t.equal(body.name, 'InsufficientPermission')
    }
  t.same((await read(outer)).member, [adminDn, dnOf(nested)])
})

test('nesting a group in itself is 400 SelfNesting, however it is spelled', async (t) => {
  const cn = await newGroup('Itself')
  for (const child of ['Itself', 'ITSELF', '%20itself%20']) {
    const { status, body } = await ask('PUT', `${cn}/nested/${child}`)
    t.equal(status, 400, child)
    t.equal(body.name, 'SelfNesting')
  }
})

test('nesting an unknown group, or in one, is 404; so is un-nesting what is not nested', async (t) => {
  const [cn, other] = [await newGroup(), await newGroup()]
  for (const [method, path] of [
    ['PUT', `${cn}/nested/nothing`],
    ['PUT', `nothing/nested/${cn}`],
    ['DELETE', `${cn}/nested/nothing`],
    ['DELETE', `nothing/nested/${cn}`],
    ['DELETE', `${cn}/nested/${other}`],
  ] as const) {
    const { status, body } = await ask(method, path)
    t.equal(status, 404, `${method} ${path}`)
    t.equal(body.name, 'NotFound')
  }
})

test('a group already nested is 409 AlreadyNested', async (t) => {
  const [outer, inner] = [await newGroup(), await newGroup()]
  await ask('PUT', `${outer}/nested/${inner}`)
  const { status, body } = await ask('PUT', `${outer}/nested/${inner}`)
  t.equal(status, 409)
  t.equal(body.name, 'AlreadyNested')
})

test('nesting that would form a loop, directly or transitively, is 409 NestingLoop', async (t) => {
  const [a, b, c] = [await newGroup(), await newGroup(), await newGroup()]
  await ask('PUT', `${a}/nested/${b}`)
  await ask('PUT', `${b}/nested/${c}`)
  for (const [group, child] of [
    [b, a],
    [c, b],
    [c, a],
  ]) {
    const { status, body } = await ask('PUT', `${group}/nested/${child}`)
    t.equal(status, 409, `${child} in ${group}`)
    t.equal(body.name, 'NestingLoop')
  }
  t.equal((await ask('PUT', `${a}/nested/${c}`)).status, 200, 'two ways down are no loop')
})

test('DELETE /api/group/:group/nested/:child un-nests: the members are out at once', async (t) => {
  const user = await newUser(admin)
  const outer = await newGroup()
  const inner = await groupOf(user)
  await ask('PUT', `${outer}/nested/${inner}`)
  t.same(await groupsOf(user.token), [inner, outer].sort())
  const { status, body } = await ask('DELETE', `${outer}/nested/${inner}`)
  t.equal(status, 200)
  t.match(body, { results: { cn: outer, member: [adminDn] }, message: String })
  t.same((await read(outer)).member, [adminDn])
  t.same(await groupsOf(user.token), [inner])
  t.ok(
    (await audited('group.unnest')).some(({ target, detail }) => target === outer && detail?.child === inner),
  )
})

test('un-nesting the only member is 409 LastMember', async (t) => {
  const [outer, inner] = [await newGroup(), await newGroup()]
  await ask('PUT', `${outer}/nested/${inner}`)
  t.equal((await ask('DELETE', `${outer}/admin`)).status, 200)
  const { status, body } = await ask('DELETE', `${outer}/nested/${inner}`)
  t.equal(status, 409)
  t.equal(body.name, 'LastMember')
  t.same((await read(outer)).member, [dnOf(inner)])
})

test('GET /api/group/:group/effective answers direct, nestedGroups and every user once, to any user', async (t) => {
  const [first, second] = [await newUser(admin), await newUser(admin)]
  const [low, middle] = [await groupOf(first), await groupOf(second)]
  const top = await groupOf(first)
  await ask('PUT', `${low}/${second.uid}`)
  await ask('PUT', `${middle}/nested/${low}`)
  await ask('PUT', `${top}/nested/${middle}`)
  await ask('PUT', `${top}/nested/${low}`)
  const found = await effective(top, '', plain.token)
  t.same(Object.keys(found).sort(), ['cn', 'direct', 'effective', 'nestedGroups'])
  t.equal(found.cn, top)
  t.same(found.direct, [first.dn])
  t.same(
    found.nestedGroups.sort((a, b) => (a.cn < b.cn ? -1 : 1)),
    [low, middle].sort().map((cn) => ({ cn, dn: dnOf(cn) })),
  )
  t.same(found.effective.sort(), [first.dn, second.dn].sort())
})

test('effective?explain=1 adds via: for each user one shortest chain of groups', async (t) => {
  const [near, far, both] = [await newUser(admin), await newUser(admin), await newUser(admin)]
  const [low, middle] = [await groupOf(far), await groupOf(both)]
  const top = await groupOf(near)
  await ask('PUT', `${low}/${both.uid}`)
  await ask('PUT', `${middle}/nested/${low}`)
  await ask('PUT', `${top}/nested/${middle}`)
  t.same((await effective(top, '?explain=1')).via, {
    [near.dn]: [top],
    [both.dn]: [top, middle],
    [far.dn]: [top, middle, low],
  })
  t.equal((await effective(top, '?explain=0')).via, undefined)
})

test('effective of an unknown group is 404', async (t) => {
  const { status, body } = await ask('GET', 'nothing/effective')
  t.equal(status, 404)
  t.equal(body.name, 'NotFound')
})

test('effective ends on a loop that another program wrote, and each user appears once', async (t) => {
  const [first, second] = [await newUser(admin), await newUser(admin)]
  const [a, b] = [await groupOf(first), await groupOf(second)]
  await ask('PUT', `${a}/nested/${b}`)
  const ldap = await plainLdap(service)
  for (const [group, member] of [
    [b, dnOf(a)],
    [a, dnOf(a)],
    // The same user in another spelling, from a program that keeps blanks.
    [b, first.dn.replace('uid=', 'UID=').replace(',ou', ', OU')],
  ] as const) {
    const modification = new Attribute({ type: 'member', values: [member] })
    await ldap.modify(dnOf(group), new Change({ operation: 'add', modification }))
  }
  await ldap.unbind()
  for (const [cn, other] of [
    [a, b],
    [b, a],
  ] as const) {
    const { effective: users, nestedGroups } = await effective(cn, '?explain')
    t.equal(users.length, 2)
    t.same(nestedGroups, [{ cn: other, dn: dnOf(other) }], 'a group is not nested in itself')
  }
  t.same(await groupsOf(first.token), [a, b].sort())
  t.equal((await ask('DELETE', `${b}/nested/${a}`)).status, 200, 'such a loop can be undone')
})

/** Five groups in a row: one round trip for the group and one for each level below it. */
test('effective takes one round trip for each level, where the graph is not in memory', async (t) => {
  const pod = await service.secondPod({ app_ldap__groups__graph: 'false' })
  t.teardown(() => pod[Symbol.asyncDispose]())
  const roundTrips = () => roundTripsOf(pod.deps)
  const chain = [await newGroup()]
  for (let depth = 0; depth < 4; depth++) {
    const above = await newGroup()
    await ask('PUT', `${above}/nested/${chain[0]}`)
    chain.unshift(above)
  }
  const path = `/api/group/${chain[0]}/effective`
  await pod.deps.accounts.changed({ uid: service.admin.uid })
  await pod.request('GET', path, { token: admin })
  const before = await roundTrips()
  const found = (await pod.request<{ results: Effective }>('GET', path, { token: admin })).body.results
  const after = await roundTrips()
  t.equal(found.nestedGroups.length, 4)
  t.equal(after.ldap - before.ldap, 5)
  t.equal(after.redis - before.redis, 1)
})
