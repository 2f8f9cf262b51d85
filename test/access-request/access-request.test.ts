import tap, { test } from 'tap'
import { directoryTools } from '#test/directory/support.ts'
import { startMessages } from '#test/support/messages.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

const messages = await startMessages()
const service = await startTestService(messages.settings)
const pod = await service.secondPod()
const { request, newUser } = service
const tools = await directoryTools(service)
const { admin, keeper, newResource, newGroup, newLink, ask: direct, audited } = tools
tap.teardown(async () => {
  for (const each of [pod, service, messages]) await each[Symbol.asyncDispose]()
})

type Asked = { id: string; uid: string; slug: string; state: string; [field: string]: unknown }
type Body = { name: string; message: string; results: Asked }
const base = '/api/access-requests'
const ask = (token: string, slug: string, note?: string) =>
  request<Body>('POST', base, { token, body: { slug, ...(note ? { note } : {}) } })
const decide = (
  token: string,
  id: string,
  how: string,
  decisionNote?: string,
  at: Pick<typeof pod, 'request'> = service,
) => at.request<Body>('POST', `${base}/${id}/${how}`, { token, body: decisionNote ? { decisionNote } : {} })
const cancel = (token: string, id: string) => request<Body>('DELETE', `${base}/${id}`, { token })
const list = async (token: string, path = '') =>
  (await request<{ results: Asked[]; next?: string }>('GET', `${base}${path}`, { token })).body.results
const refused = (status: number, name: string) => ({ status, body: { name } })

/** A resource that may be asked for, its owner, the group that has it, and somebody without access. */
async function offered({ owned = true }: { owned?: boolean } = {}) {
  const [owner, person, group] = [await newUser(admin), await newUser(admin), await newGroup()]
  const resource = await newResource('service', {
    metadata: { requestable: true },
    ...(owned ? { owner: owner.uid } : {}),
  })
  await newLink(resource.id, group)
  return { owner, person, group, resource }
}
async function pending() {
  const all = await offered()
  const { body } = await ask(all.person.token, all.resource.slug, 'Please')
  return { ...all, id: body.results.id }
}
async function isMember(group: string, { dn }: { dn: string }) {
  const { body } = await request<{ results: { member: string[] } }>('GET', `/api/group/${group}`, {
    token: admin,
  })
  return body.results.member.includes(dn)
}

test('POST /api/access-requests asks, GET /api/access-requests shows it to the owner and to directory admins, GET /api/access-requests/mine to whoever asked', async (t) => {
  const { owner, person, resource } = await offered()
  const stranger = await newUser(admin)
  const { status, body } = await ask(person.token, resource.slug, 'For my work')
  t.equal(status, 200)
  t.match(body.results, {
    ...{ uid: person.uid, slug: resource.slug, resourceId: resource.id, name: resource.name },
    ...{ note: 'For my work', state: 'pending', created_on: Number },
  })
  t.same(await list(person.token, '/mine'), [body.results])
  t.same(await list(owner.token), [body.results])
  t.ok((await list(keeper.token)).some(({ id }) => id === body.results.id))
  for (const token of [stranger.token, person.token]) t.same(await list(token), [])
  t.same(await list(owner.token, '/mine'), [])
  t.same(await list(owner.token, `?q=${person.uid.toUpperCase()}&limit=1`), [body.results])
  const mail = await messages.mailTo(owner.mail)
  t.match(mail.subject, new RegExp(`asks for access to ${resource.name}`))
  t.match(mail.text, /For my work/)
})

