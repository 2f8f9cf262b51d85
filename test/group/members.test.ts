import { Attribute, Change } from 'ldapts'
import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { groupTools, plainLdap } from './support.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { request, newUser } = service
const { admin, ask, newGroup, newOwner, read, dnOf, audited } = await groupTools(service)
const plain = await newUser(admin)
const adminDn = `uid=admin,ou=people,${service.servers.ldap.base}`

test('PUT /api/group/:group/:uid adds the user, at once seen as memberOf', async (t) => {
  const cn = await newGroup()
  const owner = await newOwner(cn)
  for (const token of [admin, owner.token]) {
    const user = await newUser(admin)
    const { status, body } = await ask('PUT', `${cn}/${user.uid}`, token)
    t.equal(status, 200)
    t.match(body, { results: true, message: String })
    t.ok((await read(cn)).member.includes(user.dn))
    const me = await request<{ memberOf: string[] }>('GET', '/api/user/me', { token: user.token })
    t.same(me.body.memberOf, [dnOf(cn)])
    t.ok(
      (await audited('group.member.add')).some(
        ({ target, detail }) => target === cn && detail?.uid === user.uid,
      ),
    )
  }
})

test('a name may be spelled in any case: it is the same user and the same group', async (t) => {
  const cn = await newGroup('Spelled group')
  const user = await newUser(admin)
  t.equal((await ask('PUT', `${encodeURIComponent('sPELLED Group')}/${user.uid.toUpperCase()}`)).status, 200)
  const { status, body } = await ask('PUT', `${encodeURIComponent(cn)}/${user.uid}`)
  t.equal(status, 409)
  t.equal(body.name, 'AlreadyMember')
  t.same((await read(cn)).member, [adminDn, user.dn])
})

test('409 AlreadyMember for a member; the creator is seeded as one already', async (t) => {
  const cn = await newGroup()
  const { status, body } = await ask('PUT', `${cn}/admin`)
  t.equal(status, 409)
  t.equal(body.name, 'AlreadyMember')
  t.same((await read(cn)).member, [adminDn])
})

test('of 20 simultaneous additions of one user one succeeds', async (t) => {
  const cn = await newGroup()
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask('PUT', `${cn}/${plain.uid}`)))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.equal(answers.filter(({ body }) => body.name === 'AlreadyMember').length, 19)
  t.same((await read(cn)).member, [adminDn, plain.dn])
})

test('an unknown user or group is 404 on every member and owner row', async (t) => {
  const cn = await newGroup()
  for (const path of [
    `${cn}/nobody`,
    `nothing/${plain.uid}`,
    `owner/${cn}/nobody`,
    `owner/nothing/${plain.uid}`,
  ])
    for (const method of ['PUT', 'DELETE']) {
      const { status, body } = await ask(method, path)
      t.equal(status, 404, `${method} ${path}`)
      t.equal(body.name, 'NotFound')
    }
})

test('changing members and owners needs an admin or an owner of that very group', async (t) => {
  const cn = await newGroup()
  const other = await newOwner(await newGroup())
  await ask('PUT', `${cn}/${plain.uid}`)
  for (const { token } of [plain, other])
    for (const [method, path] of [
      ['PUT', `${cn}/${other.uid}`],
      ['DELETE', `${cn}/${plain.uid}`],
      ['PUT', `owner/${cn}/${other.uid}`],
      ['DELETE', `owner/${cn}/admin`],
    ] as const) {
      const { status, body } = await ask(method, path, token)
      t.equal(status, 401, `${method} ${path}`)
      t.equal(body.name, 'InsufficientPermission')
    }
  t.match(await read(cn), { member: [adminDn, plain.dn], owner: [adminDn] })
})

test('DELETE /api/group/:group/:uid removes the user, at once', async (t) => {
  const cn = await newGroup()
  const owner = await newOwner(cn)
  for (const token of [admin, owner.token]) {
    const user = await newUser(admin)
    await ask('PUT', `${cn}/${user.uid}`)
    const { status, body } = await ask('DELETE', `${cn}/${user.uid}`, token)
    t.equal(status, 200)
    t.match(body, { results: true, message: String })
    t.same((await read(cn)).member, [adminDn])
    const me = await request<{ memberOf: string[] }>('GET', '/api/user/me', { token: user.token })
    t.same(me.body.memberOf, [])
    t.ok(
      (await audited('group.member.remove')).some(
        ({ target, detail }) => target === cn && detail?.uid === user.uid,
      ),
    )
  }
})

