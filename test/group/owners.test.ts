import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { groupTools } from './support.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { newUser } = service
const { admin, ask, newGroup, newOwner, read, audited } = await groupTools(service)
const plain = await newUser(admin)
const adminDn = `uid=admin,ou=people,${service.servers.ldap.base}`

test('PUT /api/group/owner/:group/:uid makes an owner, who at once manages the members', async (t) => {
  const cn = await newGroup()
  const [owner, user] = [await newUser(admin), await newUser(admin)]
  t.equal((await ask('PUT', `${cn}/${user.uid}`, owner.token)).status, 401)
  const { status, body } = await ask('PUT', `owner/${cn}/${owner.uid}`)
  t.equal(status, 200)
  t.match(body, { results: true, message: String })
  t.same((await read(cn)).owner, [adminDn, owner.dn])
  t.same((await read(cn)).member, [adminDn], 'owning is not being a member')
  t.equal((await ask('PUT', `${cn}/${user.uid}`, owner.token)).status, 200)
  t.equal((await ask('PUT', `owner/${cn}/${user.uid}`, owner.token)).status, 200)
  t.ok(
    (await audited('group.owner.add')).some(
      ({ actor, detail }) => actor === owner.uid && detail?.uid === user.uid,
    ),
  )
})

test('PUT of an existing owner is 409 AlreadyOwner', async (t) => {
  const cn = await newGroup()
  const { status, body } = await ask('PUT', `owner/${cn}/admin`)
  t.equal(status, 409)
  t.equal(body.name, 'AlreadyOwner')
})

test('DELETE /api/group/owner/:group/:uid takes the ownership at once; 404 for one who is no owner', async (t) => {
  const cn = await newGroup()
  const owner = await newOwner(cn)
  const { status, body } = await ask('DELETE', `owner/${cn}/${owner.uid}`, owner.token)
  t.equal(status, 200)
  t.match(body, { results: true, message: String })
  t.same((await read(cn)).owner, [adminDn])
  t.equal((await ask('PUT', `${cn}/${plain.uid}`, owner.token)).status, 401)
  const again = await ask('DELETE', `owner/${cn}/${owner.uid}`)
  t.equal(again.status, 404)
  t.equal(again.body.name, 'NotFound')
  t.ok(
    (await audited('group.owner.remove')).some(
      ({ target, detail }) => target === cn && detail?.uid === owner.uid,
    ),
  )
})

test('ownership is not transitive: an owner of a nested group or a member of it does not own the outer one', async (t) => {
  const [outer, inner] = [await newGroup(), await newGroup()]
  const owner = await newOwner(inner)
  await ask('PUT', `${inner}/${plain.uid}`)
  await ask('PUT', `${outer}/nested/${inner}`)
  for (const { token } of [owner, plain]) {
    const { status } = await ask('PUT', `${outer}/${owner.uid}`, token)
    t.equal(status, 401)
  }
})
