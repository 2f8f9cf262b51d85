import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'

type Event = {
  id: string
  at: number
  actor: string
  action: string
  target: string
  outcome: string
  address: string
}
type Said = { results: Event[]; next?: string; name: string }

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { request, login, newUser, deps } = service
const admin = await login(service.admin.uid, service.admin.password)
await newUser(admin, { uid: 'ada' })
const bob = await newUser(admin, { uid: 'bob' })

async function read(query = ''): Promise<Said> {
  await deps.audit.settled()
  return (await request<Said>('GET', `/api/audit${query}`, { token: admin })).body
}

/** Every page of a list. */
async function walk(path: string, token: string): Promise<Event[][]> {
  const pages: Event[][] = []
  let cursor = ''
  do {
    const { body, status, text } = await request<Said>('GET', path + cursor, { token })
    if (status !== 200) throw new Error(text)
    pages.push(body.results)
    cursor = body.next ? `&cursor=${body.next}` : ''
  } while (cursor)
  return pages
}

test('GET /api/audit answers every event, the newest first, with who, what, whom, outcome and address', async (t) => {
  const refused = await request('POST', '/api/auth/login', {
    body: { uid: 'ada', password: 'wrong' },
    address: '203.0.113.7',
  })
  t.equal(refused.status, 401)
  const { results } = await read()
  t.match(results[0], {
    at: Number,
    action: 'login',
    target: 'ada',
    outcome: 'refused',
    address: '203.0.113.7',
  })
  t.match(
    results.find(({ action, target }) => action === 'user.create' && target === 'bob'),
    { actor: service.admin.uid, outcome: 'ok' },
  )
  const times = results.map(({ at }) => at)
  t.strictSame(
    times,
    times.toSorted((a, b) => b - a),
  )
  t.notMatch(JSON.stringify(results), /password of|"wrong"/)
})

test('GET /api/audit filters by actor, action, target, outcome and time, alone and together', async (t) => {
  const { results: all } = await read()
  const where = (passes: (event: Event) => boolean) => all.filter(passes).map(({ id }) => id)
  const middle = all[Math.floor(all.length / 2)] as Event
  const cases: [string, (event: Event) => boolean][] = [
    ['actor=ada', ({ actor }) => actor === 'ada'],
    ['actor=ADA', ({ actor }) => actor === 'ada'],
    ['target=bob', ({ target }) => target === 'bob'],
    ['action=user.create', ({ action }) => action === 'user.create'],
    ['action=user.create&target=bob', (e) => e.action === 'user.create' && e.target === 'bob'],
    ['target=ada&outcome=refused', (e) => e.target === 'ada' && e.outcome === 'refused'],
    ['outcome=refused', ({ outcome }) => outcome === 'refused'],
    [`since=${middle.at}`, ({ at }) => at >= middle.at],
    [`until=${middle.at}`, ({ at }) => at <= middle.at],
    [`since=${middle.at}&until=${middle.at}`, ({ at }) => at === middle.at],
    [`action=user.create&since=${middle.at}`, (e) => e.action === 'user.create' && e.at >= middle.at],
    ['actor=nobody', () => false],
  ]
  for (const [query, passes] of cases) {
    const expected = where(passes)
    if (query !== 'actor=nobody') t.ok(expected.length > 0, query)
    t.strictSame(
      (await read(`?${query}`)).results.map(({ id }) => id),
      expected,
      query,
    )
    const pages = await walk(`/api/audit?limit=2&${query}`, admin)
    t.strictSame(
      pages.flat().map(({ id }) => id),
      expected,
      `${query}, by pages`,
    )
    t.ok(pages.every((page) => page.length <= 2))
  }
})

test('a page of GET /api/audit looks at a bounded part of the log, however rare its events are', async (t) => {
  deps.audit.append({ actor: 'ada', action: 'rare' as never, target: 'needle', outcome: 'odd', address: '' })
  const before = (await read('?outcome=odd')).results
  t.equal(before.length, 1)
  for (let n = 0; n < 12_000; n++)
    deps.audit.append({
      actor: 'crowd',
      action: 'hay' as never,
      target: `${n % 5}`,
      outcome: 'ok',
      address: '',
    })
  await deps.audit.settled()
  const first = await read('?outcome=odd&limit=10')
  t.strictSame(first.results, [])
  t.type(first.next, 'string')
  const pages = await walk('/api/audit?outcome=odd&limit=10', admin)
  t.strictSame(pages.flat(), before)
  const trips = await service.roundTrips()
  t.strictSame((await read('?target=needle&limit=10')).results, before, 'by its index at once')
  t.ok((await service.roundTrips()).redis - trips.redis < 10)
})

