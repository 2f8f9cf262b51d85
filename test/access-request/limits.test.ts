import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { deps, newUser, request, login } = service
const admin = await login(service.admin.uid, service.admin.password)

test('POST /api/access-requests: 30 an hour for each person, then 429', async (t) => {
  const [eager, other] = [await newUser(admin), await newUser(admin)]
  const ask = ({ token }: { token: string }) =>
    request('POST', '/api/access-requests', { token, body: { slug: 'nothing' } })
  const answers = await Promise.all(Array.from({ length: 31 }, () => ask(eager)))
  const statuses = answers.map(({ status }) => status).sort()
  t.same(statuses, [...Array(30).fill(404), 429])
  t.ok(answers.find(({ status }) => status === 429)?.headers.get('retry-after'))
  t.equal((await ask(other)).status, 404)
})

test('of what somebody asked for the last hundred are kept, and all that still wait', async (t) => {
  const { accessRequests } = deps.store
  const made = (n: number) => ({
    ...{ id: `request-${n}`, uid: 'asker', resourceId: `resource-${n}`, slug: `s${n}`, name: `S ${n}` },
    ...{ note: '', state: 'pending' as const, created_on: n },
  })
  for (let n = 0; n < 105; n++) {
    await accessRequests.create(made(n))
    if (n > 0) await accessRequests.change(`request-${n}`, (current) => ({ ...current, state: 'denied' }))
  }
  const kept = await accessRequests.of('asker')
  t.match(kept[0], { id: 'request-0', state: 'pending' })
  t.same(
    kept.slice(1).map(({ id }) => id),
    Array.from({ length: 100 }, (_, n) => `request-${n + 5}`),
  )
  t.equal(await accessRequests.find('request-1'), undefined)
})
