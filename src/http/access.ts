import type { Deps } from '#src/deps.ts'
import type { Caller } from './caller.ts'

/** Who may call a route (contract section 6; interface, Authentication). `label` goes into the API document. */
export type Access = {
  readonly label: string
  /** No personal access token is taken. */
  readonly sessionOnly?: true
  readonly allows: (
    caller: Caller,
    params: Readonly<Record<string, string | undefined>>,
    deps: Pick<Deps, 'groups'>,
  ) => boolean | Promise<boolean>
}

export type PermissionGroup =
  | 'app_sso_admin'
  | 'app_sso_oauth_admin'
  | 'app_sso_invite'
  | 'app_sso_directory_admin'
export const permissionGroups: readonly PermissionGroup[] = [
  'app_sso_admin',
  'app_sso_oauth_admin',
  'app_sso_invite',
  'app_sso_directory_admin',
]

/** True for the four groups the service itself asks for. */
export function isPermissionGroup(cn: string): boolean {
  return permissionGroups.some((name) => name === cn.toLowerCase())
}

/** Any authenticated user. */
export const anyUser: Access = { label: 'any user', allows: () => true }

/** Effective members of at least one of `names`. */
export function memberOf(...names: [PermissionGroup, ...PermissionGroup[]]): Access {
  return { label: names.join(' or '), allows: (caller) => isMemberOfAny(caller, names) }
}

export const admin = memberOf('app_sso_admin')

/** The user that the path's `:uid` names, or an admin. */
export const ownAccountOrAdmin: Access = {
  label: 'own account or app_sso_admin',
  allows: (caller, { uid }) => isSelf(caller, uid) || caller.isMemberOf('app_sso_admin'),
}

/** An owner of the path's `:group` (not through nesting), or an admin. */
export const ownerOrAdmin: Access = {
  label: 'owner of the group or app_sso_admin',
  async allows(caller, { group }, { groups }) {
    if (await caller.isMemberOf('app_sso_admin')) return true
    return group !== undefined && (await groups.isOwner(caller.dn, group))
  },
}

/** Whom `access` lets in, but by no personal access token: what would outlive one or reach further (contract section 12). */
export function inPerson({ label, allows }: Access): Access {
  return {
    label: `${label}, by no personal access token`,
    sessionOnly: true,
    allows: (caller, params, deps) => caller.apiToken === undefined && allows(caller, params, deps),
  }
}

/** True when `uid` spells the caller's own name. */
export function isSelf(caller: Pick<Caller, 'uid'>, uid: string | undefined): boolean {
  return uid?.toLowerCase() === caller.uid.toLowerCase()
}

async function isMemberOfAny(caller: Caller, names: readonly PermissionGroup[]): Promise<boolean> {
  for (const name of names) if (await caller.isMemberOf(name)) return true
  return false
}