test('GET /api/audit refuses a forged cursor and wrong parameters', async (t) => {
  for (const query of ['limit=0', 'limit=1001', 'limit=5&cursor=forged', 'since=yesterday', 'actor='])
    t.match(await request('GET', `/api/audit?${query}`, { token: admin }), {
      status: 400,
      body: { name: 'InvalidInput' },
    })
})

test('GET /api/audit/export answers the same events as CSV, without formulas, with the access token used', async (t) => {
  const odd = {
    actor: '=HYPERLINK("x")',
    action: 'odd' as never,
    target: 'a "b", c',
    outcome: 'ok',
    address: '::1',
  }
  deps.audit.append({ ...odd, detail: { because: 'test' } })
  deps.audit.append({ ...odd, actor: 'bob', api_token: 'a-token' })
  await deps.audit.settled()
  const { status, headers, text } = await request('GET', '/api/audit/export?action=odd', { token: admin })
  t.equal(status, 200)
  t.match(headers.get('content-type'), 'text/csv')
  const [header, second, first, end] = text.split('\r\n')
  t.equal(header, 'id,at,actor,action,target,outcome,address,detail,api_token')
  t.ok(
    String(first).endsWith(`,"'=HYPERLINK(""x"")",odd,"a ""b"", c",ok,::1,"{""because"":""test""}",`),
    String(first),
  )
  t.ok(String(second).endsWith(',bob,odd,"a ""b"", c",ok,::1,,a-token'), String(second))
  t.equal(end, '')
})

test('GET /api/audit/export takes every filter of the list', async (t) => {
  const { results: all } = await read()
  const middle = all[Math.floor(all.length / 2)] as Event
  for (const query of [
    'actor=ada',
    'action=user.create',
    'target=bob',
    'outcome=refused',
    `since=${middle.at}`,
    `until=${middle.at}`,
    '',
  ]) {
    const { text } = await request('GET', `/api/audit/export?${query}`, { token: admin })
    const ids = text
      .split('\r\n')
      .slice(1, -1)
      .map((line) => line.split(',')[0])
    t.strictSame(
      ids,
      (await read(`?${query}`)).results.map(({ id }) => id),
      query,
    )
    if (query) t.ok(ids.length > 0 && ids.length < all.length, query)
  }
})

test('GET /api/user/me/activity answers what I did and what was done to me, and nothing of others', async (t) => {
  await request('PUT', '/api/user/bob', {
    token: admin,
    body: { givenName: 'Bobby' },
    address: '198.51.100.9',
  })
  await request('POST', '/api/auth/login', { body: { uid: 'bob', password: 'no' }, address: '203.0.113.8' })
  await deps.audit.settled()
  const mine = (await request<Said>('GET', '/api/user/me/activity', { token: bob.token })).body.results
  t.ok(mine.every(({ actor, target }) => actor === 'bob' || target === 'bob'))
  t.match(
    mine.find(({ action }) => action === 'user.update'),
    { actor: service.admin.uid, address: '' },
    'where an admin works from is theirs',
  )
  t.match(mine[0], { action: 'login', outcome: 'refused', address: '203.0.113.8' })
  t.match(
    mine.find(({ action, outcome }) => action === 'login' && outcome === 'ok'),
    { actor: 'bob' },
  )
  const pages = await walk('/api/user/me/activity?limit=2', bob.token)
  t.strictSame(pages.flat(), mine)
  t.equal((await request('GET', '/api/user/me/activity?limit=1&cursor=x', { token: bob.token })).status, 400)
})

test('the activity of a name that is given again begins with its new owner', async (t) => {
  const eve = await newUser(admin, { uid: 'eve' })
  t.equal((await request('DELETE', '/api/user/eve', { token: admin })).status, 200)
  const before = Date.now()
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const again = await newUser(admin, { uid: 'eve', mail: 'eve2@example.org' })
  t.not(eve.token, again.token)
  const { results } = (await request<Said>('GET', '/api/user/me/activity', { token: again.token })).body
  t.ok(results.length > 0)
  t.ok(results.every(({ at }) => at > before))
})
