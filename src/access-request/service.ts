/**
 * Requests for access (contract section 11). Whoever is granted it joins the group of the resource's oldest link of level
 * `access`. An approval is noted on the request before the group is joined, and the state changes after: where it breaks
 * off in between, nobody can deny or cancel what may have been given, and approving again completes it.
 */
import { randomUUID } from 'node:crypto'
import type { Action } from '#src/audit/actions.ts'
import type { Deps } from '#src/deps.ts'
import { groupAskedFor } from '#src/directory/reach.ts'
import { listedNamed } from '#src/discovery/service.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import { requireAuthority } from '#src/group/authority.ts'
import { addMember, groupNamed } from '#src/group/service.ts'
import { isSelf } from '#src/http/access.ts'
import type { Actor } from '#src/user/actor.ts'
import { tellDeciders, tellOfDecision } from './letters.ts'
import type { AccessRequest, NewRequest } from './schemas.ts'

export type Needs = Pick<Deps, 'store' | 'accounts' | 'users' | 'groups' | 'audit' | 'config' | 'background'>

/** Throws NotFound; InvalidInput for what nobody can ask for; AlreadyExists (pending), Conflict (in reach already). */
export async function ask(deps: Needs, by: Actor, { slug, note = '' }: NewRequest): Promise<AccessRequest> {
  const { uid, impersonator } = by.caller
  if (impersonator) throw new Refusal('InsufficientPermission', 'People ask for themselves.')
  const person = await deps.users.find(uid)
  const { now, record, reach } = await listedNamed(deps, by.caller, slug)
  if (reach?.grants.length) throw new Refusal('Conflict', 'You have access already.')
  if (groupAskedFor(now, record) === undefined)
    throw new Refusal('InvalidInput', 'slug: access to this resource cannot be asked for.')
  const { id: resourceId, name } = record
  const request: AccessRequest = {
    ...{ id: randomUUID(), uid, resourceId, slug: record.slug, name, note },
    ...{ state: 'pending', created_on: Date.now() },
  }
  if (!(await deps.store.accessRequests.create(request)))
    throw new Refusal('AlreadyExists', 'You have asked for this already: wait for the decision.')
  await unlessGone(deps, request, person?.entryUUID)
  told(deps, by, 'access.request', request)
  deps.background.run('the mail of an access request', () => tellDeciders(deps, request))
  return request
}

/** What the caller may decide. */
export async function decidable(deps: Needs, by: Actor): Promise<AccessRequest[]> {
  const isKeeper = await by.caller.isMemberOf('app_sso_directory_admin')
  const { resources, ownedBy } = await deps.store.resources.current()
  if (!isKeeper && ownedBy(by.caller.uid).length === 0) return []
  const pending = await deps.store.accessRequests.pending()
  return pending.filter((request) => {
    const record = resources.get(request.resourceId)
    return record && !isOwn(by, request) && (isKeeper || isSelf(by.caller, record.owner ?? undefined))
  })
}

/**
 * Throws NotFound, InsufficientPermission (not the caller's to decide, or no authority over an `app_sso_*` group that it
 * leads to), Conflict (decided already, or nothing there to be given).
 */
export async function approve(deps: Needs, by: Actor, id: string, note?: string): Promise<AccessRequest> {
  const { accessRequests, resources } = deps.store
  const request = await forDecision(deps, by, id)
  const now = await resources.current()
  const record = now.resources.get(request.resourceId)
  const cn = request.granting ?? now.linksOn(record?.id ?? '').find(isAccess)?.groupCn
  if (cn === undefined) throw new Refusal('Conflict', 'No group gives access to this resource any more.')
  let joined = false
  try {
    await requireAuthority(deps, by.caller, await groupNamed(deps, cn))
    if (!(await accessRequests.change(id, (current) => ({ ...current, granting: cn })))) refuseDecided()
    joined = await join(deps, by, cn, request.uid)
  } catch (error) {
    // Refused for sure, so nothing was given; after anything else it may have been.
    if (isRefusal(error) && !isRefusal(error, 'UpstreamFailure'))
      await accessRequests.change(id, ({ granting: _, ...current }) => current)
    throw error
  }
  const settled = await accessRequests.change(id, ({ granting: _, ...current }) => ({
    ...decided(by, current, 'approved', note),
    groupCn: cn,
  }))
  if (!settled) {
    const state = (await accessRequests.find(id))?.state
    if (joined && state !== 'approved') await takeBack(deps, cn, request.uid)
    refuseDecided()
  }
  return ended(deps, by, settled)
}

