import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import type { Group } from './support.ts'
import { groupTools } from './support.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { request, newUser } = service
const { admin, ask, newGroup, newOwner, read, dnOf, audited } = await groupTools(service)
const plain = await newUser(admin)
const adminDn = `uid=admin,ou=people,${service.servers.ldap.base}`
const four = ['app_sso_admin', 'app_sso_directory_admin', 'app_sso_invite', 'app_sso_oauth_admin']

type List = { results: Group[]; next?: string }
const list = async (query: string, token = admin) =>
  (await request<List>('GET', `/api/group/${query}`, { token })).body
const names = ({ results }: List) => results.map(({ cn }) => cn)

test('DELETE /api/group/:group answers removed, and the group is gone', async (t) => {
  const cn = await newGroup()
  const owner = await newOwner(cn)
  const { status, body } = await ask('DELETE', cn, owner.token)
  t.equal(status, 200)
  t.match(body, { removed: true, results: { cn }, message: String })
  t.equal((await ask('GET', cn)).status, 404)
  t.equal((await ask('DELETE', cn)).body.name, 'NotFound')
  t.ok((await audited('group.delete')).some(({ actor, target }) => actor === owner.uid && target === cn))
})

test('deleting a group needs an admin or an owner of it', async (t) => {
  const cn = await newGroup()
  await ask('PUT', `${cn}/${plain.uid}`)
  for (const { token } of [plain, await newOwner(await newGroup())]) {
    const { status, body } = await ask('DELETE', cn, token)
    t.equal(status, 401)
    t.equal(body.name, 'InsufficientPermission')
  }
  t.equal((await read(cn)).cn, cn)
})

test('the four app_sso_* groups are never deleted: 409 ProtectedGroup', async (t) => {
  for (const cn of [...four, 'APP_SSO_ADMIN', ' app_sso_admin ', 'ａpp_sso_admin']) {
    const { status, body } = await ask('DELETE', encodeURIComponent(cn))
    t.equal(status, 409, cn)
    t.equal(body.name, 'ProtectedGroup')
  }
  t.same(names(await list('?q=app_sso_')).sort(), four)
})

test('deleting a group removes it from the groups it is nested in', async (t) => {
  const [outer, other, inner] = [await newGroup(), await newGroup(), await newGroup()]
  await ask('PUT', `${outer}/nested/${inner}`)
  await ask('PUT', `${other}/nested/${inner}`)
  t.equal((await ask('DELETE', inner)).status, 200)
  t.same((await read(outer)).member, [adminDn])
  t.same((await read(other)).member, [adminDn])
})

test('deleting a group that is another group’s only member is 409 LastMember, and changes nothing', async (t) => {
  const [first, only, inner] = [await newGroup(), await newGroup(), await newGroup()]
  await ask('PUT', `${first}/nested/${inner}`)
  await ask('PUT', `${only}/nested/${inner}`)
  t.equal((await ask('DELETE', `${only}/admin`)).status, 200)
  const { status, body } = await ask('DELETE', inner)
  t.equal(status, 409)
  t.equal(body.name, 'LastMember')
  t.same((await read(first)).member, [adminDn, dnOf(inner)])
  t.same((await read(only)).member, [dnOf(inner)])
})
