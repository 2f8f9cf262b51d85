import type { UserEntry } from '#adapters/ldap/user.ts'
import type { Deps } from '#src/deps.ts'
import type { RefusalName } from '#src/errors.ts'
import { Refusal } from '#src/errors.ts'

/** Somebody at a door: the name they give, and where they come from. */
export type Visitor = { login: string; address: string; agent: string }
/** How somebody proved who they are. */
export type Proof = { amr: string[]; impersonator?: string }
/** An impersonation whose temporary password was given. */
export type Lent = Awaited<ReturnType<Deps['store']['impersonations']['openedBy']>> & object
export type Door = {
  name: 'password' | 'code'
  refusal: RefusalName
  /** Asked together with the count of tries; what it answers is told to `prove`. */
  lookUp?(entry: UserEntry): Promise<Lent | undefined>
  /** Decides. Without an entry (nobody of that name, or all doors closed) it costs the same and is refused. */
  prove(entry: UserEntry | undefined, lent: Lent | undefined): Promise<Proof | undefined>
}
export type Opened = { token: string; id: string; uid: string }
export type DoorDeps = Pick<Deps, 'config' | 'users' | 'accounts' | 'sessions' | 'store' | 'audit'>

/**
 * What every door does (contract section 4): a try is counted for the account before it is checked, so that parallel
 * guesses do not slip through, and given back where it was right or could not be checked; the session is refused if
 * everything of the account ended while the door was looking.
 */
export async function enter(deps: DoorDeps, visitor: Visitor, door: Door): Promise<Opened> {
  const { config, users, accounts, sessions, store, audit } = deps
  const { login, address, agent } = visitor
  const keep = accounts.reading()
  const entry = await users.findByLogin(login)
  if (entry) keep(entry)
  // A lone surrogate is nobody's name, and no key can hold it.
  const name = entry?.uid ?? login.toWellFormed()
  const { failures, failure_window_seconds } = config.auth
  const counted = store.failures.count(name, { most: failures, windowSeconds: failure_window_seconds })
  const giveBack = async () => store.failures.refund(name, (await counted).attempt)
  const look = async () => {
    const [{ allowed }, generation, lent] = await Promise.all([
      counted,
      sessions.generation(name),
      entry && door.lookUp?.(entry),
    ])
    return { generation, proof: await door.prove(allowed ? entry : undefined, lent) }
  }
  const { generation, proof } = await look().catch(async (error) => {
    // Nobody has looked at what was shown: a system that is away closes no door.
    await giveBack().catch(() => {})
    throw error
  })
  const event = { actor: proof?.impersonator ?? name, action: 'login' as const, target: name, address }
  if (!proof || !entry) {
    audit.append({ ...event, outcome: 'refused', detail: { door: door.name } })
    throw new Refusal(door.refusal)
  }
  const { uid } = entry
  const [session] = await Promise.all([
    sessions.create({ uid, address, agent, generation, ...proof }),
    giveBack(),
  ])
  const detail = { door: proof.impersonator ? 'impersonation' : door.name }
  audit.append({ ...event, outcome: 'ok', detail })
  return { ...session, uid }
}