/** Throws NotFound, InsufficientPermission, Conflict (decided already, or an approval has begun). */
export async function deny(deps: Needs, by: Actor, id: string, note?: string): Promise<AccessRequest> {
  await forDecision(deps, by, id)
  const settled = await deps.store.accessRequests.change(id, (current) =>
    current.granting === undefined ? decided(by, current, 'denied', note) : undefined,
  )
  return ended(deps, by, settled ?? refuseDecided())
}

/** Takes back one's own. Throws NotFound, InsufficientPermission, Conflict. */
export async function cancel(deps: Needs, by: Actor, id: string): Promise<AccessRequest> {
  const request = await found(deps, id)
  if (!isSelf(by.caller, request.uid))
    throw new Refusal('InsufficientPermission', 'Somebody else made this request.')
  const settled = await deps.store.accessRequests.change(id, (current) =>
    current.granting === undefined ? { ...current, state: 'cancelled' } : undefined,
  )
  if (!settled) refuseDecided()
  told(deps, by, 'access.cancel', settled)
  return settled
}

async function found({ store }: Pick<Deps, 'store'>, id: string): Promise<AccessRequest> {
  const request = await store.accessRequests.find(id)
  if (!request) throw new Refusal('NotFound', 'There is no such request.')
  return request
}

/** A request that is the caller's to decide: as owner of the resource or directory admin, and never their own. */
async function forDecision(deps: Needs, by: Actor, id: string): Promise<AccessRequest> {
  const request = await found(deps, id)
  const record = (await deps.store.resources.current()).resources.get(request.resourceId)
  const isOwner = isSelf(by.caller, record?.owner ?? undefined)
  if (!isOwner && !(await by.caller.isMemberOf('app_sso_directory_admin')))
    throw new Refusal('InsufficientPermission', 'This request is not yours to decide.')
  if (isOwn(by, request)) throw new Refusal('InsufficientPermission', 'Nobody decides on their own request.')
  if (!record) throw new Refusal('NotFound', 'The resource is gone.')
  if (request.state !== 'pending') refuseDecided()
  return request
}

/** Also in a session of somebody else's: the admin who impersonates decides nothing of their own. */
function isOwn({ caller, event }: Actor, { uid }: AccessRequest): boolean {
  return isSelf(caller, uid) || isSelf({ uid: event.actor }, uid)
}

/** True when this made somebody a member who was none. */
async function join(deps: Needs, by: Actor, cn: string, uid: string): Promise<boolean> {
  try {
    await addMember(deps, by, cn, uid)
    return true
  } catch (error) {
    if (isRefusal(error, 'AlreadyMember')) return false
    throw error
  }
}

async function takeBack({ groups, users }: Needs, cn: string, uid: string): Promise<void> {
  await groups.removeMember(cn, await users.dnOf(uid)).catch((error) => {
    if (!isRefusal(error, 'NotFound')) throw error
  })
}

/** The resource or the account may have been deleted while this was asked: nothing of it waits for the next of the name. */
async function unlessGone(deps: Needs, request: AccessRequest, entryUUID: string | undefined): Promise<void> {
  const { accessRequests, resources } = deps.store
  const [person, now] = await Promise.all([deps.users.find(request.uid), resources.current()])
  if (person?.entryUUID !== entryUUID) await accessRequests.forget(request.uid)
  else if (now.resources.has(request.resourceId)) return
  else await accessRequests.change(request.id, (current) => ({ ...current, state: 'cancelled' }))
  throw new Refusal('NotFound', 'There is no such resource.')
}

function decided(
  by: Actor,
  request: AccessRequest,
  state: 'approved' | 'denied',
  note?: string,
): AccessRequest {
  const decision = { state, decided_by: by.event.actor, decided_on: Date.now() }
  return { ...request, ...decision, ...(note ? { decisionNote: note } : {}) }
}

function ended(deps: Needs, by: Actor, request: AccessRequest): AccessRequest {
  told(deps, by, request.state === 'approved' ? 'access.approve' : 'access.deny', request)
  deps.background.run('the mail of a decision', () => tellOfDecision(deps, request))
  return request
}

function refuseDecided(): never {
  throw new Refusal(
    'Conflict',
    'This request is decided, or its approval has begun: approving again completes it.',
  )
}

function isAccess({ accessLevel }: { accessLevel: string }): boolean {
  return accessLevel === 'access'
}

function told(
  { audit }: Pick<Deps, 'audit'>,
  { event }: Actor,
  action: Action,
  request: AccessRequest,
): void {
  const { id, uid, slug, groupCn } = request
  const detail = { request: id, slug, ...(groupCn ? { group: groupCn } : {}) }
  audit.append({ ...event, action, target: uid, outcome: 'ok', detail })
}
