import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'
import { startSmtp } from '#test/support/smtp.ts'
import { until } from '#test/support/until.ts'

const smtp = await startSmtp()
const service = await startTestService({ ...smtp.settings, app_delivery__backoff: '50' })
tap.teardown(async () => {
  await service[Symbol.asyncDispose]()
  await smtp[Symbol.asyncDispose]()
})
const { login, newUser, request } = service
const token = await login(service.admin.uid, service.admin.password)

type Channel = { sent_on: number | null; failed_on: number | null; error: string | null }
const channels = async () =>
  (await request<{ results: { channels: { mail: Channel; sms: Channel } } }>('GET', '/api/status', { token }))
    .body.results.channels
const codeFor = (uid: string) =>
  request('POST', '/api/auth/otp/request', { body: { login: uid, method: 'email' } })

test('GET /api/status says when a mail last went out, and when and why none did, without sending any', async (t) => {
  const none = { sent_on: null, failed_on: null, error: null }
  t.same(await channels(), { mail: none, sms: none })
  const { uid, mail } = await newUser(token)
  let tries = 0
  smtp.behaviour.refuse = (to) => (to === mail && ++tries < 2 ? 451 : undefined)
  await codeFor(uid)
  const failed = await until('a failure', async () => {
    const now = await channels()
    return now.mail.failed_on !== null && now.mail
  })
  t.match(failed.error, /451/)
  const sent = await until('a mail', async () => {
    const now = await channels()
    return now.mail.sent_on !== null && now
  })
  t.ok((sent.mail.sent_on ?? 0) >= (sent.mail.failed_on ?? 0))
  t.same(sent.sms, none)
  t.equal(smtp.countTo(mail), 1)
})

test('a mail that the server refuses for good is no failure of the way: it answered', async (t) => {
  const before = await channels()
  const { uid, mail } = await newUser(token)
  let tries = 0
  smtp.behaviour.refuse = (to) => (to === mail && ++tries ? 550 : undefined)
  await codeFor(uid)
  await until('the try', async () => tries > 0)
  await until('the end', async () => (await service.deps.store.jobs.counts()).failed > 0)
  t.equal((await channels()).mail.failed_on, before.mail.failed_on)
})
