import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import tap, { test } from 'tap'
import { startSmsCatcher } from '#quickstart/sms-catcher.ts'
import { startPluginTests } from './support.ts'

const { ask, receiver } = await startPluginTests()
const dir = await mkdtemp(join(tmpdir(), 'hooks-sms-'))
const catcher = await startSmsCatcher(dir)
tap.teardown(async () => {
  await catcher[Symbol.asyncDispose]()
  await rm(dir, { recursive: true })
})
type Tested = { success: boolean; message: string; log: string }
const accountSid = `AC${'0'.repeat(32)}`
const good = { accountSid, from: '+15550001111', to: '+15550002222', message: 'Disk full & <hot>' }
let made = 0
async function instance(config: object) {
  const { body } = await ask('POST', '', {
    ...{ pluginType: 'messaging/twilio', name: `sms ${++made}`, config: { ...good, ...config } },
  })
  const { id } = body.results
  await ask('PUT', `/${id}/secrets`, { authToken: 'token of the account' })
  return { id, tested: async () => (await ask<Tested>('POST', `/${id}/test`)).body }
}

test('messaging/twilio sends an SMS as the API of Twilio takes it', async (t) => {
  const { tested } = await instance({ url: catcher.url })
  t.match(await tested(), { success: true, log: /taken as SM[0-9a-f]{32}, queued/ })
  const [file = ''] = await readdir(dir)
  t.match(JSON.parse(await readFile(join(dir, file), 'utf8')), { to: good.to, body: good.message })
})

test('messaging/twilio signs in with its account, and says what Twilio refused, without its token', async (t) => {
  const { id, tested } = await instance({ url: receiver.url })
  const path = `/2010-04-01/Accounts/${accountSid}/Messages.json`
  receiver.answers.set(path, [401])
  const refused = await tested()
  t.match(refused, { success: false, message: /Twilio answered 401/ })
  const [message] = receiver.at(path.slice(1))
  const basic = Buffer.from(`${accountSid}:token of the account`).toString('base64')
  t.equal(message?.headers.authorization, `Basic ${basic}`)
  t.same(Object.fromEntries(new URLSearchParams(message?.body)), {
    From: good.from,
    To: good.to,
    Body: good.message,
  })
  t.notOk(JSON.stringify(refused).includes('token of the account'))
  await ask('PUT', `/${id}/secrets`, { authToken: null })
  t.match(await tested(), { success: false, message: /authToken is not set/ })
})

test('messaging/twilio refuses what is no account or number', async (t) => {
  for (const wrong of [
    { accountSid: 'AC1' },
    { to: '0555' },
    { from: 'Shop' },
    { message: '' },
    { url: 'ftp://a.example' },
  ])
    t.match(
      await ask('POST', '', { pluginType: 'messaging/twilio', name: 'wrong', config: { ...good, ...wrong } }),
      { status: 400, body: { name: 'InvalidInput', message: new RegExp(Object.keys(wrong)[0] as string) } },
    )
})
