import { Attribute, Change } from 'ldapts'
import t from 'tap'
import type { isRefusal } from '#src/errors.ts'
import { bareClient, bindsAs, collect, counted, dnOf, person, startTestDirectory } from './support.ts'

const { users, ldap, trips, changes, directory, ...test } = await startTestDirectory()
t.teardown(() => test[Symbol.asyncDispose]())

t.test('an account is made in three round trips, as the contract describes it', async (t) => {
  // The first account also shows whether the server keeps mails unique.
  await users.create(person())
  const fields = person({
    uid: 'alice',
    mobile: '+491711234567',
    dateOfBirth: '1990-01-31',
    sshPublicKey: 'ssh-ed25519 AAAA one\nssh-ed25519 BBBB two',
  })
  changes.length = 0
  const { value: alice, sent } = await counted(trips, () => users.create(fields))
  t.same(sent, ['search', 'modify', 'add'])
  t.same(changes, [{ uid: 'alice' }])
  const { password, ...known } = fields
  t.match(alice, {
    ...known,
    dn: `uid=alice,ou=people,${ldap.base}`,
    isActive: true,
    password_must_change: false,
  })
  t.match(alice.createTimestamp, /^\d{14}Z$/)
  t.match(alice.entryUUID, /^[0-9a-f-]{36}$/)
  t.ok((alice.uidNumber as number) >= 10000)

  const client = await bareClient(ldap)
  const [entry] = (await client.search(alice.dn, { scope: 'base' })).searchEntries
  await client.unbind()
  t.same(
    new Set(entry?.objectClass as string[]),
    new Set(['inetOrgPerson', 'posixAccount', 'ldapPublicKey', 'latchkeyAccount']),
  )
  t.match(entry, {
    cn: 'Ada Lovelace',
    gidNumber: String(alice.uidNumber),
    uidNumber: String(alice.uidNumber),
    homeDirectory: '/home/alice',
    loginShell: '/bin/bash',
    sshPublicKey: ['ssh-ed25519 AAAA one', 'ssh-ed25519 BBBB two'],
  })
  t.match(String(entry?.userPassword), /^\{ARGON2\}\$argon2id\$/, 'in a form that stock slapd verifies')
  t.ok(await bindsAs(ldap, alice.dn, password))
})

t.test('somebody is found by uid, by mail and by DN, in one round trip', async (t) => {
  const { value: found, sent } = await counted(trips, () => users.find('ALICE'))
  t.match(found, { uid: 'alice', mobile: '+491711234567' })
  t.same(sent, ['search'])
  t.equal((await users.findByLogin('Alice@Example.org'))?.uid, 'alice')
  t.equal((await users.findByLogin('alice'))?.uid, 'alice')
  const odd = [
    `UID=Alice, ou=People,${ldap.base}`,
    `uid=nobody,ou=people,${ldap.base}`,
    `cn=alice,${ldap.base}`,
  ]
  t.same(
    (await users.findByDns(odd)).map(({ uid }) => uid),
    ['alice'],
  )
  t.equal(await users.find('nobody'), undefined)
  t.equal(await users.findByLogin('nobody'), undefined)
  t.same(await users.exists(['alice', 'free']), new Set(['alice']))
})

t.test('full-width and blank-edged spellings are the same name, zero-width ones are none', async (t) => {
  t.equal((await users.find(' ａｌｉｃｅ '))?.uid, 'alice')
  t.equal((await users.findByLogin('Ａlice'))?.uid, 'alice')
  for (const name of ['al\u200bice', 'alice\u00ad', '\u2060alice', 'alice\0', '', 'al\nice'])
    t.equal(await users.find(name), undefined, JSON.stringify(name))
})

t.test('uid, mail and mobile belong to one account: AlreadyExists, MailInUse, MobileInUse', async (t) => {
  const refused = async (fields: Parameters<typeof person>[0], name: Parameters<typeof isRefusal>[1]) =>
    t.rejects(users.create(person(fields)), { name })
  await refused({ uid: 'alice' }, 'AlreadyExists')
  await refused({ mail: 'ALICE@example.org' }, 'MailInUse')
  await refused({ mobile: '+491711234567' }, 'MobileInUse')
  const bob = await users.create(person({ uid: 'bob', mobile: '+49170' }))
  await t.rejects(users.update('bob', { mail: 'Alice@example.org' }), { name: 'MailInUse' })
  await t.rejects(users.update('bob', { mobile: '+491711234567' }), { name: 'MobileInUse' })
  t.same(await users.find('bob'), bob, 'nothing of it was written')
})

t.test('an update answers the account as it is then', async (t) => {
  changes.length = 0
  const mail = await counted(trips, () => users.update('bob', { mail: 'robert@example.org' }))
  t.same(mail.sent, ['modify'])
  t.match(mail.value, { uid: 'bob', mail: 'robert@example.org' })
  t.same(changes, [{ uid: 'bob' }])
  const name = await counted(trips, () => users.update('bob', { givenName: 'Robert' }))
  t.same(name.sent, ['search', 'modify'])
  t.match(name.value, { givenName: 'Robert', sn: 'Lovelace' })
  t.same((await collect(users.list({ q: 'Robert Lovelace' }))).length, 1, 'the full name follows')
  t.equal(await users.update('nobody', { mail: 'n@example.org' }), undefined)
})

