import { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { startSmtp } from '#test/support/smtp.ts'

await using smtp = await startSmtp()
await using service = await startTestService(smtp.settings)
const { request, login } = service
const token = await login(service.admin.uid, service.admin.password)
type Said = { results: Record<string, string>[]; next?: string; name: string }

for (const word of ['first', 'second', 'third']) {
  await request('POST', '/api/user/invite/', { token, body: { mail: `${word}@example.org`, groups: [] } })
  const whom = { filter_type: 'users', filter_value: JSON.stringify([service.admin.uid]) }
  await request('POST', '/api/notification/', { token, body: { subject: word, message: word, ...whom } })
  await request('POST', '/api/group/', { token, body: { name: word } })
}
await service.deps.audit.settled()

/** The events of the three groups. */
const made = { action: 'group.create', actor: service.admin.uid }
const lists = { '/api/user/invite/': 'mail', '/api/notification/': 'subject', '/api/audit/': 'id' }
for (const [path, name] of Object.entries(lists)) {
  const read = async (query: Record<string, string>) => {
    const filter: Record<string, string> = path.includes('audit') ? { ...made } : {}
    return request<Said>('GET', `${path}?${new URLSearchParams({ ...filter, ...query })}`, { token })
  }
  await test(`GET ${path} answers the newest first, with order=asc the oldest, whole and in pages`, async (t) => {
    const newest = (await read({})).body.results.map((one) => one[name])
    t.equal(newest.length, 3)
    t.strictSame(newest, name === 'id' ? newest.toSorted().reverse() : newest)
    t.strictSame(
      (await read({ order: 'desc' })).body.results.map((one) => one[name]),
      newest,
    )
    const oldest = newest.toReversed()
    t.strictSame(
      (await read({ order: 'asc' })).body.results.map((one) => one[name]),
      oldest,
    )
    const { body: first } = await read({ order: 'asc', limit: '2' })
    const cursor = String(first.next)
    const { body: rest } = await read({ order: 'asc', limit: '2', cursor })
    t.strictSame(
      [...first.results, ...rest.results].map((one) => one[name]),
      oldest,
    )
    t.equal(rest.next, undefined)
    t.match(await read({ limit: '2', cursor }), { status: 400, body: { name: 'InvalidInput' } })
    t.match(await read({ order: 'up' }), { status: 400, body: { name: 'InvalidInput' } })
  })
}

await test('GET /api/audit/export writes the oldest first with order=asc', async (t) => {
  const idsOf = async (query: Record<string, string>) =>
    (await request('GET', `/api/audit/export?${new URLSearchParams({ ...made, ...query })}`, { token })).text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(',')[0])
  const newest = await idsOf({})
  t.equal(newest.length, 3)
  t.strictSame(await idsOf({ order: 'asc' }), newest.toReversed())
})
