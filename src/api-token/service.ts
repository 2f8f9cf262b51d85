/**
 * Personal access tokens (contract section 12): for programs that act in a person's name on /api, with `read` or `write`.
 * A token may not do what would outlive it or reach further than it was given: the routes that say `inPerson` refuse it,
 * and so does `requirePerson`. It ends with all that opens its owner's account (user/ending.ts): lock, deletion, a new
 * password, and a new signing secret.
 */
import type { ApiToken } from '#adapters/redis/api-tokens.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import type { Actor } from '#src/user/actor.ts'
import type { NewApiToken } from './schemas.ts'

const most = 20
const day = 86_400

/**
 * A token of the caller's own, shown only here. Throws InsufficientPermission in an impersonated session, which it would
 * outlive; Conflict where there are enough; Unauthorized when the caller's session ended meanwhile.
 */
export async function createApiToken(
  { store, sessions, users, audit }: Pick<Deps, 'store' | 'sessions' | 'users' | 'audit'>,
  by: Actor,
  { expires_in_days, ...given }: NewApiToken,
): Promise<{ token: string; record: ApiToken }> {
  by.requirePerson()
  const { uid, session } = by.caller
  const generation = await sessions.generation(uid)
  // Whatever ends all of an account ends its sessions: one that lives now had not been ended at that generation.
  const [alive, entry] = await Promise.all([session && sessions.alive(session), users.find(uid)])
  if (!alive || !entry?.isActive) throw new Refusal('Unauthorized')
  const made = await store.apiTokens.create({
    ...given,
    ...{ uid, generation, most, account: entry.createTimestamp ?? '' },
    lifetimeSeconds: expires_in_days * day,
  })
  if (made === 'passed') throw new Refusal('Unauthorized')
  if (made === 'full') throw new Refusal('Conflict', `You have ${most} tokens already: end one first.`)
  const { id, name, scope } = made.record
  audit.append({
    ...by.event,
    ...{ action: 'api-token.create', target: uid, outcome: 'ok', detail: { id, name, scope } },
  })
  return made
}

/** Ends a token of the caller's own at once on every pod. Throws NotFound. */
export async function revokeApiToken(
  { store, audit }: Pick<Deps, 'store' | 'audit'>,
  by: Actor,
  id: string,
): Promise<void> {
  const { uid } = by.caller
  if (!(await store.apiTokens.remove(uid, id))) throw new Refusal('NotFound', 'You have no such token.')
  audit.append({ ...by.event, action: 'api-token.revoke', target: uid, outcome: 'ok', detail: { id } })
}
