import { test } from 'tap'
import { delivered } from '#test/support/delivered.ts'
import { startNotificationTests } from './support.ts'

const { admin, adminUid, deps, finished, group, lock, newUser, people, read, request, send, smtp, tell } =
  await startNotificationTests()

/** Who got the mail with this subject, sorted. */
const got = (subject: string) =>
  smtp.taken
    .filter(({ raw }) => raw.includes(`Subject: ${subject}\r\n`))
    .map(({ to }) => to)
    .sort()

test('POST /api/notification answers the record after delivery, with status sent', async (t) => {
  const { uid, mail } = await newUser()
  const asked = {
    ...{ subject: 'Water is off', message: '<p>From <b>nine</b> to ten.</p>' },
    ...{ filter_type: 'users', filter_value: JSON.stringify([uid]) },
  }
  const { status, body } = await send(asked)
  t.equal(status, 200)
  t.match(body.results, {
    ...asked,
    notification_id: /^[0-9a-f]{8}-[0-9a-f-]{27}$/,
    created_by: adminUid,
    active_only: false,
    status: 'sent',
    sent_count: 1,
    failed_count: 0,
  })
  const { created_on, sent_at, notification_id } = body.results
  t.ok(created_on <= sent_at && sent_at <= Date.now())
  t.same(await read(notification_id), body.results, 'and stores it')
  const mailed = await smtp.mailTo(mail)
  t.equal(mailed.subject, 'Water is off')
  t.match(mailed.html, '<p>From <b>nine</b> to ten.</p>')
  t.match(mailed.text, /^From nine to ten\.\n\nLatchkey/)
  t.match(mailed.html, 'Latchkey')
  await deps.audit.settled()
  t.match(
    (await deps.audit.read()).find(({ target }) => target === notification_id),
    { action: 'notification.send', actor: adminUid, outcome: 'ok' },
  )
})

test('a recipient whose job comes again is written to and counted once', async (t) => {
  const { uid } = await newUser()
  const subject = 'Only once'
  const { body } = await tell({ subject, filter_type: 'users', filter_value: JSON.stringify([uid]) })
  const { notification_id } = body.results
  const { store } = deps
  await store.jobs.add({ id: 'again', kind: 'recipient', data: { notification_id, uid }, bulk: false })
  await delivered(deps)
  t.equal(got(subject).length, 1)
  await store.notifications.settle(notification_id, uid, 'sent')
  await store.notifications.settle(notification_id, uid, 'failed')
  t.same(await read(notification_id), body.results)
})

test('all_active: all active (unlocked) users; all: all users including inactive; active_only restricts all', async (t) => {
  const [active, locked] = [await newUser(), await newUser()]
  await lock(locked.uid)
  for (const [subject, filter, includesLocked] of [
    ['To the active', { filter_type: 'all_active' }, false],
    [
      'To the active, said twice',
      { filter_type: 'all_active', active_only: false, filter_value: 'unused' },
      false,
    ],
    ['To all', { filter_type: 'all' }, true],
    ['To all that are active', { filter_type: 'all', active_only: true }, false],
  ] as const) {
    const { body } = await tell({ subject, ...filter })
    t.match(body.results, { status: 'sent', failed_count: 0, ...filter })
    t.equal(got(subject).length, body.results.sent_count)
    t.ok(got(subject).includes(active.mail), subject)
    t.equal(got(subject).includes(locked.mail), includesLocked, subject)
  }
})

test('group: effective members of the listed groups, each once, and only the active ones with active_only', async (t) => {
  const [one, two, both, nested, locked] = [
    await newUser(),
    await newUser(),
    await newUser(),
    await newUser(),
    await newUser(),
  ]
  await group('board', [one.uid, both.uid, locked.uid])
  await group('staff', [two.uid, both.uid])
  await group('interns', [nested.uid])
  await request('PUT', '/api/group/staff/nested/interns', { token: admin })
  await lock(locked.uid)
  const active = [one, two, both, nested].map(({ mail }) => mail).sort()
  const all = await tell({ subject: 'To groups', filter_type: 'group', filter_value: 'board, STAFF,board' })
  t.match(all.body.results, { status: 'sent', sent_count: 5 })
  t.same(got('To groups'), [...active, locked.mail].sort())
  await tell({ subject: 'To some', filter_type: 'group', filter_value: 'board,staff', active_only: true })
  t.same(got('To some'), active)
  const none = await tell({
    filter_type: 'users',
    filter_value: JSON.stringify([locked.uid]),
    active_only: true,
  })
  t.equal(none.body.results.sent_count, 1, 'users named are written to whatever active_only says')
})

test('users: the listed users, each once however they are spelled', async (t) => {
  const [a, b] = [await newUser(), await newUser()]
  const filter_value = JSON.stringify([a.uid, b.uid, a.uid.toUpperCase(), ` ${a.uid}`])
  const { body } = await tell({ subject: 'To two', filter_type: 'users', filter_value })
  t.match(body.results, { status: 'sent', sent_count: 2, filter_value })
  t.same(got('To two'), [a.mail, b.mail].sort())
})

test('more than 50 recipients: answered at once with queued, and the record moves on by itself', async (t) => {
  const all = await people(51, 'many')
  await group(
    'many',
    all.map(({ uid }) => uid),
  )
  smtp.behaviour.pause = 20
  const { body } = await tell({ subject: 'To many', filter_type: 'group', filter_value: 'many' })
  t.match(body.results, { status: 'queued', sent_count: 0, failed_count: 0 })
  t.equal(body.results.sent_at, undefined)
  const seen = new Set<string>()
  for (;;) {
    const { status } = await read(body.results.notification_id)
    seen.add(status)
    if (status === 'sent') break
  }
  smtp.behaviour.pause = 0
  t.ok(seen.has('sending'))
  t.match(await read(body.results.notification_id), { status: 'sent', sent_count: 51, failed_count: 0 })
  t.same(got('To many'), all.map(({ mail }) => mail).sort())
  const fifty = JSON.stringify(all.slice(0, 50).map(({ uid }) => uid))
  const few = await tell({ subject: 'To 50', filter_type: 'users', filter_value: fifty })
  t.match(few.body.results, { status: 'sent', sent_count: 50 }, '50 are waited for')
})

test('failures are counted; failed when nothing could be delivered', async (t) => {
  const [fine, refused, later] = [await newUser(), await newUser(), await newUser()]
  let tries = 0
  smtp.behaviour.refuse = (to) =>
    to === refused.mail ? 550 : to === later.mail && ++tries < 3 ? 451 : undefined
  const to = (...users: { uid: string }[]) => ({
    filter_type: 'users',
    filter_value: JSON.stringify(users.map(({ uid }) => uid)),
  })
  const some = await tell({ subject: 'To some of three', ...to(fine, refused, later) })
  t.match(await finished(some.body.results.notification_id), {
    status: 'sent',
    sent_count: 2,
    failed_count: 1,
  })
  t.same(got('To some of three'), [fine.mail, later.mail].sort(), 'a passing refusal is tried again')
  const { body } = await tell({ subject: 'To nobody', ...to(refused) })
  t.match(body.results, { status: 'failed', sent_count: 0, failed_count: 1, sent_at: Number })
  t.same(await read(body.results.notification_id), body.results)
  smtp.behaviour.refuse = () => undefined
})
