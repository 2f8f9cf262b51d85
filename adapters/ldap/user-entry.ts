import type { Entry, Filter } from 'ldapts'
import type { Capabilities } from './capabilities.ts'
import { parseDn } from './dn.ts'
import { firstOf, valuesOf } from './entry.ts'
import { any, atMost, equals } from './filters.ts'
import type { Layout } from './layout.ts'
import { formatTime, parseTime } from './time.ts'

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
  /** A language tag (BCP 47): in which the portal speaks to this person. */
  preferredLanguage?: string
  /** Absent in an existing directory for people who are no POSIX accounts. */
  uidNumber?: number
  isActive: boolean
  /** LDAP generalized time, as the interface has it. */
  createTimestamp: string
  password_must_change: boolean
}

/** What a list tells of a person. */
export type UserSummary = Pick<UserEntry, 'uid' | 'givenName' | 'sn' | 'mail'>

/** What an export of everybody tells of each. */
export type ExportedUser = UserSummary &
  Pick<UserEntry, 'mobile' | 'uidNumber' | 'isActive' | 'createTimestamp'>

/** The documented "for ever" of slapo-ppolicy: locked by an administrator. */
export const lockedForEver = '000001010000Z'
/** A password that ended in 1970: outlives password changes, which the above does not. */
export const endedLongAgo = '19700101000000Z'

const operational = ['entryUUID', 'createTimestamp']
const lock = ['pwdAccountLockedTime', 'pwdEndTime']
const policy = ['pwdReset', ...lock]

/** What to ask for to make a UserEntry of it. */
export function userAttributes(
  { user }: Layout,
  capabilities: Pick<Capabilities, 'lock' | 'mustChange'>,
): string[] {
  const { uid, givenName, sn, mail, mobile, dateOfBirth, sshPublicKey, preferredLanguage, uidNumber } = user
  const own = [uid, givenName, sn, mail, mobile, dateOfBirth, sshPublicKey, preferredLanguage, uidNumber]
  const state = capabilities.lock || capabilities.mustChange ? policy : []
  return [...own, ...operational, ...state]
}

/** What to ask for to make an ExportedUser of it. */
export function exportAttributes({ user }: Layout, capabilities: Pick<Capabilities, 'lock'>): string[] {
  const { uid, givenName, sn, mail, mobile, uidNumber } = user
  return [uid, givenName, sn, mail, mobile, uidNumber, 'createTimestamp', ...(capabilities.lock ? lock : [])]
}

export function summaryOf(entry: Entry, { user }: Pick<Layout, 'user'>): UserSummary {
  return {
    uid: uidOf(entry, user.uid),
    givenName: firstOf(entry, user.givenName) ?? '',
    sn: firstOf(entry, user.sn) ?? '',
    mail: firstOf(entry, user.mail) ?? '',
  }
}

export function exportedOf(entry: Entry, layout: Pick<Layout, 'user'>): ExportedUser {
  const mobile = firstOf(entry, layout.user.mobile)
  const uidNumber = firstOf(entry, layout.user.uidNumber)
  return {
    ...summaryOf(entry, layout),
    ...(mobile ? { mobile } : {}),
    ...(uidNumber ? { uidNumber: Number(uidNumber) } : {}),
    isActive: isActive(entry),
    createTimestamp: firstOf(entry, 'createTimestamp') ?? '',
  }
}

export function userOf(entry: Entry, { user }: Pick<Layout, 'user'>): UserEntry {
  const dateOfBirth = firstOf(entry, user.dateOfBirth)
  const sshPublicKey = valuesOf(entry, user.sshPublicKey).join('\n')
  const preferredLanguage = firstOf(entry, user.preferredLanguage)
  return {
    ...exportedOf(entry, { user }),
    dn: entry.dn,
    entryUUID: firstOf(entry, 'entryUUID') ?? '',
    ...(dateOfBirth ? { dateOfBirth } : {}),
    ...(sshPublicKey ? { sshPublicKey } : {}),
    ...(preferredLanguage ? { preferredLanguage } : {}),
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

/** The same as a filter: everybody who is inactive. */
export function lockedNow(): Filter {
  const ended = atMost('pwdEndTime', formatTime(Date.now() / 1000))
  return any([ended, equals('pwdAccountLockedTime', lockedForEver)])
}

/** Of several uids the one the entry is named by. */
function uidOf(entry: Entry, attribute: string): string {
  const values = valuesOf(entry, attribute)
  if (values.length < 2) return values[0] ?? ''
  const named = parseDn(entry.dn)?.[0]?.value.toLowerCase()
  return values.find((value) => value.toLowerCase() === named) ?? (values[0] as string)
}
