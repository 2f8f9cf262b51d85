import { setTimeout as pause } from 'node:timers/promises'
import tap, { test } from 'tap'
import { startMessages } from '#test/support/messages.ts'
import { until } from '#test/support/until.ts'
import { startLoad } from './load.ts'
import { patient, startRig } from './rig.ts'
import { startTcpProxy } from './tcp-proxy.ts'

const messages = await startMessages()
const { app_smtp__port, app_sms__url } = messages.settings
const mail = await startTcpProxy(Number(app_smtp__port))
const sms = await startTcpProxy(Number(new URL(app_sms__url).port))
const rig = await startRig({
  messages,
  settings: {
    ...patient,
    ...{ app_smtp__port: String(mail.port), app_smtp__timeout: '1000' },
    ...{ app_sms__url: `http://127.0.0.1:${sms.port}`, app_sms__timeout: '1000' },
    app_delivery__backoff: '200',
  },
})
tap.teardown(async () => {
  for (const each of [rig, mail, sms, messages]) await each[Symbol.asyncDispose]()
})

for (const network of ['refused', 'stalled'] as const)
  test(`mail and SMS ${network}: everything else goes on, letters wait and arrive, an SMS that is awaited is refused in time`, async (t) => {
    const person = await rig.newUser(rig.admin, { mobile: network === 'refused' ? '+15550901' : '+15550902' })
    const post = (path: string, body: object, token?: string) =>
      rig.request('POST', path, { body, ...(token ? { token } : {}) })
    for (const each of [mail, sms]) each.become(network)
    const load = startLoad(rig, rig.admin)
    const from = performance.now()
    const told = post(
      '/api/notification/',
      {
        ...{ subject: `Told ${network}`, message: '<p>Here</p>' },
        ...{ filter_type: 'users', filter_value: JSON.stringify([person.uid]) },
      },
      rig.admin,
    )
    const [reset, code, invite] = await Promise.all([
      post('/api/auth/resetpassword', { mail: person.mail }),
      post('/api/auth/otp/request', { login: person.uid, method: 'sms' }),
      post('/api/user/invite', { mail: `guest-${network}@example.org` }, rig.admin),
    ])
    t.ok(performance.now() - from < 10_000, 'answered in time')
    t.equal(reset.status, 200, reset.text)
    t.match(code, { status: 502, body: { name: 'UpstreamFailure', message: String } })
    t.match(
      invite,
      { status: 200, body: { link: String, mail_sent: false } },
      'whoever gives it is told to pass it on',
    )
    await pause(1000)
    for (const each of [mail, sms]) each.become('pass')
    const mails = await until('every letter arrives', async () => {
      const found = await messages.mailsTo(person.mail)
      return found.length >= 2 && found
    })
    t.match(
      await told,
      { status: 200, body: { results: { status: 'sent' } } },
      'who waits for it is told in the end',
    )
    t.equal(mails.filter(({ subject }) => subject === `Told ${network}`).length, 1, 'once')
    t.equal((await post('/api/auth/otp/request', { login: person.uid, method: 'sms' })).status, 200)
    await load.stop()
    t.same(load.failures(), [], 'nobody else notices')
    await load.judge(t)
  })
