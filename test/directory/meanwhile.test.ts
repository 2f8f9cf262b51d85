/** What is deleted while something is being given to it: nothing of that waits for the next owner of the name. */
import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { directoryTools } from './support.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { deps, newUser, request } = service
const { admin, ask, newResource, newGroup, newLink, read } = await directoryTools(service)

/** Lets `act` happen after the next answer of `target[name]` to a question about `about`, before whoever asked has it. */
function afterNext<K extends string>(
  target: { [P in K]: (about: never) => Promise<unknown> },
  name: K,
  { about, act }: { about: unknown; act(): Promise<unknown> },
) {
  const original = target[name] as (about: unknown) => Promise<unknown>
  const once = async (given: unknown) => {
    const answer = await original(given)
    if (given !== about) return answer
    target[name] = original
    await act()
    return answer
  }
  target[name] = once
}
const remove = async (path: string) => {
  const { status, text } = await request('DELETE', path, { token: admin })
  if (status !== 200) throw new Error(text)
}
const refused = (field: string) => ({
  status: 400,
  body: { name: 'InvalidInput', message: new RegExp(`^${field}: there is no`) },
})

test('a link to a group that is deleted meanwhile is refused, and a new group of the name reaches nothing', async (t) => {
  const { id } = await newResource('host')
  const cn = await newGroup()
  afterNext(deps.groups, 'named', { about: cn, act: () => remove(`/api/group/${cn}`) })
  t.match(await ask('POST', 'groups', { resourceId: id, groupCn: cn }), refused('groupCn'))
  const { body } = await ask<{ results: object[] }>('GET', `groups?resourceId=${id}`)
  t.same(body.results, [])
})

test('an owner who is deleted meanwhile is refused, for a new resource and for one that is there', async (t) => {
  const { id, name } = await newResource('host')
  for (const [method, path, fields] of [
    ['PUT', `resources/${id}`, {}],
    ['POST', 'resources', { kind: 'host', name: `${name} of a leaver` }],
  ] as const) {
    const { uid } = await newUser(admin)
    afterNext(deps.users, 'find', { about: uid, act: () => remove(`/api/user/${uid}`) })
    t.match(await ask(method, path, { ...fields, owner: uid }), refused('owner'), method)
    t.same((await deps.store.resources.current()).ownedBy(uid), [])
  }
  t.equal((await read(id)).owner, null)
})

test('a request for access by somebody, or for a resource, that is deleted meanwhile is not there', async (t) => {
  const [leaver, person] = [await newUser(admin), await newUser(admin)]
  const group = await newGroup()
  const { id, slug } = await newResource('host', { metadata: { requestable: true } })
  await newLink(id, group)
  const { accessRequests } = deps.store
  const { create } = accessRequests
  for (const [{ uid, token }, path] of [
    [leaver, `/api/user/${leaver.uid}`],
    [person, `/api/directory-admin/resources/${id}`],
  ] as const) {
    accessRequests.create = async (given) => {
      accessRequests.create = create
      await (path.includes('resources') ? ask('DELETE', `resources/${id}`) : remove(path))
      return create(given)
    }
    const answer = await request('POST', '/api/access-requests', { token, body: { slug } })
    t.match(answer, { status: 404, body: { name: 'NotFound' } }, path)
    t.notOk((await accessRequests.pending()).some((each) => each.uid === uid))
  }
  t.same(await accessRequests.of(leaver.uid), [])
  t.match(await accessRequests.of(person.uid), [{ state: 'cancelled' }])
})
