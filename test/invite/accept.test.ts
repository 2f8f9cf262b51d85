import { test } from 'tap'
import { freshAddress } from '#test/support/client.ts'
import { linkIn } from '#test/support/messages.ts'
import { freshMail, startInviteTests } from './support.ts'

const invites = await startInviteTests()
const { admin, invite, ask, accept, mailTokenTo, read, me, request, newUser, messages, url, deps } = invites
const invalid = { status: 401, body: { name: 'TokenInvalid' } }

/** An invite with an address, and the token mailed to it. */
async function invited(fields: object = {}) {
  const mail = freshMail()
  const { token } = (await invite({ mail, ...fields })).body
  return { mail, token, mailToken: await mailTokenTo(mail) }
}

test('POST /api/auth/invite/:token/:mailToken makes the account and answers user and token', async (t) => {
  const { mail, token, mailToken } = await invited()
  const { status, body, headers } = await accept(token, mailToken, {
    uid: 'first.guest',
    givenName: 'Ada',
    mail,
  })
  t.equal(status, 200)
  t.match(body, { user: 'first.guest', token: /^[\w-]{43}$/ })
  t.match(headers.get('set-cookie'), /^latchkey=/)
  const mine = (await me(body.token)).body
  t.match(mine, { uid: 'first.guest', givenName: 'Ada', sn: 'Vited', mail, isActive: true })
  t.equal(mine.password_must_change, false)
  t.match(await invites.verification('first.guest'), { emailVerified: true, emailVerifiedAt: Number })
  t.match(await read(token), { is_valid: false, state: 'used' })
})

test('POST /api/auth/invite/:token sends an email verification link to the address that is given', async (t) => {
  const { token } = (await invite({})).body
  const mail = freshMail()
  t.match(await ask(token, mail), { status: 200, body: { message: String } })
  const letter = await messages.mailTo(mail)
  t.match(linkIn(letter.text), new RegExp(`^${url}/login/invite/${token}/[\\w-]{43}$`))
  t.match(await read(token), { mail: null, is_valid: true })
  const { body } = await accept(token, await mailTokenTo(mail))
  t.match((await me(body.token)).body, { mail })
})

test('the account’s mail is the one the link was sent to, whatever the body says', async (t) => {
  const { mail, token, mailToken } = await invited()
  const { body } = await accept(token, mailToken, { mail: 'somebody.else@example.org' })
  t.match((await me(body.token)).body, { mail })
  t.match(await invites.verification(body.user), { emailVerified: true })
  const open = await invited()
  const { mail: _, ...without } = invites.person()
  const answer = await request('POST', `/api/auth/invite/${open.token}/${open.mailToken}`, { body: without })
  t.equal(answer.status, 200, 'and it may be left out')
})

test('an invite for one address sends no link to another', async (t) => {
  const { mail, token } = await invited()
  const other = freshMail()
  t.match(await ask(token, other), { status: 400, body: { name: 'InvalidInput' } })
  t.same(await invites.mailsInTheEnd(other), [])
  t.equal((await ask(token, mail.toUpperCase())).status, 200)
  t.ok(await mailTokenTo(mail, 2), 'to its own again')
})

test('pre-assigned groups are added to the new account', async (t) => {
  const [one, two] = [await invites.newGroup(), await invites.newGroup()]
  const { token, mailToken } = await invited({ groups: [one, two] })
  const { body } = await accept(token, mailToken)
  t.same((await invites.memberOf(body.token)).sort(), [one, two].sort())
  const { body: group } = await request<{ results: { member: string[] } }>('GET', `/api/group/${one}`, {
    token: admin,
  })
  t.ok(group.results.member.some((dn) => dn.startsWith(`uid=${body.user},`)))
})

test('a group that is gone by then is left out', async (t) => {
  const [stays, goes] = [await invites.newGroup(), await invites.newGroup()]
  const { token, mailToken } = await invited({ groups: [goes, stays] })
  await request('DELETE', `/api/group/${goes}`, { token: admin })
  const { status, body } = await accept(token, mailToken)
  t.equal(status, 200)
  t.same(await invites.memberOf(body.token), [stays])
})

test('an invite brings nobody into an app_sso_* group that its inviter has no authority over by then', async (t) => {
  const inviter = await invites.newInviter()
  const group = await invites.newGroup()
  const mail = freshMail()
  const { token } = (await invite({ mail, groups: [group] }, inviter.token)).body
  await invites.nest('app_sso_admin', group)
  const { body } = await accept(token, await mailTokenTo(mail))
  t.same(await invites.memberOf(body.token), [])
  const byAdmin = await invited({ groups: [group] })
  const { body: trusted } = await accept(byAdmin.token, byAdmin.mailToken)
  t.ok((await invites.memberOf(trusted.token)).includes('app_sso_admin'), 'whom an admin invites joins')
})

test('twenty parallel acceptances of one invite make one account', async (t) => {
  const group = await invites.newGroup()
  const { token, mailToken } = await invited({ groups: [group] })
  const before = await deps.users.count()
  const answers = await Promise.all(Array.from({ length: 20 }, () => accept(token, mailToken)))
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  for (const answer of answers.filter(({ status }) => status !== 200)) t.match(answer, invalid)
  t.equal(await deps.users.count(), before + 1)
})

test('an invite’s mailToken opens no other invite', async (t) => {
  const [one, two] = [await invited(), await invited()]
  t.match(await accept(one.token, two.mailToken), invalid)
  t.match(await accept(two.token, one.mailToken), invalid)
  const open = (await invite({})).body.token
  t.match(await accept(open, one.mailToken), invalid)
  t.equal((await accept(one.token, one.mailToken)).status, 200)
})

