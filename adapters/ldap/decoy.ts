import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { Context } from './context.ts'
import { oids, passwordModifyValue } from './controls.ts'
import { firstOf, replace } from './entry.ts'
import { present } from './filters.ts'
import { argon2id } from './hash.ts'
import { codeOf } from './results.ts'
import { lockedForEver } from './user-entry.ts'

type Trial = Pick<Context, 'pool' | 'layout' | 'capabilities'>

/**
 * Gives the decoy a fresh random password, hashed as every password written now is, and finds out on it what the server
 * does with passwords: what it verifies, whether it hashes, whether the service may see that one is set, and whether a lock
 * keeps it from signing in.
 */
export async function tryDecoy(context: Trial): Promise<void> {
  const { pool, layout, capabilities } = context
  const { observed } = capabilities
  const password = randomBytes(24).toString('base64url')
  const verified = () => pool.verify(layout.decoy, password)
  const hash = await argon2id(password, layout.password)
  const writeHash = () => write(context, 'userPassword', hash)
  observed.argon2id = layout.password.hash === 'argon2id' && (await amongOthers(writeHash, verified))
  observed.hashes = observed.argon2id || (await hashes(context, password))
  observed.seesPasswords = (await decoyWith(context, 'userPassword')) !== undefined
  const set = observed.argon2id ? writeHash : () => setClear(context, password)
  const lock = async () => (await set()) && write(context, 'pwdAccountLockedTime', lockedForEver)
  observed.locks = capabilities.lock && (await amongOthers(lock, () => refuses(context, verified)))
}

/**
 * Other pods that start at the same time write their own password and end this lock in between: a "no" counts only when it
 * came each time, after pauses in which the others go on: longer ones where a try takes long.
 */
async function amongOthers(prepare: () => Promise<boolean>, holds: () => Promise<boolean>): Promise<boolean> {
  for (let tries = 1; tries <= 6; tries++) {
    const began = performance.now()
    if (!(await prepare())) return false
    if (await holds()) return true
    await pause(Math.random() * tries * Math.max(50, 4 * (performance.now() - began)))
  }
  return false
}

/** Where the server keeps what was written in clear (or hides it), it is asked to hash (RFC 3062). */
async function hashes(context: Trial, password: string): Promise<boolean> {
  await write(context, 'userPassword', password)
  const stored = await decoyWith(context, 'userPassword')
  if (stored !== undefined && stored !== password && stored.startsWith('{')) return true
  await setClear(context, password)
  return false
}

async function setClear(context: Trial, password: string): Promise<boolean> {
  const { pool, layout, capabilities } = context
  if (!capabilities.passwordModify) return write(context, 'userPassword', password)
  return accepted(() =>
    pool.write('password', (connection) =>
      connection.exop(oids.passwordModify, passwordModifyValue(layout.decoy, password)),
    ),
  )
}

/** Refused while it is locked and accepted after it, so that it was the lock, and not the password of another pod. */
async function refuses(context: Trial, verified: () => Promise<boolean>): Promise<boolean> {
  const refused = !(await verified())
  await write(context, 'pwdAccountLockedTime')
  return refused && verified()
}

async function decoyWith({ pool, layout }: Trial, attribute: string): Promise<string | undefined> {
  const [entry] = await pool.search(layout.decoy, {
    scope: 'base',
    filter: present(attribute),
    attributes: [attribute],
  })
  return entry && (firstOf(entry, attribute) ?? '')
}

async function write({ pool, layout }: Trial, attribute: string, ...values: string[]): Promise<boolean> {
  return accepted(() =>
    pool.write('change', (connection) => connection.modify(layout.decoy, [replace(attribute, ...values)])),
  )
}

/** False when the server refuses it. */
async function accepted(operation: () => Promise<unknown>): Promise<boolean> {
  try {
    await operation()
    return true
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return false
  }
}
