import type { Entry } from 'ldapts'
import { oids } from './controls.ts'
import { firstOf, valuesOf } from './entry.ts'
import { equals, present } from './filters.ts'
import type { Layout } from './layout.ts'
import type { Pool } from './pool.ts'
import type { Schema } from './schema.ts'
import { parseSchema } from './schema.ts'
import { syncOids } from './sync/messages.ts'

/** One line of the report an operator reads: what is missing, and what follows from it. */
export type Capability = { feature: string; available: boolean; consequence: string }

/** What this server can do and hold; the adapter writes nothing it cannot. */
export type Capabilities = Awaited<ReturnType<typeof readCapabilities>>

export type Observed = {
  /** Everybody has a uidNumber. */
  numbered: boolean
  /** The server keeps mail, mobile and uid unique; undefined while nobody is there to try it with. */
  unique?: boolean
  decoy: boolean
  /** The server verifies the argon2id hashes that are made here. */
  argon2id: boolean
  /** A userPassword can be written like any attribute: as argon2id, or the server hashes what is written in clear. */
  hashes: boolean
  /** A locked account cannot bind by itself either. */
  locks: boolean
  /** The service may see whether there is a userPassword. */
  seesPasswords: boolean
}

/**
 * Read from the root DSE and the subschema at start. Throws an Error that says what to do when a base DN is missing:
 * nothing else stops the start.
 */
export async function readCapabilities(pool: Pool, layout: Layout) {
  const rootDse = await readRootDse(pool)
  const schema = await readSchema(pool, rootDse)
  await requireBases(pool, layout)
  const knows = (attribute: string) => schema.attributes.has(attribute.toLowerCase())
  const offers = (oid: string) =>
    [...valuesOf(rootDse, 'supportedControl'), ...valuesOf(rootDse, 'supportedExtension')].includes(oid)
  const userClasses = layout.user.classes.filter((name) => schema.classes.has(name.toLowerCase()))
  const posixGroup = schema.classes.get('posixgroup')
  const groupClass = schema.classes.get(layout.group.class.toLowerCase())
  return {
    postRead: offers(oids.postRead),
    sync: offers(syncOids.request),
    serverSort: offers(oids.sort),
    passwordModify: offers(oids.passwordModify),
    lock: knows('pwdAccountLockedTime') && knows('pwdEndTime'),
    mustChange: knows('pwdReset'),
    mobile: knows(layout.user.mobile),
    dateOfBirth: knows(layout.user.dateOfBirth),
    sshPublicKey: knows(layout.user.sshPublicKey),
    preferredLanguage: knows(layout.user.preferredLanguage),
    userClasses,
    /** New users get a POSIX number, home and shell. */
    posix: userClasses.some((name) => name.toLowerCase() === 'posixaccount'),
    /** posixGroup is AUXILIARY in rfc2307bis; in the nis schema it is a group of its own kind. */
    posixGroup: posixGroup?.kind === 'AUXILIARY',
    /** Some deployed schemas make the key a MUST of its class: without a key the class goes too. */
    keyClass: classNeeding(schema, 'ldapPublicKey', layout.user.sshPublicKey),
    /** The server itself refuses to empty a group (65). */
    memberRequired: groupClass?.must.has(layout.group.member.toLowerCase()) ?? false,
    /** What preparation found out by trying (prepare.ts). */
    observed: {
      numbered: false,
      decoy: false,
      argon2id: false,
      hashes: false,
      seesPasswords: false,
      locks: false,
    } as Observed,
  }
}

