import type { Test } from 'tap'
import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { groupTools } from './support.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { request, newUser } = service
const { admin, ask, newGroup, newOwner, read, dnOf } = await groupTools(service)
const adminDn = `uid=admin,ou=people,${service.servers.ldap.base}`

const effective = async (cn: string) =>
  ((await ask('GET', `${cn}/effective`)).body.results as { effective: string[] }).effective

/** permission → outer → inner, the last two with owners of their own, for the time of one test. */
async function chainBelow(t: Test, permission: string) {
  const [outer, inner] = [await newGroup(), await newGroup()]
  await ask('PUT', `${permission}/nested/${outer}`)
  t.teardown(() => ask('DELETE', `${permission}/nested/${outer}`))
  await ask('PUT', `${outer}/nested/${inner}`)
  return { outer, inner, owners: [await newOwner(outer), await newOwner(inner)] as const }
}

test('a member of a group nested in app_sso_admin is an admin, at once, and no longer after', async (t) => {
  const { inner } = await chainBelow(t, 'app_sso_admin')
  const user = await newUser(admin)
  const stats = () => request('POST', '/api/group/', { token: user.token, body: { name: `by-${user.uid}` } })
  t.equal((await stats()).status, 401)
  t.equal((await ask('PUT', `${inner}/${user.uid}`)).status, 200)
  t.equal((await stats()).status, 200)
  t.equal((await ask('DELETE', `${inner}/${user.uid}`)).status, 200)
  t.equal((await ask('POST', '', user.token, { name: 'again' })).status, 401)
})

test('the owner of another group can by no chain put anyone into an app_sso_* group (attacks row 29)', async (t) => {
  for (const permission of [
    'app_sso_admin',
    'app_sso_oauth_admin',
    'app_sso_invite',
    'app_sso_directory_admin',
  ]) {
    const { outer, inner, owners } = await chainBelow(t, permission)
    const [ofOuter, ofInner] = owners
    const friend = await newUser(admin)
    const own = await newGroup()
    await ask('PUT', `owner/${own}/${ofOuter.uid}`)
    await ask('PUT', `owner/${own}/${ofInner.uid}`)
    await ask('PUT', `${own}/${friend.uid}`)
    const before = await effective(permission)
    const attempts = [
      [ofInner, 'PUT', `${inner}/${friend.uid}`],
      [ofInner, 'PUT', `${inner}/${ofInner.uid}`],
      [ofInner, 'PUT', `${inner}/nested/${own}`],
      [ofInner, 'PUT', `owner/${inner}/${friend.uid}`],
      [ofOuter, 'PUT', `${outer}/${friend.uid}`],
      [ofOuter, 'PUT', `${outer}/nested/${own}`],
      [ofOuter, 'PUT', `owner/${outer}/${friend.uid}`],
      [ofOuter, 'PUT', `${inner}/${friend.uid}`],
      [ofOuter, 'PUT', `${permission}/${friend.uid}`],
      [ofOuter, 'PUT', `${permission}/nested/${own}`],
      [ofOuter, 'PUT', `owner/${permission}/${friend.uid}`],
      [friend, 'PUT', `${permission}/${friend.uid}`],
    ] as const
    for (const [who, method, path] of attempts) {
      const { status, body } = await ask(method, path, who.token)
      t.equal(status, 401, `${method} ${path}`)
      t.equal(body.name, 'InsufficientPermission')
    }
    t.same(await effective(permission), before)
    t.same((await read(inner)).owner, [adminDn, ofInner.dn])
  }
})

test('a group that is nested later carries its rule with it: its owner loses the say over who joins', async (t) => {
  const cn = await newGroup()
  const owner = await newOwner(cn)
  const [before, after] = [await newUser(admin), await newUser(admin)]
  t.equal((await ask('PUT', `${cn}/${before.uid}`, owner.token)).status, 200)
  await ask('PUT', `app_sso_invite/nested/${cn}`)
  t.equal((await ask('PUT', `${cn}/${after.uid}`, owner.token)).status, 401)
  t.equal(
    (await ask('DELETE', `${cn}/${before.uid}`, owner.token)).status,
    200,
    'removing gives nobody anything',
  )
  await ask('DELETE', `app_sso_invite/nested/${cn}`)
  t.equal((await ask('PUT', `${cn}/${after.uid}`, owner.token)).status, 200)
})

