import type { UserEntry } from '#adapters/ldap/user.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { uidSpelled } from '#src/user/fields.ts'
import { disown } from './endings.ts'

/** Who is to own a resource; nobody for null and an empty name. Throws InvalidInput for somebody who is not there. */
export async function ownerNamed(
  { users }: Pick<Deps, 'users'>,
  owner: string | null | undefined,
): Promise<UserEntry | undefined> {
  if (!owner) return undefined
  const entry = await users.find(uidSpelled(owner))
  if (!entry) throw new Refusal('InvalidInput', `owner: there is no user ${owner}.`)
  return entry
}

/**
 * Deleting an account takes the ownerships it has first, so one that was given in between would outlive it and wait for
 * the next owner of the name: whoever gave it looks again, and takes it back. Throws InvalidInput then.
 */
export async function unlessGone(
  deps: Pick<Deps, 'users' | 'store'>,
  person: UserEntry | undefined,
  id: string,
): Promise<void> {
  if (!person || (await deps.users.find(person.uid))?.entryUUID === person.entryUUID) return
  await disown(deps, person.uid, id)
  throw new Refusal('InvalidInput', `owner: there is no user ${person.uid}.`)
}