test('what cannot be asked for is refused: out of sight, in reach already, links of level admin only, asked for already', async (t) => {
  const { person, resource, group } = await offered()
  t.match(await ask(person.token, 'nobody'), refused(404, 'NotFound'))
  const hidden = await newResource('host')
  await newLink(hidden.id, group)
  t.match(await ask(person.token, hidden.slug), refused(404, 'NotFound'))
  const open = await newResource('host', { metadata: { isPublic: true } })
  await newLink(open.id, group)
  t.match(await ask(person.token, open.slug), refused(400, 'InvalidInput'))
  const admins = await newResource('host', { metadata: { isPublic: true, requestable: true } })
  await newLink(admins.id, group, 'admin')
  t.match(await ask(person.token, admins.slug), refused(400, 'InvalidInput'))
  const answers = await Promise.all(Array.from({ length: 10 }, () => ask(person.token, resource.slug)))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers) if (answer.status !== 200) t.match(answer, refused(409, 'AlreadyExists'))
  t.equal((await list(person.token, '/mine')).length, 1)
  const member = await newUser(admin)
  await request('PUT', `/api/group/${group}/${member.uid}`, { token: admin })
  t.match(await ask(member.token, resource.slug), refused(409, 'Conflict'))
  t.match(
    await request('POST', base, { token: person.token, body: { slug: 'x', state: 'approved' } }),
    refused(400, 'InvalidInput'),
  )
})

test('POST /api/access-requests/:id/approve joins the group, and whoever asked reaches the resource and is told by mail', async (t) => {
  const { id, owner, person, group, resource } = await pending()
  const { status, body } = await decide(owner.token, id, 'approve', 'Welcome')
  t.equal(status, 200)
  t.match(body.results, {
    ...{
      state: 'approved',
      decided_by: owner.uid,
      decided_on: Number,
      decisionNote: 'Welcome',
      groupCn: group,
    },
  })
  t.notOk('granting' in body.results)
  t.ok(await isMember(group, person))
  t.same(await list(person.token, '/mine'), [body.results])
  t.same(await list(owner.token), [])
  const reached = await request<{ results: Asked[] }>('GET', '/api/discovery/me', { token: person.token })
  t.ok(reached.body.results.some(({ slug }) => slug === resource.slug))
  const mail = await messages.mailTo(person.mail)
  t.match(mail.subject, `You have access to ${resource.name}`)
  t.match(mail.text, /Welcome/)
  for (const how of ['approve', 'deny']) t.match(await decide(owner.token, id, how), refused(409, 'Conflict'))
  t.match(await cancel(person.token, id), refused(409, 'Conflict'))
  t.same(await audited(person.uid), ['user.create', 'login', 'access.request', 'access.approve'])
})

test('POST /api/access-requests/:id/deny joins nothing, both sides are told by mail, and it may be asked for again', async (t) => {
  const { id, owner, person, group, resource } = await pending()
  const { status, body } = await decide(keeper.token, id, 'deny', 'Not now')
  t.equal(status, 200)
  t.match(body.results, { state: 'denied', decided_by: keeper.uid, decisionNote: 'Not now' })
  t.notOk(await isMember(group, person))
  t.match((await messages.mailTo(person.mail)).subject, `No access to ${resource.name}`)
  const decided = async () =>
    (await messages.mailsTo(owner.mail)).find(({ subject }) => subject.endsWith('is decided'))
  t.match((await until('the owner is told', decided, 60)).text, new RegExp(keeper.uid))
  t.equal((await ask(person.token, resource.slug)).status, 200)
})

test('DELETE /api/access-requests/:id takes back an own pending request, and nobody else’s', async (t) => {
  const { id, owner, person, group } = await pending()
  for (const token of [owner.token, keeper.token])
    t.match(await cancel(token, id), refused(401, 'InsufficientPermission'))
  t.match(await cancel(person.token, id), { status: 200, body: { results: { state: 'cancelled' } } })
  t.match(await decide(owner.token, id, 'approve'), refused(409, 'Conflict'))
  t.notOk(await isMember(group, person))
  t.match(await cancel(person.token, 'nobody'), refused(404, 'NotFound'))
})

