import type { Entry } from 'ldapts'
import type { Capabilities } from './capabilities.ts'
import { parseDn } from './dn.ts'
import { firstOf, valuesOf } from './entry.ts'
import type { Layout } from './layout.ts'
import { parseTime } from './time.ts'

/** A person as the directory has them, in the names of the wire. */
export type UserEntry = {
  uid: string
  dn: string
  /** Never reused, unlike a uid. */
  entryUUID: string
  givenName: string
  sn: string
  mail: string
  mobile?: string
  /** `YYYY-MM-DD` */
  dateOfBirth?: string
  /** All keys, one per line. */
  sshPublicKey?: string
  /** Absent in an existing directory for people who are no POSIX accounts. */
  uidNumber?: number
  isActive: boolean
  /** LDAP generalized time, as the interface has it. */
  createTimestamp: string
  password_must_change: boolean
}

/** What a list tells of a person. */
export type UserSummary = Pick<UserEntry, 'uid' | 'givenName' | 'sn' | 'mail'>

/** The documented "for ever" of slapo-ppolicy: locked by an administrator. */
export const lockedForEver = '000001010000Z'
/** A password that ended in 1970: outlives password changes, which the above does not. */
export const endedLongAgo = '19700101000000Z'

const operational = ['entryUUID', 'createTimestamp']
const policy = ['pwdReset', 'pwdAccountLockedTime', 'pwdEndTime']

/** What to ask for to make a UserEntry of it. */
export function userAttributes(
  { user }: Layout,
  capabilities: Pick<Capabilities, 'lock' | 'mustChange'>,
): string[] {
  const { uid, givenName, sn, mail, mobile, dateOfBirth, sshPublicKey, uidNumber } = user
  const state = capabilities.lock || capabilities.mustChange ? policy : []
  return [uid, givenName, sn, mail, mobile, dateOfBirth, sshPublicKey, uidNumber, ...operational, ...state]
}

export function summaryOf(entry: Entry, { user }: Pick<Layout, 'user'>): UserSummary {
  return {
    uid: uidOf(entry, user.uid),
    givenName: firstOf(entry, user.givenName) ?? '',
    sn: firstOf(entry, user.sn) ?? '',
    mail: firstOf(entry, user.mail) ?? '',
  }
}

export function userOf(entry: Entry, { user }: Pick<Layout, 'user'>): UserEntry {
  const mobile = firstOf(entry, user.mobile)
  const dateOfBirth = firstOf(entry, user.dateOfBirth)
  const sshPublicKey = valuesOf(entry, user.sshPublicKey).join('\n')
  const uidNumber = firstOf(entry, user.uidNumber)
  return {
    ...summaryOf(entry, { user }),
    dn: entry.dn,
    entryUUID: firstOf(entry, 'entryUUID') ?? '',
    ...(mobile ? { mobile } : {}),
    ...(dateOfBirth ? { dateOfBirth } : {}),
    ...(sshPublicKey ? { sshPublicKey } : {}),
    ...(uidNumber ? { uidNumber: Number(uidNumber) } : {}),
    isActive: isActive(entry),
    createTimestamp: firstOf(entry, 'createTimestamp') ?? '',
    password_must_change: firstOf(entry, 'pwdReset') === 'TRUE',
  }
}

/**
 * Inactive when an administrator locked the account. Any other date in pwdAccountLockedTime is slapd's own lockout
 * after failed logins, which passes.
 */
export function isActive(entry: Entry): boolean {
  const end = firstOf(entry, 'pwdEndTime')
  if (end !== undefined && parseTime(end) <= Date.now() / 1000) return false
  return !firstOf(entry, 'pwdAccountLockedTime')?.startsWith('0000')
}

/** Of several uids the one the entry is named by. */
function uidOf(entry: Entry, attribute: string): string {
  const values = valuesOf(entry, attribute)
  if (values.length < 2) return values[0] ?? ''
  const named = parseDn(entry.dn)?.[0]?.value.toLowerCase()
  return values.find((value) => value.toLowerCase() === named) ?? (values[0] as string)
}
