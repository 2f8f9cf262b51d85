import { randomBytes } from 'node:crypto'
import type { Deps } from './deps.ts'
import { isRefusal } from './errors.ts'
import type { PermissionGroup } from './http/access.ts'
import { permissionGroups } from './http/access.ts'

/**
 * What the directory must hold before the service can be administered (contract section 6): the four `app_sso_*`
 * groups, with the first administrator as member and owner of each. Safe on many pods at once: the directory decides
 * who makes what. Answers the new administrator with the generated password, which must be changed (attacks row 41),
 * or undefined when nobody had to be made.
 */
export async function prepareDirectory(
  deps: Pick<Deps, 'config' | 'directory' | 'users' | 'groups' | 'audit' | 'log'>,
): Promise<{ uid: string; password: string } | undefined> {
  const { config, directory, users, groups, audit } = deps
  await directory.prepare()
  const missing: PermissionGroup[] = []
  for (const cn of permissionGroups) if (!(await groups.find(cn))) missing.push(cn)
  if (missing.length === 0) return undefined

  const { uid, mail } = config.first_admin
  const password = randomBytes(15).toString('base64url')
  const made = await users
    .create({ uid, password, givenName: 'First', sn: 'Administrator', mail }, { mustChange: true })
    .catch((error) => {
      if (isRefusal(error, 'AlreadyExists')) return undefined
      throw error
    })
  const administrator = made ?? (await users.find(uid))
  if (!administrator) throw new Error(`The first administrator ${uid} can neither be made nor found`)
  for (const cn of missing) {
    const description = descriptions[cn]
    await groups
      .create({ cn, description, member: administrator.dn, owner: administrator.dn })
      .catch((error) => {
        if (!isRefusal(error, 'AlreadyExists')) throw error
      })
    audit.append({ actor: 'service', action: 'group.create', target: cn, outcome: 'ok', address: '' })
  }
  return made && { uid, password }
}

const descriptions = {
  app_sso_admin: 'Full administration of users, groups, notifications and settings',
  app_sso_oauth_admin: 'Registers and manages OAuth clients',
  app_sso_invite: 'Manages invitations',
  app_sso_directory_admin: 'Administers the directory of resources',
} as const
