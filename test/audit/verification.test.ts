import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

type Said = {
  results: {
    from: number
    seals: number
    of: number
    events: number
    unsealed: number
    newest: string
    fault: string | null
  }
  next?: string
}
const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { deps, request } = service
const { audit } = deps
const { redis } = deps.store
const stream = 'latchkey:{audit}:stream'
const token = await service.login(service.admin.uid, service.admin.password)
const verify = (query = '') => request<Said>('GET', `/api/audit/verification${query}`, { token })

/** Some events under a seal of their own. */
async function sealed(count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    audit.append({ actor: 'tester', action: 'login', target: `t${n}`, outcome: 'ok', address: '' })
  await audit.settled()
  await until('all events are sealed', async () => (await audit.seals.verify()).unsealed === 0)
}

/** Part by part, to the end or to a fault. */
async function walk(limit: number): Promise<Said['results'][]> {
  const parts: Said['results'][] = []
  for (let cursor = ''; ; ) {
    const { body } = await verify(`?limit=${limit}${cursor}`)
    parts.push(body.results)
    if (!body.next) return parts
    cursor = `&cursor=${body.next}`
  }
}

test('GET /api/audit/verification checks the chain of seals part by part, as npm run audit:verify does at once', async (t) => {
  for (const count of [3, 4, 5]) await sealed(count)
  const whole = await audit.seals.verify()
  const parts = await walk(1)
  t.equal(parts.length, whole.seals)
  t.same(
    parts.map(({ from }) => from),
    parts.map((_, nth) => nth + 1),
  )
  t.equal(
    parts.reduce((sum, { events }) => sum + events, 0),
    whole.events,
  )
  t.match(parts.at(-1), { of: whole.seals, newest: whole.newest, fault: null })
  t.match((await verify()).body, {
    results: { from: 1, seals: whole.seals, events: whole.events, fault: null },
  })
})

test('GET /api/audit/verification names the first fault and goes no further', async (t) => {
  const entries = await redis.xrange(stream, '-', '+')
  const [id, [, event = '']] = entries[1] as [string, string[]]
  await redis.del(stream)
  for (const [at, fields] of entries)
    await redis.xadd(
      stream,
      at,
      'event',
      at === id ? event.replace('tester', 'other') : (fields[1] as string),
    )
  if (!event.includes('tester')) await redis.xdel(stream, id)
  const parts = await walk(1)
  t.match(parts.at(-1)?.fault, /^seal \d+: events (were changed|are missing)$/)
  t.equal(parts.filter(({ fault }) => fault !== null).length, 1)
  await redis.del(stream)
  for (const [at, fields] of entries) await redis.xadd(stream, at, ...fields)
  t.equal((await walk(100)).at(-1)?.fault, null)
})

test('GET /api/audit/verification begins after what retention removed, and a part that waited for too long is 409 Conflict', async (t) => {
  const { body } = await verify('?limit=1')
  await audit.seals.trim(Date.now() + 1)
  t.match(await verify(`?limit=1&cursor=${body.next}`), { status: 409, body: { name: 'Conflict' } })
  await sealed(2)
  const { body: rest } = await verify()
  t.ok(rest.results.from > 1)
  t.equal(rest.results.fault, null)
  t.match(await verify('?cursor=forged'), { status: 400, body: { name: 'InvalidInput' } })
})
