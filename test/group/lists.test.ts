import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import type { Group } from './support.ts'
import { groupTools } from './support.ts'

const service = await startTestService()
const pod = await service.secondPod()
tap.teardown(async () => {
  await pod[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
const { newUser } = service
const { admin, ask, newGroup } = await groupTools(service)

type List = { results: Group[]; next?: string }
const list = async (query: Record<string, string | number>, on = service.request) => {
  const parameters = new URLSearchParams(query as Record<string, string>)
  return on<List & { name: string; message: string }>('GET', `/api/group/?${parameters}`, { token: admin })
}
const names = ({ results }: List) => results.map(({ cn }) => cn)

/** Follows `next` to the end, each page from the other pod. */
async function pages(query: Record<string, string | number>): Promise<string[][]> {
  const found: string[][] = []
  let cursor: string | undefined
  do {
    const on = found.length % 2 ? pod.request : service.request
    const { body } = await list({ ...query, ...(cursor ? { cursor } : {}) }, on)
    found.push(names(body))
    cursor = body.next
  } while (cursor !== undefined)
  return found
}

const made = [
  'alpha',
  'Alpha 2',
  'alpha.3',
  'alpha-4',
  'alpha_5',
  'Beta',
  'beta10',
  'beta9',
  'gamma',
  'Omega',
]
for (const cn of made) await newGroup(cn)
const all = names((await list({})).body)

test('without limit the whole list is answered, without next', async (t) => {
  const { body } = await list({})
  t.equal(body.results.length, 14)
  t.equal(body.next, undefined)
})

test('with limit the answer carries next, absent on the last page; every group comes once, on every pod', async (t) => {
  for (const sort of ['createTimestamp', 'cn'])
    for (const limit of [1, 3, 7, 13, 14, 15, 1000]) {
      const found = await pages({ limit, sort })
      t.same(found.flat().sort(), [...all].sort(), `${sort}, ${limit} a page`)
      t.ok(found.slice(0, -1).every((page) => page.length === limit))
      t.equal(found.length, Math.ceil(14 / limit))
    }
  t.same(
    await pages({ limit: 5 }),
    await pages({ limit: 5, sort: 'createTimestamp' }),
    'oldest first unless asked',
  )
})

test('sort=cn orders by name without case, whole and in pages alike', async (t) => {
  const { body } = await list({ sort: 'cn', q: 'a' })
  const whole = names((await list({ sort: 'cn' })).body)
  t.same((await pages({ limit: 4, sort: 'cn' })).flat(), whole)
  t.same(
    whole,
    [...whole].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
  )
  t.same(
    names(body),
    whole.filter((cn) => /^a/i.test(cn)),
  )
})

test('a group that is deleted or made between two pages moves no other', async (t) => {
  for (const sort of ['createTimestamp', 'cn']) {
    const first = await list({ limit: 4, sort, q: 'pha' })
    const last = first.body.results.at(-1)?.cn as string
    await ask('DELETE', encodeURIComponent(last))
    const second = await list({ limit: 4, sort, q: 'pha', cursor: first.body.next as string })
    t.same(
      [...names(first.body), ...names(second.body)].sort(),
      made.filter((cn) => /pha/i.test(cn)).sort(),
      sort,
    )
    await newGroup(last)
  }
})

test('q of one or two characters matches beginnings, longer ones anywhere, in name and description', async (t) => {
  const found = async (q: string) => names((await list({ q })).body).sort()
  t.same(await found('be'), ['Beta', 'beta10', 'beta9'])
  t.same(await found('ET'), [])
  t.same(await found('eta'), ['Beta', 'beta10', 'beta9'])
  t.same(await found('for Omega'), ['Omega'])
  t.same(await found(' Ｂeta '), ['Beta', 'beta10', 'beta9'])
  for (const q of ['*', 'a*', '(cn=*)', '\\2a', '%']) t.same(await found(q), [], q)
  t.same(await found(''), [...all].sort())
})

test('limit, cursor and member go together, and detail shows members and owners on a page too', async (t) => {
  const user = await newUser(admin)
  for (const cn of ['Beta', 'gamma', 'Omega']) await ask('PUT', `${cn}/${user.uid}`)
  t.same(
    (await pages({ member: user.uid, limit: 2, sort: 'cn' })).map((page) => page.length),
    [2, 1],
  )
  const { body } = await list({ member: user.uid, limit: 2, sort: 'cn', detail: 1 })
  t.match(body.results, [
    { cn: 'Beta', member: [/^uid=admin/, user.dn], owner: [/^uid=admin/] },
    { cn: 'gamma' },
  ])
})

test('a forged, foreign or misplaced cursor and a limit out of range are 400 InvalidInput', async (t) => {
  const { next = '' } = (await list({ limit: 2 })).body
  const swapped = next.slice(0, -1) + (next.endsWith('A') ? 'B' : 'A')
  const bad: Record<string, string | number>[] = [
    { limit: 2, cursor: 'x' },
    { limit: 2, cursor: swapped },
    { limit: 2, cursor: next.slice(2) },
    { limit: 2, cursor: next, sort: 'cn' },
    { limit: 2, cursor: next, q: 'beta' },
    { cursor: next },
    { limit: 0 },
    { limit: 1001 },
    { limit: 'many' },
    { limit: 2, cursor: 'x'.repeat(600) },
    { sort: 'gidNumber' },
  ]
  for (const query of bad) {
    const { status, body } = await list(query)
    t.equal(status, 400, JSON.stringify(query))
    t.equal(body.name, 'InvalidInput')
  }
  const users = await service.request<List>('GET', '/api/user/?limit=1', { token: admin })
  if (users.body.next)
    t.equal((await list({ limit: 2, cursor: users.body.next })).status, 400, 'of another list')
})
