import type { UserChanges as EntryChanges, NewUser as NewEntry } from '#adapters/ldap/user.ts'
import { Refusal } from '#src/errors.ts'
import type { NewUser, UserChanges } from './schemas.ts'
import { parseSshKeys } from './ssh-key.ts'

/** What a new entry is made of. Throws InvalidInput naming the field, InvalidKey. */
export function newEntry({ password, ...fields }: NewUser): NewEntry {
  return { ...newPerson(fields), password }
}

/** The same without a password. */
export function newPerson({
  uid,
  givenName,
  sn,
  mail,
  ...optional
}: Omit<NewUser, 'password'>): Omit<NewEntry, 'password'> {
  const { mobile, dateOfBirth, sshPublicKey } = optionalOf(optional)
  return {
    uid: newUid(uid),
    givenName: personName('givenName', givenName),
    sn: personName('sn', sn),
    mail: mailAddress(mail),
    ...(mobile ? { mobile } : {}),
    ...(dateOfBirth ? { dateOfBirth } : {}),
    ...(sshPublicKey ? { sshPublicKey } : {}),
  }
}

/** The fields that change; `null` removes one. Throws InvalidInput naming the field, InvalidKey. */
export function changesOf({ givenName, sn, mail, ...optional }: UserChanges): EntryChanges {
  return {
    ...(givenName === undefined ? {} : { givenName: personName('givenName', givenName) }),
    ...(sn === undefined ? {} : { sn: personName('sn', sn) }),
    ...(mail === undefined ? {} : { mail: mailAddress(mail) }),
    ...optionalOf(optional),
  }
}

/**
 * A uid as it is looked up: all its spellings are one (contract section 1, identity of a name); case is the directory's
 * business. Throws InvalidInput for invisible signs.
 */
export function uidSpelled(uid: string): string {
  const folded = uid.normalize('NFKC').trim()
  if (folded === '' || invisible.test(folded)) throw wrong('uid', 'holds signs that a name cannot have')
  return folded
}

/** What people are searched by; nothing for blanks alone. Throws InvalidInput for signs the directory would pass over. */
export function searchText(q: string | undefined): string | undefined {
  const folded = q?.normalize('NFKC').trim()
  if (folded && invisible.test(folded)) throw wrong('q', 'holds signs that a name cannot have')
  return folded || undefined
}

const invisible = /[\p{Cc}\p{Cf}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u
const shape = /^[a-z][a-z0-9._-]{0,31}$/
export const longestUid = 32
/** Written as `/api/user/<this>` they would be somebody's name and a route at once. */
const reserved = new Set(['accept-tos', 'export', 'invite', 'key', 'me', 'password', 'stats'])

/** True for what a new account may be called as it stands. */
export function isNewUid(uid: string): boolean {
  return shape.test(uid) && !reserved.has(uid)
}

function newUid(uid: string): string {
  const folded = uidSpelled(uid)
  if (!shape.test(folded)) throw wrong('uid', 'must be 1 to 32 of a-z 0-9 . _ - and begin with a letter')
  if (reserved.has(folded)) throw wrong('uid', 'is a word that the service keeps for itself')
  return folded
}

/** Any script, joiners included; but nothing that hides or turns the text beside it. */
function personName(field: string, name: string): string {
  const said = name.normalize('NFC').trim()
  if (said === '') throw wrong(field, 'is empty')
  if (/[\p{Cc}\p{Cn}\p{Co}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\u200B\u2060\uFEFF]/u.test(said))
    throw wrong(field, 'holds signs that a name cannot have')
  return said
}

/** The form browsers take for a mail address (HTML, section 4.10.5.1.5), which the directory's IA5 string holds. */
const address =
  /^[a-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*$/i

/** A mail address as it is kept. Throws InvalidInput naming `field`. */
export function mailAddress(mail: string, field = 'mail'): string {
  const folded = mail.normalize('NFKC').trim()
  if (folded.length > 254 || !address.test(folded)) throw wrong(field, 'is not a mail address')
  return folded
}

/** Digits with an optional `+`: one number has one spelling, so that it can belong to one account only. */
export function phoneNumber(mobile: string, field = 'mobile'): string {
  const folded = mobile.normalize('NFKC').replace(/[\s().\-/]/g, '')
  if (!/^\+?\d{3,15}$/.test(folded)) throw wrong(field, 'is not a phone number')
  return folded
}

function birthDate(date: string): string {
  const [, year = '', month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(date) ?? []
  const at = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  const real = year >= '1800' && at.getUTCMonth() === Number(month) - 1 && at.getUTCDate() === Number(day)
  if (!real || at.getTime() > Date.now()) throw wrong('dateOfBirth', 'must be a date of the past, YYYY-MM-DD')
  return date
}

function languageTag(tag: string): string {
  try {
    return Intl.getCanonicalLocales(tag)[0] ?? ''
  } catch {
    throw wrong('preferredLanguage', 'is not a language tag (BCP 47)')
  }
}

type Optional = Pick<UserChanges, 'mobile' | 'dateOfBirth' | 'sshPublicKey' | 'preferredLanguage'>

function optionalOf(given: Optional): Optional {
  const parsers = {
    mobile: (number: string) => phoneNumber(number),
    dateOfBirth: birthDate,
    sshPublicKey: parseSshKeys,
    preferredLanguage: languageTag,
  }
  return Object.fromEntries(
    Object.entries(parsers).flatMap(([name, parse]) => {
      const value = given[name as keyof Optional]
      return value === undefined ? [] : [[name, value?.trim() ? parse(value.trim()) : null]]
    }),
  )
}

function wrong(field: string, why: string): Refusal {
  return new Refusal('InvalidInput', `${field} ${why}.`)
}
