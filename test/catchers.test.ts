import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import PostalMime from 'postal-mime'
import t from 'tap'
import { openMail } from '#adapters/mail.ts'
import { openSms } from '#adapters/sms.ts'
import { startMailCatcher } from '#quickstart/mail-catcher.ts'
import { startSmsCatcher } from '#quickstart/sms-catcher.ts'
import type { Config } from '#src/settings.ts'

const log = pino({ level: 'silent' })
const dir = await mkdtemp(join(tmpdir(), 'latchkey-caught-'))
t.teardown(() => rm(dir, { recursive: true, force: true }))

t.test('mail is caught by SMTP, every message as one .eml', async (t) => {
  await using catcher = await startMailCatcher(join(dir, 'mail'))
  const smtp = {
    ...catcher,
    secure: false,
    verify: true,
    user: '',
    pass: '',
    from: 'Latchkey <no-reply@example.org>',
    timeout: 5_000,
  }
  const mail = openMail({ smtp } as Pick<Config, 'smtp'>, log)
  const message = { subject: 'Grüße', text: 'plain\n.\n..dots', html: '<p>rich</p>' }
  await Promise.all(['a@example.org', 'b@example.org'].map((to) => mail.send({ to, ...message })))
  const files = await readdir(catcher.dir)
  t.equal(files.length, 2)
  const read = await Promise.all(
    files.map(async (name) => new PostalMime().parse(await readFile(join(catcher.dir, name)))),
  )
  t.strictSame(read.map(({ to }) => to?.[0]?.address).sort(), ['a@example.org', 'b@example.org'])
  t.match(read[0], { subject: 'Grüße', html: /rich/ })
  t.equal(read[0]?.text?.replaceAll('\r\n', '\n').trim(), 'plain\n.\n..dots')
  t.ok(files.every((name) => name.endsWith('.eml')))
})

t.test("SMS are caught by Twilio's API, every message as one .json with to, body and at", async (t) => {
  await using catcher = await startSmsCatcher(join(dir, 'sms'))
  const sms = {
    url: catcher.url,
    accountSid: `AC${'0'.repeat(32)}`,
    authToken: 'token',
    from: '+15005550006',
    timeout: 5_000,
  }
  await openSms({ sms } as Pick<Config, 'sms'>, log).send({ to: '+4930123456', body: 'Code 123456 für dich' })
  const files = await readdir(catcher.dir)
  t.equal(files.length, 1)
  t.match(files[0], /\.json$/)
  const { at, ...message } = JSON.parse(await readFile(join(catcher.dir, files[0] as string), 'utf8'))
  t.strictSame(message, { to: '+4930123456', body: 'Code 123456 für dich' })
  t.ok(Math.abs(Date.now() - Date.parse(at)) < 60_000)
})

t.test('the SMS catcher answers as Twilio does', async (t) => {
  await using catcher = await startSmsCatcher(join(dir, 'answers'))
  const post = (path: string, form: Record<string, string>) =>
    fetch(catcher.url + path, { method: 'POST', body: new URLSearchParams(form) })
  const messages = '/2010-04-01/Accounts/AC1/Messages.json'
  const sent = await post(messages, { To: '+1', Body: 'x', From: '+2' })
  t.equal(sent.status, 201)
  t.match(await sent.json(), {
    sid: /^SM[0-9a-f]{32}$/,
    status: 'queued',
    account_sid: 'AC1',
    to: '+1',
    from: '+2',
  })
  t.match(await (await post(messages, { Body: 'x' })).json(), { status: 400, code: 21604 })
  t.match(await (await post(messages, { To: '+1' })).json(), { status: 400, code: 21602 })
  t.equal((await post('/2010-04-01/Accounts/AC1/Calls.json', {})).status, 404)
})
