import { setTimeout } from 'node:timers/promises'
import { test } from 'tap'
import { startNotificationTests } from './support.ts'

const { admin, deps, finished, people, secondPod, smtp, tell, servers } = await startNotificationTests()
const all = await people(100, 'person')
const filter = { filter_type: 'users', filter_value: JSON.stringify(all.map(({ uid }) => uid)) }

/** Mails with this subject by recipient. */
function countsOf(subject: string): Map<string, number> {
  const counts = new Map<string, number>()
  for (const { to, raw } of smtp.taken)
    if (raw.includes(`Subject: ${subject}\r\n`)) counts.set(to, (counts.get(to) ?? 0) + 1)
  return counts
}
const onceEach = new Map(all.map(({ mail }) => [mail, 1]))
async function untilTaken(subject: string, count: number): Promise<void> {
  while (countsOf(subject).size < count) await setTimeout(5)
}

test('a pod that stops in the middle of 100 recipients: the other goes on, and each has exactly one mail', async (t) => {
  const pod = await secondPod(smtp.settings)
  smtp.behaviour.pause = 30
  const { body } = await pod.request<{ results: { notification_id: string } }>('POST', '/api/notification', {
    token: admin,
    body: { subject: 'One pod stops', message: '<p>x</p>', ...filter },
  })
  await untilTaken('One pod stops', 20)
  const stopped = pod[Symbol.asyncDispose]()
  t.ok(countsOf('One pod stops').size < 100, 'it stopped in the middle')
  await stopped
  const record = await finished(body.results.notification_id)
  t.match(record, { status: 'sent', sent_count: 100, failed_count: 0 })
  t.same(countsOf('One pod stops'), onceEach)
})

test('with no pod left nothing is lost: the next one begins where the last ended', async (t) => {
  const pod = await secondPod({ ...smtp.settings, app_redis__prefix: 'alone' })
  const token = await pod.login((await newAdmin()).uid, 'password of the second')
  const { body } = await pod.request<{ results: { notification_id: string } }>('POST', '/api/notification', {
    token,
    body: { subject: 'All pods stop', message: '<p>x</p>', ...filter },
  })
  await untilTaken('All pods stop', 10)
  await pod[Symbol.asyncDispose]()
  const before = countsOf('All pods stop').size
  t.ok(before < 100)
  await setTimeout(200)
  t.equal(countsOf('All pods stop').size, before, 'nobody goes on')
  const next = await secondPod({ ...smtp.settings, app_redis__prefix: 'alone' })
  const id = body.results.notification_id
  for (let status = ''; status !== 'sent'; await setTimeout(50)) {
    const asked = await next.request<{ results: { status: string } }>('GET', `/api/notification/${id}`, {
      token,
    })
    status = asked.body.results.status
  }
  t.same(countsOf('All pods stop'), onceEach)
  await next[Symbol.asyncDispose]()
})

/** Another administrator, whose password is known. */
async function newAdmin() {
  const uid = 'second'
  const entry = await deps.users.create({
    uid,
    password: 'password of the second',
    givenName: 'S',
    sn: 'A',
    mail: 'second@example.org',
  })
  await deps.groups.addMember('app_sso_admin', entry.dn)
  return entry
}

test('Redis that goes away in the middle loses nobody', async (t) => {
  const { body } = await tell({ subject: 'Redis stops', ...filter })
  await untilTaken('Redis stops', 10)
  await servers.redis.kill()
  await setTimeout(300)
  await servers.redis.start()
  const record = await finished(body.results.notification_id)
  t.match(record, { status: 'sent', sent_count: 100, failed_count: 0 })
  t.same([...countsOf('Redis stops').keys()].sort(), [...onceEach.keys()].sort())
})
