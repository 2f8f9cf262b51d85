import { test } from 'tap'
import { linkIn } from '#test/support/messages.ts'
import { freshMail, startInviteTests } from './support.ts'

const invites = await startInviteTests()
const { admin, adminUid, invite, read, list, update, revoke, request, messages, url, deps } = invites

test('POST /api/user/invite answers token, link and mail_sent; a verification email is sent when mail is given', async (t) => {
  const bare = await invite({})
  t.equal(bare.status, 200)
  t.match(bare.body, { token: /^[\w-]{43}$/, mail_sent: false })
  t.equal(bare.body.link, `${url}/login/invite/${bare.body.token}`)
  t.match(await read(bare.body.token), {
    created_by: adminUid,
    created_on: Number,
    is_valid: true,
    state: 'valid',
    mail: null,
    groups: '[]',
  })

  const mail = freshMail()
  const { body } = await invite({ mail: ` ${mail} ` })
  t.match(body, { mail_sent: true })
  t.match(await read(body.token), { mail })
  const letter = await messages.mailTo(mail)
  t.match(linkIn(letter.text), new RegExp(`^${url}/login/invite/${body.token}/[\\w-]{43}$`))
  t.match(letter.html, linkIn(letter.text))
})

test('mail_sent tells whether the mail was handed over', async (t) => {
  const { smtp } = deps.config
  const host = smtp.host
  smtp.host = ''
  const { status, body } = await invite({ mail: freshMail() })
  smtp.host = host
  t.equal(status, 200)
  t.match(body, { mail_sent: false })
  t.match(await read(body.token), { is_valid: true }, 'the invite is there')
})

test('groups is the JSON-encoded string in every answer, in the groups’ own spelling', async (t) => {
  const group = await invites.newGroup()
  const { body } = await invite({ groups: [group.toUpperCase(), group] })
  t.equal((await read(body.token)).groups, JSON.stringify([group]))
  t.equal((await update(body.token, { groups: [] })).body.results.groups, '[]')
})

test('each pre-assigned group must exist when set, else 400 and nothing is made', async (t) => {
  const before = (await list()).results.length
  const group = await invites.newGroup()
  t.match(await invite({ groups: [group, 'no-such-group'] }), {
    status: 400,
    body: { name: 'InvalidInput', message: /no-such-group/ },
  })
  t.equal((await list()).results.length, before)
  const { token } = (await invite({ groups: [group] })).body
  t.equal((await update(token, { groups: ['no-such-group'] })).status, 400)
  t.equal((await read(token)).groups, JSON.stringify([group]))
})

test('what is no invite is 400 InvalidInput', async (t) => {
  for (const body of [
    { mail: 'nobody' },
    { mail: 'a@example.org\r\nBcc: b@example.org' },
    { mail: ['a@example.org'] },
    { groups: 'admins' },
    { groups: [1] },
    { groups: [''] },
    { uid: 'x' },
  ])
    t.match(await invite(body), { status: 400, body: { name: 'InvalidInput' } }, JSON.stringify(body))
})

test('GET /api/user/invite: admins see all, app_sso_invite members see only those they created', async (t) => {
  const [one, two] = [await invites.newInviter(), await invites.newInviter()]
  const ofOne = (await invite({}, one.token)).body.token
  const ofTwo = (await invite({}, two.token)).body.token
  t.same(
    (await list(one.token)).results.map(({ token }) => token),
    [ofOne],
  )
  t.same(
    (await list(two.token)).results.map(({ token }) => token),
    [ofTwo],
  )
  const all = (await list()).results.map(({ token }) => token)
  t.ok(all.includes(ofOne) && all.includes(ofTwo))
  t.ok(all.indexOf(ofTwo) < all.indexOf(ofOne), 'the newest first')
})

test('invites are listed in pages with limit, cursor and q', async (t) => {
  const inviter = await invites.newInviter()
  const made: string[] = []
  for (let n = 0; n < 5; n++)
    made.unshift((await invite({ mail: `p${n}-${freshMail()}` }, inviter.token)).body.token)
  const seen: string[] = []
  for (let query = '?limit=2'; query; ) {
    const { results, next } = await list(inviter.token, query)
    t.ok(results.length <= 2)
    seen.push(...results.map(({ token }) => token))
    query = next ? `?limit=2&cursor=${next}` : ''
  }
  t.same(seen, made)
  t.equal((await list(inviter.token, '?q=P3-')).results.length, 1)
  t.equal((await list(inviter.token, '?q=p3-&limit=2')).results.length, 1)
  t.match(await request('GET', '/api/user/invite?limit=2&cursor=forged', { token: inviter.token }), {
    status: 400,
    body: { name: 'InvalidInput' },
  })
})