test('an unknown, used or expired invite is 401 TokenInvalid when it is opened, with nothing running in the background', async (t) => {
  const { mail, token, mailToken } = await invited()
  for (const [a, b] of [
    ['A'.repeat(43), mailToken],
    [token, 'A'.repeat(43)],
    [token, token],
    [mailToken, token],
    ['*', '*'],
  ] as const)
    t.match(await accept(a, b), invalid)
  t.match(await ask('A'.repeat(43), mail), invalid)
  await deps.store.invites.change(token, (kept) => ({ ...kept, expires_at: Date.now() - 1 }))
  t.match(await accept(token, mailToken), invalid)
  t.match(await ask(token, mail), invalid)
  const used = await invited()
  t.equal((await accept(used.token, used.mailToken)).status, 200)
  t.match(await accept(used.token, used.mailToken), invalid)
  t.match(await ask(used.token, used.mail), invalid)
})

test('an acceptance that fails gives the invite back', async (t) => {
  const taken = await newUser(admin)
  const { token, mailToken } = await invited()
  t.match(await accept(token, mailToken, { uid: taken.uid }), {
    status: 409,
    body: { name: 'AlreadyExists' },
  })
  t.match(await read(token), { is_valid: true, state: 'valid' })
  for (const wrong of [
    { uid: 'No Name' },
    { uid: 'me' },
    { password: 'short' },
    { givenName: '' },
    { sn: null },
  ])
    t.match(await accept(token, mailToken, wrong), { status: 400, body: { name: 'InvalidInput' } })
  t.match(await read(token), { is_valid: true })
  t.equal((await accept(token, mailToken)).status, 200)
})

test('an address that belongs to an account by then is 409 MailInUse, whatever the case', async (t) => {
  const { mail, token, mailToken } = await invited()
  await newUser(admin, { mail: mail.toUpperCase() })
  t.match(await accept(token, mailToken), { status: 409, body: { name: 'MailInUse' } })
  t.match(await read(token), { is_valid: true })
})

test('an invite never gives a deleted uid again, only an admin can', async (t) => {
  const gone = await newUser(admin)
  await request('DELETE', `/api/user/${gone.uid}`, { token: admin })
  const { token, mailToken } = await invited()
  t.match(await accept(token, mailToken, { uid: gone.uid }), {
    status: 409,
    body: { name: 'AlreadyExists', message: 'This username is taken.' },
  })
  t.match(await request('GET', `/api/user/${gone.uid}`, { token: admin }), { status: 404 })
  t.equal((await accept(token, mailToken)).status, 200, 'the invite is still good for another name')
})

test('what an acceptance may not set is 400 InvalidInput, naming the field', async (t) => {
  const { token, mailToken } = await invited()
  for (const field of ['uidNumber', 'groups', 'isActive', 'created_by', 'dn'])
    t.match(await accept(token, mailToken, { [field]: 1 }), {
      status: 400,
      body: { name: 'InvalidInput', message: RegExp(field) },
    })
  t.match(await read(token), { is_valid: true })
})

test('an acceptance from a foreign page is refused', async (t) => {
  const { token, mailToken } = await invited()
  const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const body = invites.person()
  t.match(await request('POST', `/api/auth/invite/${token}/${mailToken}`, { body, headers }), {
    status: 401,
    body: { name: 'InsufficientPermission' },
  })
})

test('links in mails start with the configured issuer under hostile Host, X-Forwarded-Host, Forwarded', async (t) => {
  const { token } = (await invite({})).body
  const mail = freshMail()
  const headers = {
    'x-forwarded-host': 'evil.example',
    forwarded: 'host=evil.example',
    'x-forwarded-proto': 'https',
  }
  await request('POST', `/api/auth/invite/${token}`, { headers, body: { mail } })
  const letter = await messages.mailTo(mail)
  t.ok(linkIn(letter.text).startsWith(`${url}/login/invite/`))
  t.notMatch(letter.raw, 'evil.example')
})

test('one invite sends at most 20 links an hour, from whatever addresses', async (t) => {
  const { token } = (await invite({})).body
  const mail = freshMail()
  const answers = []
  for (let n = 0; n < 21; n++) answers.push((await ask(token, mail)).status)
  t.same(answers, [...Array(20).fill(200), 429])
})

test('POST /api/auth/invite/*: 20 requests per hour per client address, then 429', async (t) => {
  const address = freshAddress()
  for (let n = 0; n < 19; n++) t.equal((await ask('nobodys', 'a@example.org', address)).status, 401)
  const path = '/api/auth/invite/nobodys/nothing'
  t.equal(
    (await request('POST', path, { address, body: invites.person() })).status,
    401,
    'one count for both',
  )
  const answer = await ask('nobodys', 'a@example.org', address)
  t.match(answer, { status: 429, body: { name: 'TooManyRequests' } })
  t.ok(Number(answer.headers.get('retry-after')) > 0)
})

test('an acceptance is audited with who invited, without tokens or passwords', async (t) => {
  const group = await invites.newGroup()
  const { token, mailToken } = await invited({ groups: [group] })
  const { body } = await accept(token, mailToken)
  const event = (await invites.audited('invite.accept')).at(-1)
  t.match(event, {
    actor: body.user,
    target: body.user,
    detail: { created_by: invites.adminUid, groups: [group] },
  })
  for (const secret of [token, mailToken, body.token, `password of ${body.user}`])
    t.notMatch(JSON.stringify(event), secret)
})
