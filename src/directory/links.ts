import { randomUUID } from 'node:crypto'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { requireAuthority } from '#src/group/authority.ts'
import { groupName } from '#src/group/names.ts'
import type { Actor } from '#src/user/actor.ts'
import { forgetGroup } from './endings.ts'
import { planEdge, planEdgeRemoval, planLink, planLinkRemoval } from './plan.ts'
import type { Edge, Link, NewEdge, NewLink } from './schemas.ts'
import { told } from './service.ts'

/** Throws InvalidInput, SelfNesting, AlreadyExists, NestingLoop. */
export async function addEdge(
  deps: Pick<Deps, 'store' | 'audit'>,
  by: Actor,
  wanted: NewEdge,
): Promise<Edge> {
  const made = { created_by: by.event.actor, created_on: Date.now() }
  const edge = await deps.store.resources.change((now) => planEdge(now, wanted, made))
  const { id, parentId, childId } = edge
  told(deps, by, 'resource.edge.add', childId, { edge: id, parent: parentId })
  return edge
}

/** Throws NotFound; Conflict where an application would be left without a service. */
export async function removeEdge(deps: Pick<Deps, 'store' | 'audit'>, by: Actor, id: string): Promise<void> {
  const { parentId, childId } = await deps.store.resources.change((now) => planEdgeRemoval(now, id))
  told(deps, by, 'resource.edge.remove', childId, { edge: id, parent: parentId })
}

/**
 * Lets the effective members of a group reach a resource. Since whoever is granted access joins the group, linking one
 * that leads to an `app_sso_*` group needs authority over that. Throws InvalidInput, AlreadyExists, InsufficientPermission.
 */
export async function addLink(
  deps: Pick<Deps, 'store' | 'audit' | 'groups'>,
  by: Actor,
  { resourceId, groupCn, accessLevel = 'access' }: NewLink,
): Promise<Link> {
  const group = await deps.groups.named(groupName(groupCn))
  if (!group) throw new Refusal('InvalidInput', `groupCn: there is no group ${groupCn}.`)
  await requireAuthority(deps, by.caller, group)
  const made = { created_by: by.event.actor, created_on: Date.now() }
  const link = { id: randomUUID(), resourceId, groupCn: group.cn, accessLevel, ...made }
  await deps.store.resources.change((now) => planLink(now, link))
  told(deps, by, 'resource.link.add', resourceId, { link: link.id, group: group.cn, accessLevel })
  if (await deps.groups.named(group.cn)) return link
  // It was deleted meanwhile: the link must not wait for another group of the name.
  await forgetGroup(deps, group.cn)
  throw new Refusal('InvalidInput', `groupCn: there is no group ${groupCn}.`)
}

/** Throws NotFound. */
export async function removeLink(deps: Pick<Deps, 'store' | 'audit'>, by: Actor, id: string): Promise<void> {
  const { resourceId, groupCn } = await deps.store.resources.change((now) => planLinkRemoval(now, id))
  told(deps, by, 'resource.link.remove', resourceId, { link: id, group: groupCn })
}
