import { test } from 'tap'
import { startNotificationTests } from './support.ts'

const { admin, deps, finished, group, lock, newUser, request, smtp, tell, list } =
  await startNotificationTests()

type Said<R> = { name: string; message: string; results: R }
const post = <R>(path: string, body: unknown) =>
  request<Said<R>>('POST', `/api/notification/${path}`, { token: admin, body })
const count = async (body: unknown) => (await post<{ count: number }>('recipients', body)).body.results?.count

test('POST /api/notification/recipients counts different people of a filter, and sends nothing', async (t) => {
  const [ada, bob, cid] = [await newUser(), await newUser(), await newUser()]
  await group('crew', [ada.uid, bob.uid])
  await group('staff', [bob.uid, cid.uid])
  await lock(cid.uid)
  const groups = { filter_type: 'group', filter_value: 'crew, staff' }
  t.equal(await count(groups), 3, 'who is in both counts once')
  t.equal(await count({ ...groups, active_only: true }), 2)
  t.equal(await count({ filter_type: 'users', filter_value: JSON.stringify([ada.uid, ada.uid]) }), 1)
  const everybody = await count({ filter_type: 'all' })
  t.equal(everybody, 4, 'with the administrator')
  t.equal(await count({ filter_type: 'all_active' }), 3)
  for (const wrong of [
    { filter_type: 'group', filter_value: 'nothing here' },
    { filter_type: 'users', filter_value: '["nobody"]' },
    { filter_type: 'users', filter_value: 'no list' },
  ])
    t.match(await post('recipients', wrong), {
      status: 400,
      body: { name: 'InvalidInput', message: /filter_value/ },
    })
  t.same((await list()).body.results, [])
  t.same(smtp.taken, [])
})

test('POST /api/notification/preview answers the mail as it is sent, without what is not safe in one', async (t) => {
  const said = {
    subject: 'Look <here>',
    message: '<p style="color: red">Hello</p><script>alert(1)</script><form><input></form>',
  }
  const { body } = await post<{ html: string; text: string }>('preview', said)
  const { uid, mail } = await newUser()
  await tell({ ...said, filter_type: 'users', filter_value: JSON.stringify([uid]) })
  const sent = await smtp.mailTo(mail)
  const plain = (text = '') => text.replaceAll('\r\n', '\n').trim()
  t.equal(plain(body.results.html), plain(sent.html))
  t.equal(plain(body.results.text), plain(sent.text))
  t.match(body.results.html, '<title>Look &lt;here&gt;</title>')
  t.notMatch(body.results.html, /<script|<form|<input/)
  t.match(await post('preview', { subject: 'x', message: '<script>1</script>' }), { status: 400 })
})

test('GET /api/notification/:id/recipients tells how many are to get it and who could not', async (t) => {
  const [ada, bob] = [await newUser(), await newUser()]
  smtp.behaviour.refuse = (to) => (to === bob.mail ? 550 : undefined)
  const { body } = await tell({ filter_type: 'users', filter_value: JSON.stringify([ada.uid, bob.uid]) })
  const { notification_id: id } = body.results
  t.match(await finished(id), { sent_count: 1, failed_count: 1 })
  const of = () => request('GET', `/api/notification/${id}/recipients`, { token: admin })
  t.match((await of()).body, { results: { total: 2, complete: true, failed: [bob.uid.toLowerCase()] } })
  await deps.store.redis.del(deps.store.keys.durable('notification', 'to', id))
  t.match((await of()).body, { results: { total: 2, complete: true, failed: null } }, 'a day later')
  const none = '00000000-0000-0000-0000-000000000000'
  t.match(await request('GET', `/api/notification/${none}/recipients`, { token: admin }), { status: 404 })
})
