import type { Deps } from '#src/deps.ts'
import { forgetGroup } from '#src/directory/endings.ts'
import type { RefusalName } from '#src/errors.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import { nest } from '#src/group/nesting.ts'
import { addMember, addOwner, told } from '#src/group/service.ts'
import { actorFor } from '#src/user/actor.ts'
import { setActive, updateUser } from '#src/user/service.ts'
import type { ImportOptions, Plan, Refused, Step } from './plan.ts'

export type ApplyDeps = Pick<
  Deps,
  'users' | 'groups' | 'store' | 'sessions' | 'audit' | 'mail' | 'sms' | 'config' | 'log'
>
type Make<T extends Step['does']> = Extract<Step, { does: T }>

/**
 * Does a plan, step by step, and tells what was refused after all: somebody else may have changed the directory meanwhile.
 * A refused step does not hold up the next. Throws UpstreamFailure when the directory is away: the same import may then be
 * run again, since what is done is not planned anew.
 */
export async function* applyPlan(
  deps: ApplyDeps,
  { steps }: Pick<Plan, 'steps'>,
  { permissionGroups = false, actor = 'import' }: ImportOptions & { actor?: string } = {},
): AsyncGenerator<{ step: Step; refused?: Refused }> {
  const isMemberOf = async () => permissionGroups
  const by = actorFor({ uid: actor, dn: '', isMemberOf }, '')
  const highest = steps.reduce((most, step) => Math.max(most, numberOf(step)), 0)
  if (highest > 0) await deps.users.passOverNumbers(highest)
  for (const step of steps)
    try {
      await done(deps, by, step)
      yield { step }
    } catch (error) {
      if (!isRefusal(error) || upstream.includes(error.name)) throw error
      yield { step, refused: { at: step.at, field: step.does, reason: error.message } }
    }
}

/** Nothing that the next step could do better with. */
const upstream: readonly RefusalName[] = ['UpstreamFailure', 'InternalError']

type Actor = ReturnType<typeof actorFor>

async function done(deps: ApplyDeps, by: Actor, step: Step): Promise<void> {
  switch (step.does) {
    case 'make person':
      return makePerson(deps, by, step)
    case 'change person':
      return changePerson(deps, by, step)
    case 'make group':
      return makeGroup(deps, by, step)
    case 'add member':
      return addMember(deps, by, step.cn, step.uid)
    case 'add owner':
      return addOwner(deps, by, step.cn, step.uid)
    case 'nest':
      return void (await nest(deps, by, step.cn, step.child))
  }
}

/** Somebody may have had this name before: the audit log says so, as it does of those made through the API. */
async function makePerson(
  { users, store, audit }: ApplyDeps,
  by: Actor,
  { fields, brought, password }: Make<'make person'>,
): Promise<void> {
  const { uid } = await users.create({ ...fields, brought })
  const told = { password: password.replace(/^password: /, '') }
  const anew = (await store.pastUids.has(uid)) ? { anew: true } : {}
  audit.append({
    ...by.event,
    action: 'user.create',
    target: uid,
    outcome: 'ok',
    detail: { ...told, ...anew },
  })
}

async function changePerson(
  deps: ApplyDeps,
  by: Actor,
  { uid, changes }: Make<'change person'>,
): Promise<void> {
  const active = changes.find(({ field }) => field === 'isActive')
  const fields = changes.filter((change) => change !== active).map(({ field, to }) => [field, to])
  if (fields.length > 0) await updateUser(deps, by, uid, Object.fromEntries(fields))
  if (active) await setActive(deps, by, uid, active.to === 'true')
}

/** Like one made through the API, but with the members and owners that the source names, in one step. */
async function makeGroup(
  deps: ApplyDeps,
  by: Actor,
  { cn, description, members, owners }: Make<'make group'>,
): Promise<void> {
  const { groups, users } = deps
  const named = [...new Set([...members, ...owners])]
  const found = await users.findByUids(named)
  const dns = (uids: string[]) => uids.flatMap((uid) => found.get(uid)?.dn ?? [])
  const made = await groups.create({ cn, description, member: dns(members), owner: dns(owners) })
  await forgetGroup(deps, made.cn)
  told(deps, by, 'group.create', made)
  for (const uid of members) if (found.has(uid)) told(deps, by, 'group.member.add', made, { uid })
  // Who was deleted meanwhile must not wait here for the next owner of their name (group/service.ts).
  const still = await users.findByUids(named)
  const gone = named.filter((uid) => still.get(uid)?.entryUUID !== found.get(uid)?.entryUUID)
  for (const dn of dns(gone.filter((uid) => members.includes(uid)))) await groups.removeMember(made.cn, dn)
  for (const dn of dns(gone.filter((uid) => owners.includes(uid)))) await groups.removeOwner(made.cn, dn)
  const missing = named.filter((uid) => !found.has(uid) || gone.includes(uid))
  if (missing.length > 0)
    throw new Refusal('NotFound', `The group is made without ${missing.join(', ')}: not here.`)
}

function numberOf(step: Step): number {
  return (step.does === 'make person' && step.brought.uidNumber) || 0
}
