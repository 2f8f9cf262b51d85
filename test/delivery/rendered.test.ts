import { test } from 'tap'
import { startNotificationTests } from '#test/notification/support.ts'
import { delivered } from '#test/support/delivered.ts'

const brand = 'Müller & <b>Sons</b>'
const { admin, deps, newUser, request, smtp, tell } = await startNotificationTests({
  app_branding__name: brand,
})
const person = await newUser()
const to = person.mail

/** The mail that `cause` sends to an address. */
async function mailed(address: string, cause: () => Promise<unknown>) {
  await cause()
  await delivered(deps)
  const { subject = '', text = '', html = '', headers } = await smtp.mailTo(address)
  return { subject, text, html, headers }
}

const mails = {
  code: () =>
    mailed(to, () =>
      request('POST', '/api/auth/otp/request', { body: { login: person.uid, method: 'email' } }),
    ),
  reset: () => mailed(to, () => request('POST', '/api/auth/resetpassword', { body: { mail: to } })),
  invite: () =>
    mailed('guest@example.org', () =>
      request('POST', '/api/user/invite', { token: admin, body: { mail: 'guest@example.org' } }),
    ),
  notification: () =>
    mailed(to, () => tell({ filter_type: 'users', filter_value: JSON.stringify([person.uid]) })),
  verification: () =>
    mailed(`new-${to}`, () =>
      request('PUT', `/api/user/${person.uid}`, { token: person.token, body: { mail: `new-${to}` } }),
    ),
  'address-change notice': () =>
    mailed(`new-${to}`, () =>
      request('PUT', `/api/user/${person.uid}`, { token: person.token, body: { mail: `newer-${to}` } }),
    ),
}
const says: Record<keyof typeof mails, RegExp> = {
  code: /\b\d{6}\b/,
  reset: /\/login\/resetpassword\/[\w-]{43}\b/,
  invite: /\/login\/invite\/[\w-]{43}\/[\w-]{43}\b/,
  notification: /Hello/,
  verification: /\/verify\/[\w-]{43}\b/,
  'address-change notice': /mail address of the account .* was changed/,
}

for (const [name, send] of Object.entries(mails))
  test(`the mail ${name} comes as plain text and HTML that say the same, and nobody's name is markup in it`, async (t) => {
    const { subject, text, html, headers } = await send()
    t.ok(subject.length > 0)
    for (const body of [text, html]) t.match(body, says[name as keyof typeof mails])
    t.match(text, brand)
    t.match(html, 'Müller &amp; &lt;b&gt;Sons&lt;/b&gt;')
    t.notMatch(html, /<b>Sons|<script|<link|<img|undefined/)
    t.notMatch(text, /<p>|&amp;|undefined/)
    t.match(html, /^<!doctype html>[\s\S]*<\/html>\s*$/)
    t.equal(headers.find(({ key }) => key === 'auto-submitted')?.value, 'auto-generated')
  })