test('mail_token never appears in a list', async (t) => {
  const mail = freshMail()
  const { token } = (await invite({ mail })).body
  const mailToken = await invites.mailTokenTo(mail)
  const { text } = await request('GET', '/api/user/invite', { token: admin })
  t.match(text, token)
  t.notMatch(text, mailToken)
  t.notMatch(await invites.storedText(), mailToken, 'nor is it stored as it is')
})

test('PUT /api/user/invite/:token changes any subset of groups and mail; mail null or empty clears it', async (t) => {
  const group = await invites.newGroup()
  const mail = freshMail()
  const { token } = (await invite({ mail })).body
  t.match((await update(token, { groups: [group] })).body.results, { token, mail, groups: `["${group}"]` })
  t.match(await read(token), { mail, groups: `["${group}"]` })
  for (const nothing of [null, '']) {
    t.match((await update(token, { mail: nothing })).body.results, { mail: null, groups: `["${group}"]` })
    t.match(await read(token), { mail: null })
    await update(token, { mail })
  }
  t.equal((await update(token, {})).status, 200)
})

test('a new mail re-sends verification, the same mail does not, and the link to the old one opens nothing', async (t) => {
  const [old, fresh] = [freshMail(), freshMail()]
  const { token } = (await invite({ mail: old })).body
  const oldToken = await invites.mailTokenTo(old)
  await update(token, { mail: old.toUpperCase() })
  await update(token, { mail: fresh })
  const freshToken = await invites.mailTokenTo(fresh)
  t.equal((await messages.mailsTo(old)).length, 1)
  t.match(await invites.accept(token, oldToken), { status: 401, body: { name: 'TokenInvalid' } })
  const { body } = await invites.accept(token, freshToken)
  t.match((await invites.me(body.token)).body, { mail: fresh })
})

test('status 400 InvalidInvite if the token is no longer valid', async (t) => {
  const revoked = (await invite({})).body.token
  t.match(await revoke(revoked), { status: 200, body: { results: true } })
  const mail = freshMail()
  const used = (await invite({ mail })).body.token
  await invites.accept(used, await invites.mailTokenTo(mail))
  const expired = (await invite({})).body.token
  await deps.store.invites.change(expired, (kept) => ({ ...kept, expires_at: Date.now() - 1 }))
  for (const [token, state] of [
    [revoked, 'revoked'],
    [used, 'used'],
    [expired, 'expired'],
  ] as const) {
    t.match(await read(token), { is_valid: false, state })
    t.match(await update(token, { mail: freshMail() }), { status: 400, body: { name: 'InvalidInvite' } })
    t.match(await revoke(token), { status: 400, body: { name: 'InvalidInvite' } })
    t.match(await read(token), { state })
  }
})

test('DELETE /api/user/invite/:token revokes: the invite and its mailed link open nothing', async (t) => {
  const mail = freshMail()
  const { token } = (await invite({ mail })).body
  const mailToken = await invites.mailTokenTo(mail)
  await revoke(token)
  t.match(await invites.ask(token, mail), { status: 401, body: { name: 'TokenInvalid' } })
  t.match(await invites.accept(token, mailToken), { status: 401, body: { name: 'TokenInvalid' } })
})

test('making, changing and revoking are audited, without the token', async (t) => {
  const { token } = (await invite({})).body
  await update(token, { mail: freshMail() })
  await revoke(token)
  for (const action of ['invite.create', 'invite.update', 'invite.revoke']) {
    const event = (await invites.audited(action)).at(-1)
    t.match(event, { actor: adminUid, outcome: 'ok', detail: { id: String } })
    t.notMatch(JSON.stringify(event), token)
  }
})

test('an invite lasts 7 days unless configured', async (t) => {
  const { token } = (await invite({})).body
  const kept = await deps.store.invites.find(token)
  t.equal((kept?.expires_at ?? 0) - (kept?.created_on ?? 0), 7 * 86_400_000)
})
