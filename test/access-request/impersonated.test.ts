import tap, { test } from 'tap'
import { directoryTools } from '#test/directory/support.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { request, newUser, login } = service
const { admin, newResource, newGroup, newLink } = await directoryTools(service)

const base = '/api/access-requests'
type Asked = { results: { id: string; state: string } }
const ask = (token: string, slug: string) => request<Asked>('POST', base, { token, body: { slug } })
const mine = async (token: string) =>
  (await request<{ results: Asked['results'][] }>('GET', `${base}/mine`, { token })).body.results
const denied = { status: 401, body: { name: 'InsufficientPermission' } }

/** A session of somebody else's, as an administrator gets it. */
async function sessionOf(uid: string, token: string): Promise<string> {
  const { body } = await request<{ temp_password: string }>('POST', `/api/auth/impersonate/${uid}`, { token })
  return login(uid, body.temp_password)
}

async function offered() {
  const owner = await newUser(admin)
  const group = await newGroup()
  const { id, slug } = await newResource('service', { metadata: { requestable: true }, owner: owner.uid })
  await newLink(id, group)
  return { owner, slug }
}

test('an administrator who impersonates the owner decides nothing of their own', async (t) => {
  const { owner, slug } = await offered()
  const other = await newUser(admin)
  await request('PUT', `/api/group/app_sso_admin/${other.uid}`, { token: admin })
  const own = (await ask(other.token, slug)).body.results
  const lent = await sessionOf(owner.uid, other.token)
  const { body } = await request<{ results: object[] }>('GET', base, { token: lent })
  t.same(body.results, [])
  for (const how of ['approve', 'deny'])
    t.match(await request('POST', `${base}/${own.id}/${how}`, { token: lent }), denied, how)
  t.match(await mine(other.token), [{ id: own.id, state: 'pending' }])
  const theirs = (await ask((await newUser(admin)).token, slug)).body.results
  t.equal((await request('POST', `${base}/${theirs.id}/deny`, { token: lent })).status, 200, 'of another')
})

test('people ask for themselves: nobody asks in an impersonated session', async (t) => {
  const { slug } = await offered()
  const person = await newUser(admin)
  t.match(await ask(await sessionOf(person.uid, admin), slug), denied)
  t.same(await mine(person.token), [])
})
