import { test } from 'tap'
import { freshMail, startInviteTests } from './support.ts'

const invites = await startInviteTests()
const { admin, invite, read, update, revoke, request, newUser, deps } = invites
const denied = { status: 401, body: { name: 'InsufficientPermission' } }

test('an invite is changed by an admin or the app_sso_invite member who created it', async (t) => {
  const [maker, other] = [await invites.newInviter(), await invites.newInviter()]
  const { token } = (await invite({}, maker.token)).body
  t.match(await update(token, { mail: freshMail() }, other.token), denied)
  t.match(await revoke(token, other.token), denied)
  t.match(await read(token), { mail: null, is_valid: true })
  t.equal((await update(token, { mail: freshMail() }, maker.token)).status, 200)
  t.equal((await update(token, { mail: null })).status, 200)
  t.equal((await revoke(token, maker.token)).status, 200)
  for (const attempt of [update('nobodys', {}), revoke('nobodys')])
    t.match(await attempt, { status: 404, body: { name: 'NotFound' } })
})

test('inviting needs app_sso_admin or app_sso_invite', async (t) => {
  const { token } = await newUser(admin)
  t.match(await invite({}, token), denied)
  t.match(await request('GET', '/api/user/invite', { token }), denied)
  const maker = await invites.newInviter()
  const made = (await invite({}, maker.token)).body.token
  await request('DELETE', `/api/group/app_sso_invite/${maker.uid}`, { token: admin })
  t.match(await revoke(made, maker.token), denied, 'nor does having been one suffice')
})

test('an inviter cannot assign a group that is, or is nested at any depth in, an app_sso_* group without authority over it', async (t) => {
  const inviter = await invites.newInviter()
  const [inner, outer, plain] = [await invites.newGroup(), await invites.newGroup(), await invites.newGroup()]
  await invites.nest('app_sso_directory_admin', outer)
  await invites.nest(outer, inner)
  const { token } = (await invite({}, inviter.token)).body
  for (const group of ['app_sso_admin', 'APP_SSO_INVITE', outer, inner]) {
    t.match(await invite({ groups: [plain, group] }, inviter.token), denied, group)
    t.match(await update(token, { groups: [group] }, inviter.token), denied, group)
  }
  t.equal((await read(token)).groups, '[]')
  await invites.own('app_sso_directory_admin', inviter.uid)
  t.equal(
    (await invite({ groups: [inner] }, inviter.token)).status,
    200,
    'with authority over that very group',
  )
  t.match(await invite({ groups: ['app_sso_admin'] }, inviter.token), denied)
  t.equal((await invite({ groups: ['app_sso_admin'] })).status, 200, 'an admin may')
})

test('invite.only_owned_groups narrows non-admin inviters to the groups they own', async (t) => {
  const inviter = await invites.newInviter()
  const [owned, other] = [await invites.newGroup(), await invites.newGroup()]
  await invites.own(owned, inviter.uid)
  t.equal((await invite({ groups: [other] }, inviter.token)).status, 200, 'off by default')
  deps.config.invite.only_owned_groups = true
  t.match(await invite({ groups: [other] }, inviter.token), denied)
  t.equal((await invite({ groups: [owned] }, inviter.token)).status, 200)
  t.equal((await invite({ groups: [other] })).status, 200, 'admins are not narrowed')
  deps.config.invite.only_owned_groups = false
})

test('people join by the authority of whoever set the groups last, not of whoever made the invite', async (t) => {
  const inviter = await invites.newInviter()
  const group = await invites.newGroup()
  await invites.nest('app_sso_oauth_admin', group)
  const mail = freshMail()
  const { token } = (await invite({ mail }, inviter.token)).body
  t.equal((await update(token, { groups: [group] })).status, 200)
  const { body } = await invites.accept(token, await invites.mailTokenTo(mail))
  t.ok((await invites.memberOf(body.token)).includes(group))
})

test('whoever is locked by then has no authority left to give', async (t) => {
  const inviter = await invites.newInviter()
  await invites.own('app_sso_oauth_admin', inviter.uid)
  const mails = [freshMail(), freshMail()] as const
  const made = await Promise.all(
    mails.map((mail) => invite({ mail, groups: ['app_sso_oauth_admin'] }, inviter.token)),
  )
  const joined = async (nth: 0 | 1) => {
    const token = made[nth]?.body.token as string
    const { body } = await invites.accept(token, await invites.mailTokenTo(mails[nth]))
    return invites.memberOf(body.token)
  }
  t.same(await joined(0), ['app_sso_oauth_admin'])
  await invites.setActive(inviter.uid, false)
  t.same(await joined(1), [])
})
