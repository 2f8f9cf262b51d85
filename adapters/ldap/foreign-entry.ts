import type { Named, PersonField, Source, SourceGroup, SourcePerson } from '#src/import/source.ts'
import { isWithin, normaliseDn, parseDn } from './dn.ts'
import type { ForeignEntry } from './ldif.ts'

/** Where people and groups must stand to be taken. */
export type Bases = { people?: string | undefined; groups?: string | undefined }

/** inetOrgPerson is a person. */
export const personClasses = ['person', 'inetorgperson', 'posixaccount', 'mailaccount']
export const groupClasses = ['groupofnames', 'groupofuniquenames', 'groupofmembers', 'posixgroup']

/** The attributes of each field in the schemas that are in use (RFC 2798, RFC 2307, lldap), the first one that is there. */
const attributes: Record<PersonField, string[]> = {
  uid: ['uid', 'user_id'],
  givenName: ['givenname', 'first_name', 'firstname'],
  sn: ['sn', 'surname', 'last_name', 'lastname'],
  mail: ['mail', 'email'],
  mobile: ['mobile'],
  dateOfBirth: ['dateofbirth'],
  sshPublicKey: ['sshpublickey'],
  uidNumber: ['uidnumber'],
  homeDirectory: ['homedirectory'],
  loginShell: ['loginshell'],
}

const memberAttributes = ['member', 'uniquemember']
const nameAttributes = ['cn', 'displayname']
const passwordAttribute = 'userpassword'
const lockAttributes = ['pwdaccountlockedtime', 'nsaccountlock']

/** All that is read of an entry. */
export const foreignAttributes = [
  ...Object.values(attributes).flat(),
  ...[...memberAttributes, ...nameAttributes, ...lockAttributes, passwordAttribute],
  ...['objectClass', 'memberUid', 'owner', 'description'],
]

/** What an entry of another directory says, in the names of the wire. */
export function sourceOf(entry: ForeignEntry, bases: Bases): Source {
  const { at } = entry
  const fault = (field: string, reason: string): Source => ({
    is: 'fault',
    at: placeOf(entry),
    field,
    reason,
  })
  if (entry.fault) return fault('entry', entry.fault)
  if (!parseDn(entry.dn)?.length) return fault('dn', 'is no DN')
  const classes = valuesOf(entry, 'objectclass').map((name) => name.toLowerCase())
  const isPerson = personClasses.some((name) => classes.includes(name))
  if (!isPerson && !groupClasses.some((name) => classes.includes(name))) return { is: 'passed', at }
  const base = isPerson ? bases.people : bases.groups
  if (base !== undefined && !isWithin(entry.dn, base)) return fault('dn', 'stands outside the base')
  const read = new Set(foreignAttributes.map((name) => name.toLowerCase()))
  for (const [name, reason] of entry.faults) if (read.has(name)) return fault(name, reason)
  for (const [name, values] of entry.values)
    if (read.has(name) && values.some((value) => value.includes('\uFFFD')))
      return fault(name, 'is not text in UTF-8')
  return isPerson ? personOf(entry) : groupOf(entry)
}

function personOf(entry: ForeignEntry): SourcePerson {
  const values: SourcePerson['values'] = {}
  for (const [field, names] of Object.entries(attributes) as [PersonField, string[]][]) {
    const found = names.map((name) => valuesOf(entry, name)).find((all) => all.length > 0) ?? []
    const value = field === 'sshPublicKey' ? found.join('\n') : named(entry, names, found)
    if (value) values[field] = value
  }
  const full = valuesOf(entry, 'cn')[0] ?? valuesOf(entry, 'displayname')[0]
  Object.assign(values, { ...namesFrom(full), ...values })
  const [password] = valuesOf(entry, passwordAttribute)
  return {
    ...{ is: 'person', at: placeOf(entry), dn: normaliseDn(entry.dn), values, groups: [] },
    ...(password ? { password } : {}),
    ...(isLocked(entry) ? { isActive: false } : {}),
  }
}

/** Of several uids the one the entry is named by. */
function named({ dn }: ForeignEntry, names: string[], found: string[]): string | undefined {
  const [first] = parseDn(dn) ?? []
  if (!first || found.length < 2 || !names.includes(first.attribute.toLowerCase())) return found[0]
  return found.find((value) => value.toLowerCase() === first.value.toLowerCase()) ?? found[0]
}

/** Who has no given name or family name of their own: the full name before and after its last blank, or twice. */
function namesFrom(full: string | undefined): SourcePerson['values'] {
  const words = full?.trim().split(/\s+/) ?? []
  const sn = words.at(-1)
  if (!sn) return {}
  return { givenName: words.slice(0, -1).join(' ') || sn, sn }
}

/** By slapo-ppolicy's "for ever", or by 389 Directory Server. */
function isLocked(entry: ForeignEntry): boolean {
  const lockedTime = valuesOf(entry, 'pwdaccountlockedtime')[0]
  return lockedTime?.startsWith('0000') || valuesOf(entry, 'nsaccountlock')[0]?.toLowerCase() === 'true'
}

function groupOf(entry: ForeignEntry): SourceGroup {
  const dns = (names: string[]): Named[] =>
    names.flatMap((name) => valuesOf(entry, name)).map((dn) => ({ dn: normaliseDn(withoutUid(dn)) }))
  const description = valuesOf(entry, 'description')[0]
  return {
    ...{ is: 'group', at: placeOf(entry), dn: normaliseDn(entry.dn) },
    cn: named(entry, ['cn'], valuesOf(entry, 'cn')) ?? '',
    members: [...dns(memberAttributes), ...valuesOf(entry, 'memberuid').map((uid) => ({ uid }))],
    owners: dns(['owner']),
    ...(description ? { description } : {}),
  }
}

/** uniqueMember may carry a bit string behind its DN (RFC 4517 section 3.3.21). */
function withoutUid(dn: string): string {
  return dn.replace(/#'[01]*'B$/, '')
}

function valuesOf({ values }: ForeignEntry, name: string): string[] {
  return (values.get(name) ?? []).filter((value) => value.trim() !== '')
}

function placeOf({ at, dn }: ForeignEntry): string {
  return dn === '' || at === dn ? at : `${at} (${dn})`
}