test('removing a user who is no member is 404', async (t) => {
  const cn = await newGroup()
  const { status, body } = await ask('DELETE', `${cn}/${plain.uid}`)
  t.equal(status, 404)
  t.equal(body.name, 'NotFound')
})

test('removing the last member is 409 LastMember', async (t) => {
  const cn = await newGroup()
  const { status, body } = await ask('DELETE', `${cn}/admin`)
  t.equal(status, 409)
  t.equal(body.name, 'LastMember')
  t.same((await read(cn)).member, [adminDn])
})

test('of the last two members removed at the same time one stays', async (t) => {
  for (let round = 0; round < 5; round++) {
    const cn = await newGroup()
    await ask('PUT', `${cn}/${plain.uid}`)
    const answers = await Promise.all([ask('DELETE', `${cn}/admin`), ask('DELETE', `${cn}/${plain.uid}`)])
    t.same(answers.map(({ status }) => status).sort(), [200, 409])
    t.equal((await read(cn)).member.length, 1)
  }
})

test('the placeholder of a group whose only member was deleted is never shown and is no last member', async (t) => {
  const cn = await newGroup()
  const user = await newUser(admin)
  await ask('PUT', `${cn}/${user.uid}`)
  await ask('DELETE', `${cn}/admin`)
  t.equal((await request('DELETE', `/api/user/${user.uid}`, { token: admin })).status, 200)
  const effective = await ask('GET', `${cn}/effective?explain=1`)
  t.same((await read(cn)).member, [])
  t.match(effective.body.results, { direct: [], nestedGroups: [], effective: [], via: {} })
  t.notMatch((await ask('GET', '?detail')).text, /nobody/)
  t.notMatch(effective.text, /nobody/)
  t.equal((await ask('PUT', `${cn}/${plain.uid}`)).status, 200)
  t.same((await read(cn)).member, [plain.dn])
  t.equal((await ask('DELETE', `${cn}/${plain.uid}`)).body.name, 'LastMember')
  t.equal((await ask('DELETE', `${cn}/nobody`)).status, 404)
})

test('a user who is deleted while being added is no member afterwards', async (t) => {
  const cn = await newGroup()
  for (let round = 0; round < 10; round++) {
    const user = await newUser(admin)
    await Promise.all([
      ask('PUT', `${cn}/${user.uid}`),
      ask('PUT', `owner/${cn}/${user.uid}`),
      request('DELETE', `/api/user/${user.uid}`, { token: admin }),
    ])
    const { member, owner } = await read(cn)
    t.same({ member, owner }, { member: [adminDn], owner: [adminDn] })
  }
})

test('what another program writes into a group is seen at once', async (t) => {
  const cn = await newGroup()
  const ldap = await plainLdap(service)
  const modification = new Attribute({ type: 'member', values: [plain.dn] })
  await ldap.modify(dnOf(cn), new Change({ operation: 'add', modification }))
  await ldap.unbind()
  t.same((await read(cn)).member, [adminDn, plain.dn])
  t.equal((await ask('PUT', `${cn}/${plain.uid}`)).body.name, 'AlreadyMember')
})

test('members and owners whose account another program deleted can be removed', async (t) => {
  const cn = await newGroup()
  const ldap = await plainLdap(service)
  for (const type of ['member', 'owner']) {
    const modification = new Attribute({ type, values: [plain.dn.replace(plain.uid, 'gone')] })
    await ldap.modify(dnOf(cn), new Change({ operation: 'add', modification }))
  }
  await ldap.unbind()
  t.equal((await ask('DELETE', `${cn}/gone`)).status, 200)
  t.equal((await ask('DELETE', `owner/${cn}/gone`)).status, 200)
  const { member, owner } = await read(cn)
  t.same({ member, owner }, { member: [adminDn], owner: [adminDn] })
})

/**
 * An admin whose account the pod knows: LDAP asks for the group and the user side by side, adds, and looks whether the
 * user is still there; Redis reads the session, tells the other pods, appends to the audit log.
 */
test('adding a member takes few round trips', async (t) => {
  const cn = await newGroup()
  const user = await newUser(admin)
  await service.deps.accounts.changed({ uid: service.admin.uid })
  await ask('PUT', `${cn}/nobody`)
  const before = await service.roundTrips()
  t.equal((await ask('PUT', `${cn}/${user.uid}`)).status, 200)
  const after = await service.roundTrips()
  t.equal(after.ldap - before.ldap, 4)
  t.ok(after.redis - before.redis <= 3)
})