test('only the owner of the resource and directory admins decide, and nobody on their own request', async (t) => {
  const { id, person, group } = await pending()
  const stranger = await newUser(admin)
  const onlyAdmin = await newUser(admin)
  await request('PUT', `/api/group/app_sso_admin/${onlyAdmin.uid}`, { token: admin })
  for (const { token } of [stranger, onlyAdmin])
    for (const how of ['approve', 'deny'])
      t.match(await decide(token, id, how), refused(401, 'InsufficientPermission'))
  t.match(await decide(person.token, id, 'approve'), refused(401, 'InsufficientPermission'))
  t.match(await decide(keeper.token, 'nobody', 'deny'), refused(404, 'NotFound'))
  // Who asks becomes the owner, or a directory admin.
  const own = await offered()
  const asked = (await ask(own.owner.token, own.resource.slug)).body.results
  const keepers = (await ask(keeper.token, own.resource.slug)).body.results
  for (const [token, { id }] of [
    [own.owner.token, asked],
    [keeper.token, keepers],
  ] as const) {
    for (const how of ['approve', 'deny'])
      t.match(await decide(token, id, how), refused(401, 'InsufficientPermission'))
    t.notOk((await list(token)).some((each) => each.id === id))
  }
  t.notOk(await isMember(own.group, own.owner))
  t.notOk(await isMember(group, person))
})

test('attack 29: approving what would lead to an app_sso_* group needs authority over that', async (t) => {
  const { id, owner, person, group } = await pending()
  await request('PUT', `/api/group/app_sso_invite/nested/${group}`, { token: admin })
  for (const token of [owner.token, keeper.token])
    t.match(await decide(token, id, 'approve'), refused(401, 'InsufficientPermission'))
  t.notOk(await isMember(group, person))
  await request('PUT', `/api/group/owner/app_sso_invite/${owner.uid}`, { token: admin })
  t.equal((await decide(owner.token, id, 'approve')).status, 200)
})

test('of 20 racing approvals and denials on two pods exactly one counts, and membership is what it says', async (t) => {
  for (let round = 0; round < 5; round++) {
    const { id, owner, person, group } = await pending()
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        decide(
          n % 4 < 2 ? owner.token : keeper.token,
          id,
          n % 2 ? 'approve' : 'deny',
          undefined,
          n % 3 ? pod : service,
        ),
      ),
    )
    const won = answers.filter(({ status }) => status === 200)
    t.equal(won.length, 1, `round ${round}`)
    for (const answer of answers) if (answer.status !== 200) t.match(answer, refused(409, 'Conflict'))
    const [mine] = await list(person.token, '/mine')
    t.equal(mine?.state, won[0]?.body.results.state)
    t.equal(await isMember(group, person), mine?.state === 'approved')
  }
})

test('an approval that broke off after joining is completed by repeating it, and can be neither denied nor cancelled', async (t) => {
  const { id, owner, person, group } = await pending()
  // As it stands when the process dies between the two steps.
  await service.deps.store.accessRequests.change(id, (current) => ({ ...current, granting: group }))
  await service.deps.groups.addMember(group, person.dn)
  t.match(await decide(owner.token, id, 'deny'), refused(409, 'Conflict'))
  t.match(await cancel(person.token, id), refused(409, 'Conflict'))
  t.match(await decide(owner.token, id, 'approve'), {
    status: 200,
    body: { results: { state: 'approved', groupCn: group } },
  })
  t.ok(await isMember(group, person))
})

test('an approval that is refused leaves the request as it was', async (t) => {
  const { id, owner, group, resource } = await pending()
  await service.deps.groups.remove(group) // by another program
  t.match(await decide(owner.token, id, 'approve'), refused(404, 'NotFound'))
  t.match((await list(owner.token))[0], { id, state: 'pending' })
  const [link] = (await direct<{ results: { id: string }[] }>('GET', `groups?resourceId=${resource.id}`)).body
    .results
  await direct('DELETE', `groups/${link?.id}`)
  t.match(await decide(owner.token, id, 'approve'), refused(409, 'Conflict'))
  t.equal((await decide(owner.token, id, 'deny')).status, 200)
})

test('a deleted person leaves no request, and a deleted resource cancels those for it', async (t) => {
  const { owner, person, resource } = await pending()
  await request('DELETE', `/api/user/${person.uid}`, { token: admin })
  t.same(await list(owner.token), [])
  const again = await newUser(admin, { uid: person.uid })
  t.same(await list(again.token, '/mine'), [])
  const { results } = (await ask(again.token, resource.slug)).body
  await direct('DELETE', `resources/${resource.id}`)
  t.match(await list(again.token, '/mine'), [{ id: results.id, state: 'cancelled' }])
})