t.test('null or empty removes an optional attribute', async (t) => {
  const full = await users.update('bob', { dateOfBirth: '1980-05-05', sshPublicKey: 'ssh-ed25519 CCCC c' })
  t.match(full, { dateOfBirth: '1980-05-05', sshPublicKey: 'ssh-ed25519 CCCC c', mobile: '+49170' })
  const bare = await users.update('bob', { dateOfBirth: null, sshPublicKey: '', mobile: '' })
  for (const name of ['dateOfBirth', 'sshPublicKey', 'mobile']) t.notHas(bare, name)
  t.same(await users.find('bob'), bare)
})

t.test('a locked account is refused by the directory itself, whatever the password', async (t) => {
  const { dn } = await users.create(person({ uid: 'carol', password: 'carol says so' }))
  t.ok(await bindsAs(ldap, dn, 'carol says so'))
  const { value: locked, sent } = await counted(trips, () => users.setActive('carol', false))
  t.same(sent, ['modify'], 'both attributes in one step')
  t.match(locked, { uid: 'carol', isActive: false })
  t.notOk(await bindsAs(ldap, dn, 'carol says so'))

  await users.setPassword('carol', 'another word', { mustChange: false })
  t.notOk(await bindsAs(ldap, dn, 'another word'), 'a password change does not unlock')
  const client = await bareClient(ldap)
  const attributes = ['pwdAccountLockedTime', 'pwdEndTime']
  const [entry] = (await client.search(dn, { scope: 'base', attributes })).searchEntries
  await client.unbind()
  t.match(
    entry,
    { pwdAccountLockedTime: '000001010000Z', pwdEndTime: '19700101000000Z' },
    'nor for Linux hosts',
  )

  t.match(await users.setActive('carol', true), { isActive: true })
  t.match(await users.setActive('carol', true), { isActive: true }, 'unlocking twice is no error')
  t.ok(await bindsAs(ldap, dn, 'another word'))
  t.equal(await users.setActive('nobody', false), undefined)
})

t.test("slapd's own lockout after failures is not an administrator's lock", async (t) => {
  const { dn } = await users.create(person({ uid: 'dave' }))
  const client = await bareClient(ldap)
  const modification = new Attribute({ type: 'pwdAccountLockedTime', values: ['20260101000000Z'] })
  await client.modify(dn, new Change({ operation: 'replace', modification }))
  await client.unbind()
  t.match(await users.find('dave'), { isActive: true })
})

t.test('password_must_change lives with the account', async (t) => {
  t.match(await users.create(person({ uid: 'erin' }), { mustChange: true }), { password_must_change: true })
  t.match(await users.find('erin'), { password_must_change: true })
  const { sent } = await counted(trips, () =>
    users.setPassword('erin', 'erin chose this', { mustChange: false }),
  )
  t.same(sent, ['modify'], 'password and mark in one step')
  t.match(await users.find('erin'), { password_must_change: false })
  await users.setPassword('erin', 'an admin set this', { mustChange: true })
  t.match(await users.find('erin'), { password_must_change: true })
  t.ok(await users.verifyPassword(await users.find('erin'), 'an admin set this'), 'it still signs in')
})

t.test('where the server hashes, its policy speaks: InvalidInput with the reason', async (t) => {
  await using directory = await test.open({ password__hash: 'server' })
  await directory.prepare()
  const { users } = directory
  const { dn } = await users.create(person({ uid: 'heidi', password: 'the first one' }), { mustChange: true })
  t.match(await users.find('heidi'), { password_must_change: true })
  t.ok(await bindsAs(ldap, dn, 'the first one'))
  const short = { name: 'InvalidInput', message: 'The password is too short.' }
  await t.rejects(users.setPassword('heidi', 'short', { mustChange: false }), short)
  await t.rejects(users.create(person({ password: 'short' })), short)
  const change = { mustChange: false, current: 'not the first one' }
  await t.rejects(users.setPassword('heidi', 'the second one', change), { name: 'LoginFailed' })
  await users.setPassword('heidi', 'the second one', { ...change, current: 'the first one' })
  t.match(await users.find('heidi'), { password_must_change: false })
  t.ok(await bindsAs(ldap, dn, 'the second one'))
  t.equal(await users.setPassword('nobody', 'long enough', { mustChange: false }), false)
})

t.test('an own change checks the current password', async (t) => {
  const { dn } = await users.create(person({ uid: 'frank', password: 'the first one' }))
  const change = { mustChange: false, current: 'not the first one' }
  await t.rejects(users.setPassword('frank', 'the second one', change), { name: 'LoginFailed' })
  await t.rejects(users.setPassword('frank', 'the second one', { ...change, current: '' }), {
    name: 'LoginFailed',
  })
  t.ok(await bindsAs(ldap, dn, 'the first one'))
  t.equal(await users.setPassword('frank', 'the second one', { ...change, current: 'the first one' }), true)
  t.notOk(
    await users.verifyPassword({ dn }, 'the first one'),
    'an old password is dead the moment the change answers',
  )
  t.ok(await users.verifyPassword({ dn }, 'the second one'))
})

t.test('a deleted account is gone, and its number is never given again', async (t) => {
  const grace = await users.create(person({ uid: 'grace' }))
  t.equal(await users.remove('grace'), true)
  t.equal(await users.find('grace'), undefined)
  t.equal(await users.remove('grace'), false)
  const again = await users.create(person({ uid: 'grace' }))
  t.ok((again.uidNumber as number) > (grace.uidNumber as number))
  t.not(again.entryUUID, grace.entryUUID)
})

t.test('the report says that nothing is missing here', async (t) => {
  t.ok(directory.capabilities.length > 10)
  t.same(
    directory.capabilities.filter(({ available }) => !available),
    [],
  )
  t.ok(dnOf(await users.find('alice')))
})
