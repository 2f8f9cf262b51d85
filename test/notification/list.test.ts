import { test } from 'tap'
import { forged } from '#test/support/forged.ts'
import { startNotificationTests } from './support.ts'

const { list, newUser, tell } = await startNotificationTests()
const { uid } = await newUser()
const toOne = { filter_type: 'users', filter_value: JSON.stringify([uid]) }

const subjects = Array.from({ length: 7 }, (_, n) => `Number ${n + 1}`)
const made: string[] = []
for (const subject of subjects) made.unshift((await tell({ ...toOne, subject })).body.results.notification_id)

test('GET /api/notification answers records sorted by created_on, newest first', async (t) => {
  const { status, body } = await list()
  t.equal(status, 200)
  t.same(
    body.results.map(({ notification_id }) => notification_id),
    made,
  )
  t.same(
    body.results.map(({ created_on }) => created_on),
    body.results.map(({ created_on }) => created_on).sort((a, b) => b - a),
  )
  t.match(body.results[0], {
    subject: 'Number 7',
    message: '<p>Hello</p>',
    status: 'sent',
    sent_count: 1,
    ...toOne,
  })
  t.equal(body.next, undefined)
})

test('limit and cursor page it, q searches the subject', async (t) => {
  const pages: string[][] = []
  for (let query = '?limit=3'; ; ) {
    const { body } = await list(query)
    pages.push(body.results.map(({ notification_id }) => notification_id))
    if (body.next === undefined) break
    query = `?limit=3&cursor=${body.next}`
  }
  t.same(pages, [made.slice(0, 3), made.slice(3, 6), made.slice(6)])
  const { body } = await list('?q=NUMBER%205')
  t.same(
    body.results.map(({ subject }) => subject),
    ['Number 5'],
  )
  t.same((await list('?q=nothing&limit=1')).body, { results: [] })
})

test('a forged cursor, one of another search, or one without limit is 400', async (t) => {
  const { next = '' } = (await list('?limit=1')).body
  for (const query of [
    `?limit=1&cursor=${forged(next)}`,
    `?limit=1&q=number&cursor=${next}`,
    `?cursor=${next}`,
    '?limit=0',
    '?limit=1001',
  ])
    t.match(await list(query), { status: 400, body: { name: 'InvalidInput' } }, query)
})
