import { setTimeout as pause } from 'node:timers/promises'
import tap, { test } from 'tap'
import { Refusal } from '#src/errors.ts'
import { claim, finish, giveBack } from '#src/invite/claim.ts'
import { until } from '#test/support/until.ts'
import { freshMail, startInviteTests } from './support.ts'

const tests = await startInviteTests()
const { accept, ask, deps, invite, mailTokenTo, memberOf, newGroup, read, request, revoke, servers } = tests
/** Waits for nothing longer than a second; asked only where something is away. */
const hasty = await tests.secondPod({ app_ldap__timeout: '1000', app_redis__timeout: '1000' })
tap.teardown(() => hasty[Symbol.asyncDispose]())

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
const bothReady = async () => {
  for (const pod of [tests, hasty])
    while ((await pod.request('GET', '/readyz')).status !== 200) await pause(50)
}

for (const [system, server] of [
  ['the directory', servers.ldap],
  ['Redis', servers.redis],
] as const)
  test(`an invite is as good as before after an acceptance that ${system} left without an answer`, async (t) => {
    const { token, mailToken, group } = await invited()
    const fields = person()
    server.signal('SIGSTOP')
    t.match(await accept(token, mailToken, fields, hasty), {
      status: 502,
      body: { name: 'UpstreamFailure' },
    })
    server.signal('SIGCONT')
    await bothReady()
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

test('an invite is given back as soon as Redis hears it, also where nobody knows whether it was claimed', async (t) => {
  const { token, mailToken } = await invited()
  const { change } = deps.store.invites
  let calls = 0
  // The answer to the claim is lost, and so are the first two tries to give it back.
  deps.store.invites.change = async (...args) => {
    const call = ++calls
    const done = call === 2 || call === 3 ? undefined : await change(...args)
    if (call <= 3) throw new Refusal('UpstreamFailure')
    return done
  }
  t.equal((await accept(token, mailToken, person())).status, 502)
  await until('it was tried again', async () => calls > 3, 20)
  const { status, body } = await accept(token, mailToken, person())
  deps.store.invites.change = change
  t.equal(status, 200, body.message)
})

test('who took an acceptance over is not disturbed by the one that was given up', async (t) => {
  const { token } = await invited()
  const { invites } = deps.store
  const late = await claim(deps, token, 'late', () => true)
  const now = { state: 'used' as const, used_by: 'heir', used_on: Date.now() + 1, unfinished: true }
  await invites.change(token, (record) => ({ ...record, ...now }))
  await t.rejects(finish(deps, late), { name: 'TokenInvalid' })
  giveBack(deps, late, new Error('it failed in the end'))
  await pause(300)
  t.match(await invites.find(token), now)
})
