import tap, { test } from 'tap'
import { directoryTools } from '#test/directory/support.ts'
import { delivered } from '#test/support/delivered.ts'
import { startMessages } from '#test/support/messages.ts'
import { startTestService } from '#test/support/service.ts'

const messages = await startMessages()
const service = await startTestService(messages.settings)
tap.teardown(async () => {
  for (const each of [service, messages]) await each[Symbol.asyncDispose]()
})
const { deps, newUser, request } = service
const { admin, keeper, newResource, newGroup, newLink } = await directoryTools(service)

/** Asks as somebody new for a new resource of this owner; answers its name once all letters have gone. */
async function askedOf(owner?: string): Promise<string> {
  const { id, slug, name } = await newResource('service', {
    metadata: { requestable: true },
    ...(owner ? { owner } : {}),
  })
  await newLink(id, await newGroup())
  const { token } = await newUser(admin)
  const answer = await request('POST', '/api/access-requests', { token, body: { slug } })
  if (answer.status !== 200) throw new Error(answer.text)
  await delivered(deps)
  return name
}
const subjectsTo = async (mail: string) => (await messages.mailsTo(mail)).map(({ subject }) => subject)

test('where a resource has no owner the directory admins are told of a request, else its owner alone', async (t) => {
  const name = await askedOf()
  t.match((await subjectsTo(keeper.mail)).join(), `asks for access to ${name}`)
  const owner = await newUser(admin)
  const owned = await askedOf(owner.uid)
  t.match((await subjectsTo(owner.mail)).join(), `asks for access to ${owned}`)
  t.notMatch((await subjectsTo(keeper.mail)).join(), owned)
})

test('who is locked is told of no request', async (t) => {
  const owner = await newUser(admin)
  await request('PUT', `/api/user/${owner.uid}/active`, { token: admin, body: { active: false } })
  const before = await subjectsTo(owner.mail)
  await askedOf(owner.uid)
  t.same(await subjectsTo(owner.mail), before)
})
