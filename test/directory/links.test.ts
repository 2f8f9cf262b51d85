import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { directoryTools } from './support.ts'

const service = await startTestService()
const { request, newUser } = service
const tools = await directoryTools(service)
const { ask, admin, keeper, newResource, newGroup, newLink, newEdge, read, audited } = tools
tap.teardown(() => service[Symbol.asyncDispose]())

const refused = (status: number, name: string, message?: RegExp) => ({
  status,
  body: { name, ...(message ? { message } : {}) },
})
type Edge = { id: string; parentId: string; childId: string; relation: string }
type Link = { id: string; resourceId: string; groupCn: string; accessLevel: string }
const list = async <T>(path: string) => (await ask<{ results: T[] }>('GET', path)).body.results

test('POST /api/directory-admin/edges puts a resource below another, GET /api/directory-admin/edges shows it, DELETE takes it away', async (t) => {
  const [host, service] = [await newResource('host'), await newResource('service')]
  const wanted = { parentId: host.id, childId: service.id, relation: 'runs' }
  const { status, body } = await ask<{ results: Edge }>('POST', 'edges', wanted)
  t.equal(status, 200)
  t.match(body.results, { ...wanted, created_by: keeper.uid, created_on: Number })
  t.same((await read(service.id)).parents, [host.id])
  for (const end of [host, service]) t.same(await list(`edges?resourceId=${end.id}`), [body.results])
  t.match(await ask('POST', 'edges', wanted), refused(409, 'AlreadyExists'))
  t.equal((await ask('DELETE', `edges/${body.results.id}`)).status, 200)
  t.match(await ask('DELETE', `edges/${body.results.id}`), refused(404, 'NotFound'))
  t.same((await read(service.id)).parents, [])
  t.same(await audited(service.id), ['resource.create', 'resource.edge.add', 'resource.edge.remove'])
})

test('an edge between the wrong kinds, to itself, or of what is not there is 400', async (t) => {
  const [site, host, service] = [
    await newResource('site'),
    await newResource('host'),
    await newResource('service'),
  ]
  for (const [parentId, childId] of [
    [host.id, site.id],
    [site.id, service.id],
    [service.id, host.id],
    ['nobody', host.id],
    [site.id, 'nobody'],
  ])
    t.match(await ask('POST', 'edges', { parentId, childId }), refused(400, 'InvalidInput'))
  t.match(
    await ask('POST', 'edges', { parentId: service.id, childId: service.id }),
    refused(400, 'SelfNesting'),
  )
  const wanted = { parentId: site.id, childId: host.id }
  t.match(
    await ask('POST', 'edges', { ...wanted, relation: 'A B' }),
    refused(400, 'InvalidInput', /relation/),
  )
  t.equal((await ask('POST', 'edges', wanted)).status, 200)
})

test('an application keeps at least one service: its last edge is 409 Conflict', async (t) => {
  const [one, two] = [await newResource('service'), await newResource('service')]
  const app = await newResource('oauth', { parentId: one.id })
  const [first] = await list<Edge>(`edges?resourceId=${app.id}`)
  t.match(await ask('DELETE', `edges/${first?.id}`), refused(409, 'Conflict'))
  const second = await newEdge(two.id, app.id)
  t.equal((await ask('DELETE', `edges/${first?.id}`)).status, 200)
  t.match(await ask('DELETE', `edges/${second.id}`), refused(409, 'Conflict'))
  t.same((await read(app.id)).parents, [two.id])
})

test('POST /api/directory-admin/groups links a group once, GET /api/directory-admin/groups shows it, DELETE takes it away', async (t) => {
  const [host, group] = [await newResource('host'), await newGroup()]
  const wanted = { resourceId: host.id, groupCn: group.toUpperCase(), accessLevel: 'admin' }
  const { status, body } = await ask<{ results: Link }>('POST', 'groups', wanted)
  t.equal(status, 200)
  t.match(body.results, { ...wanted, groupCn: group, created_by: keeper.uid })
  t.same(await list(`groups?resourceId=${host.id}`), [body.results])
  t.same(await list(`groups?groupCn=${group.toUpperCase()}`), [body.results])
  t.same(await list(`groups?resourceId=${host.id}&groupCn=other`), [])
  const racing = Array.from({ length: 10 }, () => ask('POST', 'groups', { ...wanted, accessLevel: 'access' }))
  for (const answer of await Promise.all(racing)) t.match(answer, refused(409, 'AlreadyExists'))
  t.equal((await ask('DELETE', `groups/${body.results.id}`)).status, 200)
  t.match(await ask('DELETE', `groups/${body.results.id}`), refused(404, 'NotFound'))
  t.same(await list(`groups?resourceId=${host.id}`), [])
  const once = { resourceId: host.id, groupCn: group }
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('POST', 'groups', once)))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.equal((await list(`groups?resourceId=${host.id}`)).length, 1)
  t.match(
    await ask('POST', 'groups', { ...once, groupCn: 'nobody' }),
    refused(400, 'InvalidInput', /groupCn/),
  )
  t.match(
    await ask('POST', 'groups', { ...once, resourceId: 'x' }),
    refused(400, 'InvalidInput', /resourceId/),
  )
  t.match(await ask('POST', 'groups', { ...once, accessLevel: 'root' }), refused(400, 'InvalidInput'))
})

test('attack 29: linking a group that leads to an app_sso_* group needs authority over that, at whatever depth', async (t) => {
  const host = await newResource('host')
  const inner = await newGroup()
  const middle = await newGroup({ nested: [inner] })
  const nested = await request('PUT', `/api/group/app_sso_invite/nested/${middle}`, { token: admin })
  t.equal(nested.status, 200)
  for (const groupCn of ['app_sso_admin', 'app_sso_invite', middle, inner])
    t.match(
      await ask('POST', 'groups', { resourceId: host.id, groupCn }),
      refused(401, 'InsufficientPermission', /app_sso_/),
      groupCn,
    )
  t.same(await list(`groups?resourceId=${host.id}`), [])
  await request('PUT', `/api/group/owner/app_sso_invite/${keeper.uid}`, { token: admin })
  t.equal((await ask('POST', 'groups', { resourceId: host.id, groupCn: inner })).status, 200)
})

test('a deleted group takes its links with it, and a new group of its name reaches nothing', async (t) => {
  const [host, group] = [await newResource('host'), await newGroup()]
  await newLink(host.id, group)
  t.equal((await request('DELETE', `/api/group/${group}`, { token: admin })).status, 200)
  t.same(await list(`groups?resourceId=${host.id}`), [])
  // Another program deletes a group without a word to us.
  const other = await newGroup()
  await newLink(host.id, other)
  await service.deps.groups.remove(other)
  t.equal((await list(`groups?groupCn=${other}`)).length, 1)
  await request('POST', '/api/group/', { token: admin, body: { name: other, description: '' } })
  t.same(await list(`groups?groupCn=${other}`), [])
})

test('a deleted person owns nothing any more, and whoever gets the name later owns nothing of it', async (t) => {
  const { uid } = await newUser(admin)
  const host = await newResource('host', { owner: uid })
  const app = await newResource('oauth', { owner: uid })
  t.equal((await request('DELETE', `/api/user/${uid}`, { token: admin })).status, 200)
  for (const { id } of [host, app]) t.equal((await read(id)).owner, null)
  await newUser(admin, { uid })
  for (const { id } of [host, app]) t.equal((await read(id)).owner, null)
})
