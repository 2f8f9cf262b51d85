import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from './context.ts'
import { oids, passwordModifyValue } from './controls.ts'
import { firstOf, replace } from './entry.ts'
import { present } from './filters.ts'
import { argon2id } from './hash.ts'
import { codeOf } from './results.ts'
import { lockedForEver } from './user-entry.ts'

/**
 * Gives the decoy a fresh random password, hashed as every password written now is, and finds out on it what the server
 * does with passwords: what it verifies, whether it hashes, whether the service may see that one is set, and whether a lock
 * keeps it from signing in.
 */
export async function tryDecoy(context: Context): Promise<void> {
  const { layout, capabilities } = context
  const { observed } = capabilities
  const password = randomBytes(24).toString('base64url')
  observed.argon2id = layout.password.hash === 'argon2id' && (await acceptsArgon2id(context, password))
  observed.hashes = observed.argon2id || (await hashes(context, password))
  observed.seesPasswords = (await decoyWith(context, 'userPassword')) !== undefined
  observed.locks = capabilities.lock && (await refusesLocked(context, password))
}

/** Tried again, because another pod that starts at the same time writes its own password in between. */
async function acceptsArgon2id(context: Context, password: string): Promise<boolean> {
  const { pool, layout } = context
  const hash = await argon2id(password, layout.password)
  for (let tries = 1; tries <= 3; tries++) {
    if (!(await write(context, 'userPassword', hash))) return false
    if (await pool.verify(layout.decoy, password)) return true
    await pause(Math.random() * 200)
  }
  return false
}

/** Where the server keeps what was written in clear (or hides it), it is asked to hash (RFC 3062). */
async function hashes(context: Context, password: string): Promise<boolean> {
  const { pool, layout, capabilities } = context
  await write(context, 'userPassword', password)
  const stored = await decoyWith(context, 'userPassword')
  if (stored !== undefined && stored !== password && stored.startsWith('{')) return true
  if (capabilities.passwordModify)
    await pool.write('password', (connection) =>
      connection.exop(oids.passwordModify, passwordModifyValue(layout.decoy, password)),
    )
  return false
}

/** The next password of the decoy undoes the lock, should it not come to that here. */
async function refusesLocked(context: Context, password: string): Promise<boolean> {
  const { pool, layout } = context
  if (!(await write(context, 'pwdAccountLockedTime', lockedForEver))) return false
  const refused = !(await pool.verify(layout.decoy, password))
  await write(context, 'pwdAccountLockedTime')
  return refused
}

async function decoyWith({ pool, layout }: Context, attribute: string): Promise<string | undefined> {
  const [entry] = await pool.search(layout.decoy, {
    scope: 'base',
    filter: present(attribute),
    attributes: [attribute],
  })
  return entry && (firstOf(entry, attribute) ?? '')
}

/** False when the server refuses it. */
async function write({ pool, layout }: Context, attribute: string, ...values: string[]): Promise<boolean> {
  try {
    await pool.write('change', (connection) =>
      connection.modify(layout.decoy, [replace(attribute, ...values)]),
    )
    return true
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return false
  }
}
