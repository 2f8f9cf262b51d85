/**
 * Signing in with a password. Whatever is wrong (password, unknown name, locked account, no password, closed doors), the
 * answer is the same and takes the same time: a wrong try is counted before the directory is asked, and where slapd would
 * answer without hashing the adapter asks a decoy entry instead (contract section 4).
 */
import type { UserEntry } from '#adapters/ldap/user.ts'
import { Refusal } from '#src/errors.ts'
import type { DoorDeps, Opened } from './door.ts'
import { enter } from './door.ts'

export type SignIn = { uid: string; password: string; address: string; agent: string }

/**
 * Checks a password and opens a session; `uid` may also be the mail address. The temporary password of an impersonation
 * opens one that is marked. Throws LoginFailed.
 */
export async function signIn(
  deps: DoorDeps,
  { uid: login, password, address, agent }: SignIn,
): Promise<Opened> {
  const { users, sessions, store } = deps
  let impersonation: string | undefined
  const opened = await enter(
    deps,
    { login, address, agent },
    {
      name: 'password',
      refusal: 'LoginFailed',
      lookUp: (entry) => store.impersonations.openedBy(entry.uid, password),
      async prove(entry, lent) {
        if (entry && lent && (await stillActive(deps, entry))) {
          impersonation = lent.id
          return { amr: ['pwd'], impersonator: lent.impersonator }
        }
        return (await users.verifyPassword(entry, password)) ? { amr: ['pwd'] } : undefined
      },
    },
  )
  // Whoever ends an impersonation ends its sessions after it: one made meanwhile ends itself.
  if (impersonation !== undefined && !(await store.impersonations.goesOn(opened.uid, impersonation))) {
    await sessions.end(opened.uid, opened.id)
    throw new Refusal('LoginFailed')
  }
  return opened
}

async function stillActive({ users }: DoorDeps, { uid }: UserEntry): Promise<boolean> {
  return (await users.find(uid))?.isActive === true
}
