import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'
import { Client } from 'ldapts'
import t from 'tap'
import { readCapabilities } from '#adapters/ldap/capabilities.ts'
import { tryDecoy } from '#adapters/ldap/decoy.ts'
import { replace } from '#adapters/ldap/entry.ts'
import { present } from '#adapters/ldap/filters.ts'
import { argon2id } from '#adapters/ldap/hash.ts'
import { layoutOf } from '#adapters/ldap/layout.ts'
import { openPool } from '#adapters/ldap/pool.ts'
import type { TestServers } from '#test/support/servers.ts'
import { startTestServers } from '#test/support/servers.ts'
import { bareClient, collect, configOf, log, openOn, person, silent } from './support.ts'

const servers = await startTestServers()
t.teardown(() => servers[Symbol.asyncDispose]())
const { ldap } = servers
await dropOverlays(servers)

/** Another house's directory: people and groups of its own making, in places and classes of its own. */
const client = await bareClient(ldap)
const ou = (name: string, parent = ldap.base) =>
  client.add(`ou=${name},${parent}`, { objectClass: 'organizationalUnit', ou: name })
await ou('accounts')
await ou('sales', `ou=accounts,${ldap.base}`)
await ou('teams')
const zoe = `cn=Zoë Müller,ou=sales,ou=accounts,${ldap.base}`
await client.add(zoe, {
  objectClass: 'inetOrgPerson',
  ...{ cn: 'Zoë Müller', sn: 'Müller', givenName: 'Zoë', uid: ['zoë müller', 'zm'], mail: 'zoe@example.org' },
  ...{ userPassword: 'in clear, as it was', telephoneNumber: '+491', employeeNumber: '4711' },
})
await client.add(`uid=old,ou=accounts,${ldap.base}`, {
  objectClass: ['inetOrgPerson', 'posixAccount'],
  ...{ uid: 'old', cn: 'Old Hand', sn: 'Hand', mail: 'old@example.org' },
  ...{ uidNumber: '70000', gidNumber: '100', homeDirectory: '/home/old' },
})
await client.add(`cn=Vertrieb Süd,ou=teams,${ldap.base}`, {
  objectClass: 'groupOfUniqueNames',
  cn: 'Vertrieb Süd',
  uniqueMember: zoe,
})
await client.del(`cn=uidNumber,ou=services,${ldap.base}`)
await client.del(`cn=decoy,ou=services,${ldap.base}`)
await client.del(`cn=nobody,ou=services,${ldap.base}`)
await client.unbind()

const settings = {
  people__base: 'ou=accounts',
  people__attributes__mobile: 'telephoneNumber',
  groups__base: `ou=teams,${ldap.base}`,
  groups__filter: '(objectClass=groupOfUniqueNames)',
  groups__objectClass: 'groupOfUniqueNames',
  groups__member: 'uniqueMember',
}
const directory = await openOn(ldap, settings)
t.teardown(() => directory[Symbol.asyncDispose]())
await directory.prepare()
const { users, groups } = directory

t.test('the start is refused when a base DN is missing, and says which', async (t) => {
  await t.rejects(openOn(ldap, { people__base: 'ou=nowhere' }), {
    message: /no entry ou=nowhere,dc=example,dc=org/,
  })
  await t.rejects(openOn(ldap, { groups__base: 'ou=nothing,o=else' }), { message: /ou=nothing,o=else/ })
  await t.rejects(openOn(ldap, { people__filter: '(((' }), { message: /people.filter/ })
})

t.test('the report names what this server lacks and what follows', async (t) => {
  const missing = directory.capabilities.filter(({ available }) => !available)
  t.same(
    new Set(missing.map(({ feature }) => feature)),
    new Set([
      'locks enforced by the directory',
      'unique mail, mobile and uid',
      'everybody has a uidNumber',
      'sorting by the server (sssvlv)',
    ]),
  )
  for (const { consequence } of missing) t.match(consequence, /\w/)
})

t.test('a password check that another starting pod upset is not taken for a lock that holds', async (t) => {
  const config = configOf(ldap, settings)
  await using pool = await openPool(config, log, () => {})
  const layout = layoutOf(config)
  const capabilities = await readCapabilities(pool, layout)
  const other = await argon2id('the password of another pod', layout.password)
  let upset = 0
  const verify = async (dn: string, password: string) => {
    const locked = { scope: 'base' as const, filter: present('pwdAccountLockedTime') }
    if ((await pool.search(dn, locked)).length > 0) {
      upset++
      await pool.write('change', (connection) => connection.modify(dn, [replace('userPassword', other)]))
    }
    return pool.verify(dn, password)
  }
  await tryDecoy({ pool: { ...pool, verify }, layout, capabilities })
  t.ok(upset > 0)
  t.match(capabilities.observed, { argon2id: true, locks: false }, 'this server enforces none')
})

t.test('names that an existing directory already holds are served as they are', async (t) => {
  const found = await users.find('Zoë Müller')
  t.match(found, { uid: 'zoë müller', dn: zoe, sn: 'Müller', mobile: '+491', isActive: true })
  t.notHas(found, 'uidNumber')
  t.equal((await users.findByLogin('zoe@example.org'))?.dn, zoe)
  t.same((await users.findByDns([zoe])).length, 1)
  t.equal(await users.verifyPassword(found, 'in clear, as it was'), true)
  t.equal(await users.verifyPassword(found, 'another'), false)
})

