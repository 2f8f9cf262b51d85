import { setTimeout as pause } from 'node:timers/promises'
import { test } from 'tap'
import { freshMail, startInviteTests } from './support.ts'

const tests = await startInviteTests({ app_ldap__timeout: '1000', app_redis__timeout: '1000' })
const { accept, ask, deps, invite, mailTokenTo, memberOf, newGroup, read, request, revoke, servers } = tests

/** An invite into a group, with its link. */
async function invited() {
  const [mail, group] = [freshMail(), await newGroup()]
  const { body } = await invite({ groups: [group] })
  await ask(body.token, mail)
  return { token: body.token, mailToken: await mailTokenTo(mail), mail, group }
}
const person = () => {
  const { uid, password, givenName, sn } = tests.person()
  return { uid, password, givenName, sn } as Record<'uid' | 'password', string>
}
const ready = async () => {
  while ((await request('GET', '/readyz')).status !== 200) await pause(50)
}

for (const [system, server] of [
  ['the directory', servers.ldap],
  ['Redis', servers.redis],
] as const)
  test(`an invite is as good as before after an acceptance that ${system} left without an answer`, async (t) => {
    const { token, mailToken, group } = await invited()
    const fields = person()
    server.signal('SIGSTOP')
    t.match(await accept(token, mailToken, fields), { status: 502, body: { name: 'UpstreamFailure' } })
    server.signal('SIGCONT')
    await ready()
    const { status, body } = await accept(token, mailToken, fields)
    t.equal(status, 200, body.message)
    t.same(await memberOf(body.token), [group])
    t.match(await accept(token, mailToken, person()), { status: 401, body: { name: 'TokenInvalid' } })
  })

test('an acceptance that broke off after the account was made is brought to an end by whoever has its password', async (t) => {
  const { token, mailToken, group, mail } = await invited()
  const fields = person()
  const { confirm } = deps.store.verification
  deps.store.verification.confirm = async () => {
    deps.store.verification.confirm = confirm
    throw new Error('it breaks off here')
  }
  t.equal((await accept(token, mailToken, fields)).status, 500)
  t.match(await read(token), { is_valid: true, state: 'valid' })
  t.match(
    await accept(token, mailToken, { ...fields, password: 'the password of somebody else' }),
    { status: 409 },
    'not by another',
  )
  t.match(await accept(token, mailToken, person()), { status: 409, body: { name: 'MailInUse' } })
  const { status, body } = await accept(token, mailToken, fields)
  t.equal(status, 200, body.message)
  t.same(await memberOf(body.token), [group])
  t.match((await request('GET', '/api/user/me', { token: body.token })).body, { uid: fields.uid, mail })
  t.match(await read(token), { is_valid: false, state: 'used' })
})

test('an acceptance whose process died is taken over a little later, or its invite revoked', async (t) => {
  const { store } = deps
  const died = async () => {
    const made = await invited()
    const dead = {
      state: 'used' as const,
      used_by: 'somebody',
      used_on: Date.now() - 20_000,
      unfinished: true,
    }
    await store.invites.change(made.token, (record) => ({ ...record, ...dead }))
    return made
  }
  const one = await died()
  t.match(await read(one.token), { is_valid: true, state: 'valid' })
  const { status, body } = await accept(one.token, one.mailToken, person())
  t.equal(status, 200, body.message)
  const other = await died()
  t.equal((await revoke(other.token)).status, 200)
  t.match(await accept(other.token, other.mailToken, person()), {
    status: 401,
    body: { name: 'TokenInvalid' },
  })
})