/** The report, in the order an operator wants to know. */
export function reportOf(found: Capabilities): Capability[] {
  const { observed } = found
  const row = (feature: string, available: boolean, consequence: string): Capability => ({
    feature,
    available,
    consequence: available ? '' : consequence,
  })
  return [
    row(
      'locking accounts (ppolicy)',
      found.lock,
      'accounts cannot be deactivated: load the ppolicy module and overlay',
    ),
    row(
      'locks enforced by the directory',
      observed.locks,
      'locked users can still bind directly and on Linux hosts: load the ppolicy overlay',
    ),
    row('password_must_change (pwdReset)', found.mustChange, 'nobody is made to change a password'),
    row(
      'unique mail, mobile and uid',
      observed.unique ?? true,
      'looked up before writing, so a race can make duplicates: load the unique overlay with "serialize"',
    ),
    row(
      'argon2id',
      observed.argon2id,
      'the server hashes passwords in its own way: by setting, or load the argon2 module',
    ),
    row(
      'hashing of passwords on write',
      observed.hashes,
      'passwords are set by a second operation (RFC 3062): set olcPPolicyHashCleartext',
    ),
    row(
      'password modify (RFC 3062)',
      found.passwordModify,
      'the current password is checked before the new one is set, in two operations',
    ),
    row('decoy entry', observed.decoy, 'unknown and locked users are refused sooner than wrong passwords'),
    row(
      'seeing whether a password is set',
      observed.seesPasswords,
      'accounts without a password are refused sooner',
    ),
    row('POSIX accounts', found.posix, 'users get no uidNumber; Linux hosts do not see them'),
    row('POSIX groups (rfc2307bis)', found.posixGroup, 'Linux hosts do not see new groups'),
    row('everybody has a uidNumber', observed.numbered, 'lists page by createTimestamp'),
    row(
      'members are required',
      found.memberRequired,
      'the last member is looked up before removing one, so a race can empty a group',
    ),
    row('sorting by the server (sssvlv)', found.serverSort, 'lists are sorted for up to 10,000 matches'),
    row('post-read (RFC 4527)', found.postRead, 'one more round trip for each write'),
    row(
      'feed of changes (syncrepl, RFC 4533)',
      found.sync,
      'effective groups take a round trip for each level: load the syncprov overlay',
    ),
    row('phone numbers', found.mobile, 'mobile is refused'),
    row('dates of birth', found.dateOfBirth, 'dateOfBirth is refused: load the schema latchkey.ldif'),
    row('languages of people', found.preferredLanguage, 'preferredLanguage is refused'),
    row('SSH keys', found.sshPublicKey, 'sshPublicKey is refused: load the schema openssh-lpk.ldif'),
  ]
}

async function readRootDse(pool: Pool): Promise<Entry> {
  const attributes = [
    'supportedControl',
    'supportedExtension',
    'subschemaSubentry',
    'vendorName',
    'vendorVersion',
  ]
  const [rootDse] = await pool.search('', { scope: 'base', filter: present('objectClass'), attributes })
  if (!rootDse) throw new Error('The LDAP server does not show its root DSE to the service')
  return rootDse
}

async function readSchema(pool: Pool, rootDse: Entry): Promise<Schema> {
  const attributes = ['objectClasses', 'attributeTypes']
  const base = firstOf(rootDse, 'subschemaSubentry') ?? 'cn=Subschema'
  const [entry] = await pool.search(base, {
    scope: 'base',
    filter: equals('objectClass', 'subschema'),
    attributes,
  })
  if (!entry) throw new Error(`The LDAP server does not show its schema (${base}) to the service`)
  return parseSchema(valuesOf(entry, 'objectClasses'), valuesOf(entry, 'attributeTypes'))
}

async function requireBases(pool: Pool, layout: Layout): Promise<void> {
  const missing: string[] = []
  for (const base of new Set([layout.base, layout.user.base, layout.group.base])) {
    const found = await pool.search(base, {
      scope: 'base',
      filter: present('objectClass'),
      attributes: ['1.1'],
    })
    if (found.length === 0) missing.push(base)
  }
  if (missing.length > 0)
    throw new Error(
      `The directory has no entry ${missing.join(' and no entry ')}, or hides it from the service: create it, or set ldap.base, ldap.people.base and ldap.groups.base`,
    )
}

function classNeeding(schema: Schema, name: string, attribute: string): string | undefined {
  return schema.classes.get(name.toLowerCase())?.must.has(attribute.toLowerCase()) ? name : undefined
}
