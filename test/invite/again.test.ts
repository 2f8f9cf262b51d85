import { test } from 'tap'
import { linkIn } from '#test/support/messages.ts'
import { freshMail, startInviteTests } from './support.ts'

const invites = await startInviteTests()
const { admin, adminUid, invite, read, list, revoke, request, messages, url, deps } = invites
const send = (token: string, by = admin) =>
  request<{ mail_sent: boolean; name: string }>('POST', `/api/user/invite/${token}/send`, { token: by })

test('POST /api/user/invite/:token/send mails the link of a valid invite once more, and both links open it', async (t) => {
  const mail = freshMail()
  const { token } = (await invite({ mail })).body
  t.match(await send(token), { status: 200, body: { mail_sent: true } })
  const second = await messages.mailTo(mail, 2)
  t.match(linkIn(second.text), new RegExp(`^${url}/login/invite/${token}/[\\w-]{43}$`))
  t.match((await invites.audited('invite.send')).at(-1), { actor: adminUid, target: mail, outcome: 'ok' })
  t.match(await invites.accept(token, await invites.mailTokenTo(mail)), { status: 200 })
  t.match(await send(token), { status: 400, body: { name: 'InvalidInvite' } }, 'but a used one is not sent')
  t.equal((await messages.mailsTo(mail)).length, 2)
})

test('an invite is sent again by an admin or its creator, to its address, twenty times an hour', async (t) => {
  const [maker, other] = [await invites.newInviter(), await invites.newInviter()]
  const mail = freshMail()
  const { token } = (await invite({ mail }, maker.token)).body
  t.match(await send(token, other.token), { status: 401, body: { name: 'InsufficientPermission' } })
  t.match(await send('nobodys'), { status: 404, body: { name: 'NotFound' } })
  const bare = (await invite({})).body.token
  t.match(await send(bare), { status: 400, body: { name: 'InvalidInput' } })
  await revoke(bare)
  t.match(await send(bare), { status: 400, body: { name: 'InvalidInvite' } })
  for (let nth = 0; nth < 20; nth++) t.equal((await send(token, maker.token)).status, 200)
  t.match(await send(token), { status: 429, body: { name: 'TooManyRequests' } })
  t.equal((await messages.mailsTo(mail)).length, 21)
})

test('mail_sent of an invite that is sent again tells whether the mail was handed over', async (t) => {
  const { token } = (await invite({ mail: freshMail() })).body
  const { smtp } = deps.config
  const host = smtp.host
  smtp.host = ''
  t.match(await send(token), { status: 200, body: { mail_sent: false } })
  smtp.host = host
  t.match((await invites.audited('invite.send')).at(-1), { outcome: 'failed' })
})

test('GET /api/user/invite?state= lists those in that state, in pages too; a used one says by whom and when', async (t) => {
  const inviter = await invites.newInviter()
  const make = async (fields: object = {}) => (await invite(fields, inviter.token)).body.token
  const mail = freshMail()
  const [valid, revoked, expired, used] = [await make(), await make(), await make(), await make({ mail })]
  await revoke(revoked)
  await deps.store.invites.change(expired, (kept) => ({ ...kept, expires_at: Date.now() - 1 }))
  const accepted = await invites.accept(used, await invites.mailTokenTo(mail))
  for (const [state, token] of Object.entries({ valid, revoked, expired, used }))
    for (const page of ['', '&limit=1']) {
      const { results, next } = await list(inviter.token, `?state=${state}${page}`)
      t.strictSame(
        results.map((each) => [each.token, each.state]),
        [[token, state]],
      )
      t.equal(next, undefined)
    }
  t.match(await read(used), { used_by: accepted.body.user, used_on: Number })
  t.notOk('used_by' in (await read(revoked)))
  t.equal((await request('GET', '/api/user/invite?state=lost', { token: admin })).status, 400)
})

test('expires_in_days ends an invite sooner or later; who is no administrator asks for no longer than is configured', async (t) => {
  const inviter = await invites.newInviter()
  const days = async (token: string) => {
    const kept = await deps.store.invites.find(token)
    return ((kept?.expires_at ?? 0) - (kept?.created_on ?? 0)) / 86_400_000
  }
  t.equal(await days((await invite({ expires_in_days: 30 })).body.token), 30)
  t.equal(await days((await invite({ expires_in_days: 2 }, inviter.token)).body.token), 2)
  for (const [by, wanted] of [
    [inviter.token, 8],
    [admin, 0],
    [admin, 366],
  ] as const)
    t.match(await invite({ expires_in_days: wanted }, by), { status: 400, body: { name: 'InvalidInput' } })
})
