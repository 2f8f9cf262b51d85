import type { Change, Entry } from 'ldapts'
import { PasswordPolicyControl } from 'ldapts'
import { Refusal } from '#src/errors.ts'
import type { Context } from './context.ts'
import { oids, PostReadControl, passwordModifyValue } from './controls.ts'
import { add, firstOf, replace, take } from './entry.ts'
import { present } from './filters.ts'
import { argon2id } from './hash.ts'
import { codeOf, refusalFor } from './results.ts'
import { endedLongAgo, isActive, lockedForEver } from './user-entry.ts'

const state = ['pwdEndTime', 'pwdAccountLockedTime']

/**
 * True when this is the account's password and the account is not locked. slapd answers for an unknown, a locked and
 * a password-less account without hashing, so those are checked against the decoy, which nobody knows the password
 * of: one search and one bind, whoever is asked for. The lock is read here, whatever a cache says.
 */
export async function verifyPassword(
  context: Context,
  dn: string | undefined,
  password: string,
): Promise<boolean> {
  const { pool, layout, capabilities } = context
  const { decoy, seesPasswords } = capabilities.observed
  // An empty password makes an unauthenticated bind (RFC 4513 section 5.1.2), which succeeds on many servers.
  if (password === '') return false
  const [entry] = await pool.search(dn ?? layout.decoy, {
    scope: 'base',
    filter: present(seesPasswords ? 'userPassword' : 'objectClass'),
    attributes: capabilities.lock ? state : ['1.1'],
  })
  const real = dn !== undefined && entry !== undefined && isActive(entry)
  const accepted = await (real || decoy ? pool.verify(real ? dn : layout.decoy, password) : false)
  return real && accepted
}

/**
 * Sets a password and, in the same step, whether it must be changed. A lock survives, though ppolicy deletes its half of
 * it with every password change. Throws LoginFailed for a wrong `current`.
 */
export async function setPassword(
  context: Context,
  dn: string,
  password: string,
  { mustChange, current }: { mustChange: boolean; current?: string | undefined },
): Promise<void> {
  const { pool, capabilities } = context
  const { observed } = capabilities
  if (current === '') throw wrongCurrent()
  if (observed.argon2id && current !== undefined && !(await pool.verify(dn, current))) throw wrongCurrent()
  const after =
    observed.argon2id || (current === undefined && observed.hashes)
      ? await modifyPassword(context, dn, password, mustChange)
      : await exchangePassword(context, dn, password, current)
  const [entry] = after
    ? [after]
    : await pool.search(dn, { scope: 'base', filter: present('objectClass'), attributes: state })
  if (entry && !isActive(entry)) await lockAgain(context, entry)
  if (!after && current === undefined && mustChange && capabilities.mustChange)
    await pool.write('change', (connection) => connection.modify(dn, [replace('pwdReset', 'TRUE')]))
}

/** What is written to `userPassword`: the hash, unless the server is the one to hash. Take a turn of the pool first. */
export async function storedPassword(
  { capabilities, layout }: Pick<Context, 'capabilities' | 'layout'>,
  password: string,
): Promise<string> {
  return capabilities.observed.argon2id ? argon2id(password, layout.password) : password
}

/** One modify: password and pwdReset together, in both directions. */
async function modifyPassword(
  context: Context,
  dn: string,
  password: string,
  mustChange: boolean,
): Promise<Entry | undefined> {
  const { pool, capabilities } = context
  using _turn = await pool.hashing()
  const policy = new PasswordPolicyControl()
  const postRead = new PostReadControl(state)
  const changes: Change[] = [replace('userPassword', await storedPassword(context, password))]
  if (capabilities.mustChange) changes.push(replace('pwdReset', ...(mustChange ? ['TRUE'] : [])))
  await pool.write('password', (connection) =>
    connection.modify(dn, changes, capabilities.postRead ? [policy, postRead] : [policy]).catch((error) => {
      throw refusalFor(error, 'password', policy.value?.error)
    }),
  )
  return postRead.entry
}

/** RFC 3062: hashes on every server, and checks `current` in the same step. */
async function exchangePassword(
  { pool }: Context,
  dn: string,
  password: string,
  current: string | undefined,
): Promise<undefined> {
  using _turn = await pool.hashing()
  await pool.write(current === undefined ? 'password' : 'ownPassword', (connection) =>
    connection.exop(oids.passwordModify, passwordModifyValue(dn, password, current)),
  )
}

function wrongCurrent(): Refusal {
  return new Refusal('LoginFailed', 'The current password is not correct.')
}

/** Only while pwdEndTime is still what was read: an unlock meanwhile wins. */
async function lockAgain({ pool }: Context, entry: Entry): Promise<void> {
  if (firstOf(entry, 'pwdAccountLockedTime') !== undefined) return
  const end = firstOf(entry, 'pwdEndTime') ?? endedLongAgo
  const changes = [
    take('pwdEndTime', end),
    add('pwdEndTime', end),
    replace('pwdAccountLockedTime', lockedForEver),
  ]
  await pool
    .write('change', (connection) => connection.modify(entry.dn, changes))
    .catch((error) => {
      if (codeOf(error) !== 16) throw error
    })
}
