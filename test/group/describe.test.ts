import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { groupTools } from './support.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { newUser } = service
const { admin, ask, newGroup, newOwner, read, audited } = await groupTools(service)
const describe = (cn: string, description: unknown, token?: string) => ask('PUT', cn, token, { description })

test('PUT /api/group/:group changes what a group is for, for its owners and admins, and nothing else of it', async (t) => {
  const cn = await newGroup()
  const owner = await newOwner(cn)
  const before = await read(cn)
  const { status, body } = await describe(cn.toUpperCase(), '  Those who keep the lighthouse \n', owner.token)
  t.equal(status, 200)
  t.match(body, { results: { cn, description: 'Those who keep the lighthouse' }, message: String })
  t.same(await read(cn), { ...before, description: 'Those who keep the lighthouse' })
  t.match((await audited('group.update')).at(-1), {
    ...{ actor: owner.uid, target: cn, outcome: 'ok' },
    detail: { description: 'Those who keep the lighthouse' },
  })
  t.equal((await describe(cn, '')).status, 200)
  t.equal((await read(cn)).description, '')
  t.equal((await describe(cn, 'again')).status, 200)
  t.equal((await read(cn)).description, 'again')
})

test('a member that owns nothing is refused, also for a group that is not there; an admin is told that it is not', async (t) => {
  const cn = await newGroup()
  const member = await newUser(admin)
  await ask('PUT', `${cn}/${member.uid}`)
  for (const name of [cn, 'nowhere'])
    t.match(await describe(name, 'mine', member.token), {
      status: 401,
      body: { name: 'InsufficientPermission' },
    })
  t.equal((await read(cn)).description, `for ${cn}`)
  t.match(await describe('nowhere', 'x'), { status: 404, body: { name: 'NotFound' } })
})

test('a group keeps its name: a change of any field but the description is refused, by the name of the field', async (t) => {
  const cn = await newGroup()
  for (const [field, value] of Object.entries({ name: 'other', cn: 'other', member: [], owner: [] }))
    t.match(await ask('PUT', cn, admin, { description: 'x', [field]: value }), {
      status: 400,
      body: { name: 'InvalidInput', message: new RegExp(field) },
    })
  for (const description of [undefined, null, 7, 'x'.repeat(1025)])
    t.match(await describe(cn, description), { status: 400, body: { name: 'InvalidInput' } })
  t.equal((await read(cn)).description, `for ${cn}`)
})

/** LDAP is asked for changes of groups before and after, and reads and writes the group; Redis reads the session, tells the other pods, appends to the audit log. */
test('describing a group takes few round trips', async (t) => {
  const cn = await newGroup()
  await describe(cn, 'first')
  const ldap: number[] = []
  while (ldap.length < 5 && ldap.at(-1) !== 4) {
    const before = await service.roundTrips()
    t.equal((await describe(cn, `and then ${ldap.length}`)).status, 200)
    const after = await service.roundTrips()
    ldap.push(after.ldap - before.ldap)
    t.ok(after.redis - before.redis <= 3)
  }
  t.equal(Math.min(...ldap), 4, `${ldap}: more only where the news of groups was late and searches answered`)
})
