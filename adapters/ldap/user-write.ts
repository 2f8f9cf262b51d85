import type { Attribute, Change, Control, Entry } from 'ldapts'
import { PasswordPolicyControl } from 'ldapts'
import { Refusal } from '#src/errors.ts'
import type { Context } from './context.ts'
import { PostReadControl } from './controls.ts'
import { add, attributesOf, firstOf, replace, take, valuesOf } from './entry.ts'
import { present } from './filters.ts'
import { storedPassword } from './password.ts'
import { refusalFor } from './results.ts'
import { clashOf, refusalOfClash, refuseTaken } from './user-clash.ts'
import { endedLongAgo, lockedForEver, userAttributes } from './user-entry.ts'

export type NewUser = {
  uid: string
  password?: string | undefined
  givenName: string
  sn: string
  mail: string
  mobile?: string | undefined
  dateOfBirth?: string | undefined
  /** One key per line. */
  sshPublicKey?: string | undefined
  /** What somebody brings from another directory; by default the number is the next one. */
  brought?: Brought | undefined
}
export type Brought = {
  uidNumber?: number | undefined
  homeDirectory?: string | undefined
  loginShell?: string | undefined
  /** A hash that this server verifies, written as it is. */
  passwordHash?: string | undefined
  locked?: boolean | undefined
}
/** `null` or an empty string removes an optional attribute. `newKey` joins the keys, whoever else adds one meanwhile. */
export type UserChanges = {
  [name in 'givenName' | 'sn' | 'mail' | 'newKey']?: string | undefined
} & { [name in (typeof optional)[number]]?: string | null | undefined }

const optional = ['mobile', 'dateOfBirth', 'sshPublicKey', 'preferredLanguage'] as const
const numberTries = 5

/** Adds the entry; the directory decides who wins a race. Throws AlreadyExists, MailInUse, MobileInUse. */
export async function addUser(
  context: Context,
  dn: string,
  user: NewUser,
  { mustChange }: { mustChange: boolean },
): Promise<Entry | undefined> {
  const { pool, capabilities, counter } = context
  const { password: _, brought, ...fields } = user
  refuseUnknown(context, fields)
  if (!capabilities.observed.unique) await refuseTaken(context, user)
  const hashes = capabilities.observed.hashes && user.password !== undefined
  using _turn = hashes ? await pool.hashing() : undefined
  const userPassword = hashes ? await storedPassword(context, user.password ?? '') : undefined
  for (let tries = 1; ; tries++) {
    const number = capabilities.posix ? String(brought?.uidNumber ?? (await counter.next())) : undefined
    const attributes = [...newAttributes(context, user, number), ...broughtAttributes(brought)]
    if (hashes) {
      attributes.push(...attributesOf({ userPassword }))
      if (mustChange && capabilities.mustChange) attributes.push(...attributesOf({ pwdReset: 'TRUE' }))
    }
    try {
      return await addEntry(context, dn, attributes)
    } catch (error) {
      const clash = await clashOf(context, error, user)
      // Somebody else's number, given by another hand than the counter's: take the next.
      if (clash === 'uidNumber' && brought?.uidNumber !== undefined)
        throw new Refusal('Conflict', 'uidNumber belongs to somebody else.', { cause: error })
      if (clash === 'uidNumber' && tries < numberTries) continue
      throw refusalOfClash(clash, error)
    }
  }
}

/** Applies the changes and answers the entry after them where the server shows it in the same step. */
export async function modifyUser(
  context: Context,
  dn: string,
  changes: UserChanges,
): Promise<Entry | undefined> {
  const { pool, capabilities } = context
  refuseUnknown(context, changes)
  if (!capabilities.observed.unique) await refuseTaken(context, changes, dn)
  const postRead = postReadOf(context)
  const modifications = await modificationsOf(context, dn, changes)
  if (modifications.length === 0) return undefined
  try {
    await pool.write('change', (connection) =>
      connection.modify(dn, modifications, postRead ? [postRead] : []),
    )
    return postRead?.entry
  } catch (error) {
    throw refusalOfClash(await clashOf(context, error, changes), error)
  }
}

export function postReadOf({ capabilities, layout }: Context): PostReadControl | undefined {
  return capabilities.postRead ? new PostReadControl(userAttributes(layout, capabilities)) : undefined
}

async function addEntry(context: Context, dn: string, attributes: Attribute[]): Promise<Entry | undefined> {
  const postRead = postReadOf(context)
  const policy = new PasswordPolicyControl()
  const controls: Control[] = postRead ? [policy, postRead] : [policy]
  await context.pool.write('create', (connection) =>
    connection.add(dn, attributes, controls).catch((error) => {
      throw policy.value?.error === undefined ? error : refusalFor(error, 'password', policy.value.error)
    }),
  )
  return postRead?.entry
}

