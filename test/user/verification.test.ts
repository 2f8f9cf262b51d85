import tap, { test } from 'tap'
import { linkIn, startMessages } from '#test/support/messages.ts'
import { until } from '#test/support/until.ts'
import { startUserTests } from './support.ts'

const messages = await startMessages()
tap.teardown(() => messages[Symbol.asyncDispose]())
const users = await startUserTests(messages.settings)
const { admin, ask, newUser, read, request, url } = users

const verification = async (uid: string) =>
  (await ask('GET', `${uid}/verification`, admin)).body as unknown as Record<string, unknown>
/** The SMS to a number that says so: messages leave after the answers that cause them, and in no order. */
function sms(number: string, said: RegExp) {
  const found = async () => (await messages.smsTo(number)).find(({ body }) => said.test(body))
  return until(`an SMS to ${number} that says ${said}`, found, 60, 20)
}
const page = (method: string, address: string) =>
  request(method, new URL(address).pathname, {
    headers: {
      accept: 'text/html',
      ...(method === 'POST' ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
    },
    ...(method === 'POST' ? { body: '' } : {}),
  })

test('changing mail sends a verification to the new address and a notice to the old one; its link verifies', async (t) => {
  const { uid, token, mail } = await newUser(admin)
  const { body } = await ask('PUT', uid, token, { mail: `new-${mail}` })
  t.match(body.message, /link to confirm the new mail address/)
  const notice = await messages.mailTo(mail)
  t.match(notice.text, new RegExp(`mail address of the account ${uid}.*was changed`))
  t.notMatch(notice.raw, /verify\//, 'the old address gets no link')
  const asked = await messages.mailTo(`new-${mail}`)
  const link = linkIn(asked.text)
  t.ok(link.startsWith(`${url}/verify/`))
  t.match(asked.html, link)

  const shown = await page('GET', link)
  t.equal(shown.status, 200)
  t.match(shown.text, `new-${mail}`)
  t.equal(shown.headers.get('referrer-policy'), 'no-referrer')
  t.match(
    await verification(uid),
    { emailVerified: false, emailVerifiedAt: null },
    'opening it confirms nothing',
  )
  t.equal((await page('POST', link)).status, 200)
  t.match(await verification(uid), {
    uid,
    emailVerified: true,
    emailVerifiedAt: Number,
    phoneVerified: false,
  })
  t.equal((await page('POST', link)).status, 401, 'the link is used up')
  t.equal((await page('GET', link)).status, 401)

  await ask('PUT', uid, token, { mail })
  t.match(
    await verification(uid),
    { emailVerified: false, emailVerifiedAt: null },
    'another change clears it',
  )
})

test('changing mobile does the same by SMS', async (t) => {
  const { uid, token } = await newUser(admin)
  await ask('PUT', uid, token, { mobile: '+15550121' })
  await ask('PUT', uid, token, { mobile: '+1 555 0122' })
  await t.resolves(sms('+15550121', /phone number.*was changed/))
  const asked = await sms('+15550122', /verify\//)
  t.equal((await page('POST', linkIn(asked.body))).status, 200)
  t.match(await verification(uid), { emailVerified: false, phoneVerified: true, phoneVerifiedAt: Number })
  await ask('PUT', uid, token, { mobile: null })
  t.match(await verification(uid), { phoneVerified: false, phoneVerifiedAt: null })
})

test('a verification sent to an old address verifies nothing after the address changed', async (t) => {
  const { uid, token, mail } = await newUser(admin)
  await ask('PUT', uid, token, { mail: `one-${mail}` })
  const first = await messages.mailTo(`one-${mail}`)
  await ask('PUT', uid, token, { mail: `two-${mail}` })
  t.match(await page('POST', linkIn(first.text)), { status: 401 })
  t.match(await verification(uid), { emailVerified: false })
  const second = await messages.mailTo(`two-${mail}`)
  t.equal((await page('POST', linkIn(second.text))).status, 200)
  t.match(await verification(uid), { emailVerified: true })
})

test('a made-up, mangled or locked account’s verification link is 401 on a page', async (t) => {
  const { uid, token, mail } = await newUser(admin)
  await ask('PUT', uid, token, { mail: `locked-${mail}` })
  const asked = await messages.mailTo(`locked-${mail}`)
  const link = linkIn(asked.text)
  await ask('PUT', `${uid}/active`, admin, { active: false })
  for (const address of [link, `${url}/verify/x`, `${link}x`, `${url}/verify/${'A'.repeat(43)}`])
    for (const method of ['GET', 'POST']) {
      const { status, text } = await page(method, address)
      t.equal(status, 401, `${method} ${address}`)
      t.match(text, 'TokenInvalid')
    }
  t.match(await verification(uid), { emailVerified: false })
})

test('a change of other fields sends nothing, and only case is no change of the address', async (t) => {
  const { uid, token, mail } = await newUser(admin)
  const upper = `${uid.toUpperCase()}@example.org`
  await ask('PUT', uid, token, { sn: 'Other', mail: upper })
  await ask('PUT', uid, token, { mail: `real-${mail}` })
  await messages.mailTo(`real-${mail}`)
  t.match(await messages.mailTo(upper), { subject: /was changed/ })
  t.equal((await messages.mailsTo(upper)).length, 1, 'the notice of the real change alone')
  t.same(await messages.mailsTo(mail), [])
})

test('links in mails start with the configured issuer under hostile Host, X-Forwarded-Host, Forwarded', async (t) => {
  const { uid, token, mail } = await newUser(admin)
  const headers = {
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example;proto=https',
    'x-forwarded-proto': 'https',
  }
  await request('PUT', `/api/user/${uid}`, { token, headers, body: { mail: `host-${mail}` } })
  const asked = await messages.mailTo(`host-${mail}`)
  t.ok(linkIn(asked.text).startsWith(`${url}/verify/`))
  t.notMatch(asked.raw, 'evil.example')
})

test('a change of the address stands while no mail server takes the verification', async (t) => {
  const { smtp } = users.deps.config
  const { uid, token, mail } = await newUser(admin)
  const { host } = smtp
  smtp.host = ''
  const { status } = await ask('PUT', uid, token, { mail: `later-${mail}` })
  smtp.host = host
  t.equal(status, 200)
  t.equal((await read(uid)).mail, `later-${mail}`)
})

test('nobody can be flooded with verifications: 20 changes of mail or mobile an hour for one account, then 429', async (t) => {
  const { uid, token, mail } = await newUser(admin)
  const change = (n: number) => ask('PUT', uid, token, { mail: `${n % 2 ? 'victim-' : ''}${mail}` })
  for (let n = 1; n <= 20; n++) t.equal((await change(n)).status, 200)
  const { status, body, headers } = await change(21)
  t.match({ status, body }, { status: 429, body: { name: 'TooManyRequests' } })
  t.match(headers.get('retry-after'), /^\d+$/)
  t.equal((await ask('PUT', uid, token, { sn: 'Other' })).status, 200, 'other fields are not counted')
  await messages.mailTo(`victim-${mail}`, 20)
  t.equal((await messages.mailsTo(`victim-${mail}`)).length, 20, 'ten verifications and ten notices')
})