t.test('they can be changed, locked and unlocked where they are', async (t) => {
  t.match(await users.update('zm', { sn: 'Maier', mobile: '+492' }), { dn: zoe, sn: 'Maier', mobile: '+492' })
  const dated = await users.update('zm', { dateOfBirth: '1970-01-01', sshPublicKey: 'ssh-ed25519 AAAA z' })
  t.match(
    dated,
    { dateOfBirth: '1970-01-01', sshPublicKey: 'ssh-ed25519 AAAA z' },
    'the classes came with it',
  )
  t.equal(await users.setPassword('zm', 'hashed from now on', { mustChange: false }), true)
  t.equal(await users.verifyPassword(dated, 'hashed from now on'), true)
  const change = { mustChange: false, current: 'hashed from now on' }
  t.equal(await users.setPassword('zm', 'changed by themself', change), true)
  await t.rejects(users.setPassword('zm', 'changed by themself', change), { name: 'LoginFailed' })
  t.equal(await users.verifyPassword(dated, 'changed by themself'), true)
  t.match(
    await users.update('zm', { mail: 'ZOE@example.org' }),
    { mail: 'ZOE@example.org' },
    'no clash with oneself',
  )
  t.match(await users.setActive('zm', false), { isActive: false })
  t.equal(
    await users.verifyPassword(dated, 'changed by themself'),
    false,
    'though this server would let them in',
  )
  t.match(await users.setActive('zm', true), { isActive: true })
})

t.test('new people get numbers above all there are', async (t) => {
  const made = await users.create(person({ uid: 'new' }))
  t.equal(made.uidNumber, 70001)
  t.equal(made.dn, `uid=new,ou=accounts,${ldap.base}`)
})

t.test('mail and mobile stay unique, looked up where the server has no overlay', async (t) => {
  await t.rejects(users.create(person({ mail: 'ZOE@example.org' })), { name: 'MailInUse' })
  await t.rejects(users.create(person({ mobile: '+492' })), { name: 'MobileInUse' })
  await t.rejects(users.create(person({ uid: 'zm' })), { name: 'AlreadyExists' })
  await t.rejects(users.update('new', { mail: 'zoe@example.org' }), { name: 'MailInUse' })
  t.match(
    await users.update('new', { mail: 'NEW@example.org' }),
    { mail: 'NEW@example.org' },
    'its own is no clash',
  )
})

t.test('groups of unique names are groups like others', async (t) => {
  const team = await groups.find('vertrieb süd')
  t.match(team, { cn: 'Vertrieb Süd', member: [zoe], owner: [] })
  const [made] = await users.findByDns([`uid=new,ou=accounts,${ldap.base}`])
  t.equal(await groups.addMember('Vertrieb Süd', made?.dn as string), true)
  t.equal(await groups.isEffectiveMember(zoe, 'Vertrieb Süd'), true)
  await groups.create({ cn: 'all', member: team?.dn as string, owner: zoe })
  t.same((await groups.effectiveMembersOf('all'))?.effective, [zoe, made?.dn])
  t.equal(await users.remove('zm'), true)
  await t.rejects(groups.removeMember('Vertrieb Süd', made?.dn as string), { name: 'LastMember' })
})

t.test(
  'who is put into a group while the account goes is in none afterwards, though no overlay looks',
  async (t) => {
    const [leaver, stayer] = [await users.create(person()), await users.create(person())]
    await groups.create({ cn: 'left', member: [stayer.dn, leaver.dn], owner: stayer.dn })
    await groups.create({ cn: 'joined late', member: stayer.dn, owner: stayer.dn })
    const onChange = async ({ group }: { group?: string }) => {
      if (group !== 'left') return
      await groups.addMember('joined late', leaver.dn)
      await groups.addOwner('joined late', leaver.dn)
    }
    await using pod = await openOn(ldap, settings, { ...silent, onChange })
    t.equal(await pod.users.remove(leaver.uid), true)
    for (const cn of ['left', 'joined late']) {
      const { member, owner } = (await groups.find(cn)) ?? {}
      t.same({ member, owner }, { member: [stayer.dn], owner: [stayer.dn] }, cn)
    }
  },
)

t.test('lists are sorted here when the server does not', async (t) => {
  const names = ['Émile', 'Zora', 'anna', 'Bertha']
  for (const [n, sn] of names.entries()) await users.create(person({ uid: `sort${n}`, sn }))
  const order = ['anna', 'Bertha', 'Zora', 'Émile']
  t.same(
    (await collect(users.list({ q: 'sort', sort: 'sn' }))).map(({ sn }) => sn),
    order,
  )
  const first = await users.page({ q: 'sort', sort: 'sn', limit: 3 })
  const rest = await users.page({ q: 'sort', sort: 'sn', limit: 3, after: first.next })
  t.same(
    [...first.entries, ...rest.entries].map(({ sn }) => sn),
    order,
  )
  t.equal(rest.next, undefined)
})

/** What a plain slapd has: none. Its owner changes its configuration over the socket. */
async function dropOverlays({ dir }: TestServers): Promise<void> {
  const socket = connect({ path: join(dir, 'ldap/ldapi') })
  await once(socket, 'connect')
  const owner = new Client({
    url: 'ldap://localhost',
    createConnection: (() => socket) as unknown as typeof connect,
  })
  await owner.bind('EXTERNAL')
  const { searchEntries } = await owner.search('cn=config', {
    filter: '(objectClass=olcOverlayConfig)',
    attributes: ['1.1'],
  })
  for (const { dn } of searchEntries.reverse()) await owner.del(dn)
  await owner.unbind()
}