function newAttributes(
  { layout, capabilities }: Context,
  user: NewUser,
  number: string | undefined,
): Attribute[] {
  const names = layout.user
  const keys = keysOf(user.sshPublicKey)
  const classes = capabilities.userClasses.filter((name) => name !== capabilities.keyClass || keys.length > 0)
  return attributesOf({
    objectClass: classes,
    [names.uid]: user.uid,
    [names.cn]: fullName(user),
    [names.givenName]: user.givenName,
    [names.sn]: user.sn,
    [names.mail]: user.mail,
    [names.mobile]: user.mobile,
    [names.dateOfBirth]: user.dateOfBirth,
    [names.sshPublicKey]: keys,
    ...(number === undefined
      ? {}
      : {
          [names.uidNumber]: number,
          gidNumber: number,
          homeDirectory: user.brought?.homeDirectory ?? `/home/${user.uid}`,
          loginShell: user.brought?.loginShell ?? '/bin/bash',
        }),
  })
}

function broughtAttributes({ passwordHash, locked }: Brought = {}): Attribute[] {
  return attributesOf({
    userPassword: passwordHash,
    ...(locked ? { pwdAccountLockedTime: lockedForEver, pwdEndTime: endedLongAgo } : {}),
  })
}

async function modificationsOf(context: Context, dn: string, changes: UserChanges): Promise<Change[]> {
  const { pool, layout, capabilities } = context
  const names = layout.user
  const modifications: Change[] = []
  for (const name of ['givenName', 'sn', 'mail'] as const)
    if (changes[name] !== undefined) modifications.push(replace(names[name], changes[name]))
  for (const name of ['mobile', 'dateOfBirth', 'preferredLanguage'] as const)
    if (changes[name] !== undefined) modifications.push(replace(names[name], ...valuesFor(changes[name])))
  if (changes.sshPublicKey !== undefined)
    modifications.push(replace(names.sshPublicKey, ...keysOf(changes.sshPublicKey)))
  if (changes.newKey) modifications.push(add(names.sshPublicKey, changes.newKey))

  const named = changes.givenName !== undefined || changes.sn !== undefined
  const guarded = changes.dateOfBirth || changes.newKey || changes.sshPublicKey !== undefined
  if (!named && !guarded) return modifications
  const [entry] = await pool.search(dn, {
    scope: 'base',
    filter: present('objectClass'),
    attributes: ['objectClass', names.cn, names.givenName, names.sn],
  })
  if (!entry) return modifications
  if (named) modifications.push(...renamed(context, entry, changes))
  return [...classChanges(context, entry, changes, capabilities.keyClass), ...modifications]
}

/** The full name follows its parts, unless the entry is named by it. Deleting what was read keeps it whole in a race. */
function renamed({ layout }: Context, entry: Entry, changes: UserChanges): Change[] {
  const { cn, givenName, sn } = layout.user
  if (entry.dn.toLowerCase().startsWith(`${cn.toLowerCase()}=`)) return []
  const before = valuesOf(entry, cn)
  const after = fullName({
    givenName: changes.givenName ?? firstOf(entry, givenName) ?? '',
    sn: changes.sn ?? firstOf(entry, sn) ?? '',
  })
  if (before.length === 1 && before[0] === after) return []
  return before.length === 0 ? [replace(cn, after)] : [take(cn, ...before), add(cn, after)]
}

/** An entry of other making may lack the class that allows an attribute. */
function classChanges(
  { layout, capabilities }: Context,
  entry: Entry,
  changes: UserChanges,
  keyClass: string | undefined,
): Change[] {
  const has = new Set(valuesOf(entry, 'objectClass').map((name) => name.toLowerCase()))
  const removesKey = keyClass !== undefined && changes.sshPublicKey !== undefined && !changes.sshPublicKey
  if (removesKey) return has.has(keyClass.toLowerCase()) ? [take('objectClass', keyClass)] : []
  const structural = layout.user.classes[0]?.toLowerCase()
  const needed = capabilities.userClasses.filter((name) => {
    const lower = name.toLowerCase()
    // posixAccount needs a number that this entry was never given.
    return (
      lower !== structural &&
      lower !== 'posixaccount' &&
      !has.has(lower) &&
      (name !== keyClass || changes.sshPublicKey || changes.newKey)
    )
  })
  return needed.length === 0 ? [] : [add('objectClass', ...needed)]
}

function fullName({ givenName, sn }: { givenName: string; sn: string }): string {
  return `${givenName} ${sn}`.trim()
}

function valuesFor(value: string | null | undefined): string[] {
  return value ? [value] : []
}

function keysOf(keys: string | null | undefined): string[] {
  return [...new Set((keys ?? '').split('\n').map((key) => key.trim()))].filter(Boolean)
}

function refuseUnknown({ capabilities }: Context, { newKey, ...values }: UserChanges): void {
  const given = { ...values, sshPublicKey: values.sshPublicKey || newKey }
  for (const name of optional)
    if (given[name] && !capabilities[name])
      throw new Refusal('InvalidInput', `The directory has no place for ${name}.`)
}