test('an owner of app_sso_x has authority over it and over what is nested in it, not over the other ones', async (t) => {
  const { outer, owners } = await chainBelow(t, 'app_sso_invite')
  const [owner] = owners
  await ask('PUT', `owner/app_sso_invite/${owner.uid}`)
  const [user, other] = [await newUser(admin), await newUser(admin)]
  const own = await newGroup()
  t.equal((await ask('PUT', `app_sso_invite/${user.uid}`, owner.token)).status, 200)
  t.equal((await ask('PUT', `${outer}/${user.uid}`, owner.token)).status, 200)
  t.equal((await ask('PUT', `${outer}/nested/${own}`, owner.token)).status, 200)
  t.equal((await ask('PUT', `owner/${outer}/${user.uid}`, owner.token)).status, 200)
  // With app_sso_invite inside app_sso_oauth_admin joining it gives both: owning one of them is not enough.
  await ask('PUT', 'app_sso_oauth_admin/nested/app_sso_invite')
  for (const path of [
    `app_sso_invite/${other.uid}`,
    `${outer}/${other.uid}`,
    `owner/app_sso_invite/${other.uid}`,
  ])
    t.equal((await ask('PUT', path, owner.token)).body.name, 'InsufficientPermission', path)
  await ask('DELETE', 'app_sso_oauth_admin/nested/app_sso_invite')
})

test('a member of an app_sso_* group has no authority over it for that', async (t) => {
  const member = await newUser(admin)
  const friend = await newUser(admin)
  await ask('PUT', `app_sso_invite/${member.uid}`)
  for (const path of [`app_sso_invite/${friend.uid}`, `owner/app_sso_invite/${member.uid}`])
    t.equal((await ask('PUT', path, member.token)).status, 401, path)
})

test('removing the last administrator from app_sso_admin is 409 LastAdmin', async (t) => {
  t.same((await read('app_sso_admin')).member, [adminDn])
  const { status, body } = await ask('DELETE', 'app_sso_admin/admin')
  t.equal(status, 409)
  t.equal(body.name, 'LastAdmin')
  t.equal((await ask('GET', 'app_sso_admin')).status, 200)
})

test('LastAdmin also where members are left but nobody active: locked people and empty nested groups', async (t) => {
  const locked = await newUser(admin)
  await ask('PUT', `app_sso_admin/${locked.uid}`)
  const lock = await request('PUT', `/api/user/${locked.uid}/active`, {
    token: admin,
    body: { active: false },
  })
  t.equal(lock.status, 200)
  const { status, body } = await ask('DELETE', 'app_sso_admin/admin')
  t.equal(status, 409)
  t.equal(body.name, 'LastAdmin')
  t.same(
    (await read('app_sso_admin')).member.filter((dn) => dn.startsWith('uid=')),
    [adminDn, locked.dn],
  )
  t.equal((await ask('DELETE', `app_sso_admin/${locked.uid}`)).status, 200)
})

test('LastAdmin when un-nesting, deleting or emptying the group through which the last administrator is one', async (t) => {
  const cn = await newGroup()
  const second = await newUser(admin)
  await ask('PUT', `${cn}/${second.uid}`)
  await ask('DELETE', `${cn}/admin`)
  await ask('PUT', `app_sso_admin/nested/${cn}`)
  await ask('PUT', `owner/app_sso_admin/${second.uid}`)
  t.equal(
    (await ask('DELETE', 'app_sso_admin/admin')).status,
    200,
    'another admin is left, through the nested group',
  )
  const locked = await newUser(second.token)
  await ask('PUT', `${cn}/${locked.uid}`, second.token)
  await request('PUT', `/api/user/${locked.uid}/active`, { token: second.token, body: { active: false } })
  for (const path of [`app_sso_admin/nested/${cn}`, cn, `${cn}/${second.uid}`]) {
    const { status, body } = await ask('DELETE', path, second.token)
    t.equal(status, 409, path)
    t.equal(body.name, 'LastAdmin')
  }
  t.ok((await effective('app_sso_admin')).includes(second.dn))
  t.equal((await ask('PUT', 'app_sso_admin/admin', second.token)).status, 200)
  t.equal((await ask('DELETE', cn, second.token)).status, 200)
  t.notOk((await read('app_sso_admin')).member.includes(dnOf(cn)))
})
