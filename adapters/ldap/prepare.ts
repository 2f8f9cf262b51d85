import { randomBytes } from 'node:crypto'
import type { Attribute } from 'ldapts'
import type { Context } from './context.ts'
import { tryDecoy } from './decoy.ts'
import { childDn, parseDn } from './dn.ts'
import { attributesOf, firstOf } from './entry.ts'
import { all, not, present } from './filters.ts'
import { codeOf } from './results.ts'
import { observeUnique } from './user-clash.ts'

/**
 * What the service keeps in the directory for itself (counter, placeholder, decoy) is made where it is missing and may
 * be made, and what no server tells of itself is found out by trying. Safe on many pods at once.
 */
export async function prepare(context: Context): Promise<void> {
  const { layout, capabilities, log } = context
  const { observed } = capabilities
  await makePlace(context, layout.number.entry)
  if (capabilities.posix || capabilities.posixGroup) await makeCounter(context)
  await make(context, layout.group.placeholder, {
    objectClass: 'organizationalRole',
    description: 'placeholder member of groups that would otherwise be empty',
  })
  observed.decoy = await make(context, layout.decoy, {
    objectClass: ['organizationalRole', 'simpleSecurityObject'],
    description: 'passwords of unknown and locked users are checked here',
    userPassword: randomBytes(24).toString('base64url'),
  })
  if (observed.decoy) await tryDecoy(context)
  else log.warn({ dn: layout.decoy }, 'LDAP decoy entry cannot be made')
  await observeUnique(context)
  observed.numbered = capabilities.posix && !(await somebodyUnnumbered(context))
}

/** Where the service's own entries live, when that is a missing ou directly below the base. */
async function makePlace(context: Context, entry: string): Promise<void> {
  const [, place] = parseDn(entry) ?? []
  const { base } = context.layout
  if (place?.attribute.toLowerCase() !== 'ou' || parseDn(entry)?.length !== (parseDn(base)?.length ?? 0) + 2)
    return
  const dn = childDn('ou', place.value, base)
  if (!(await exists(context, dn)))
    await tryAdd(context, dn, attributesOf({ objectClass: 'organizationalUnit', ou: place.value }))
}

async function make(
  context: Context,
  dn: string,
  values: Record<string, string | string[]>,
): Promise<boolean> {
  if (await exists(context, dn)) return true
  const [first] = parseDn(dn) ?? []
  if (!first) return false
  return tryAdd(context, dn, attributesOf({ ...values, [first.attribute]: first.value }))
}

/** True when the entry is there afterwards, whoever made it. */
async function tryAdd({ pool, log }: Context, dn: string, attributes: Attribute[]): Promise<boolean> {
  try {
    await pool.write('create', (connection) => connection.add(dn, attributes))
    return true
  } catch (error) {
    if (codeOf(error) === 68) return true
    if (codeOf(error) === undefined) throw error
    log.warn({ dn, err: error }, 'LDAP entry cannot be made')
    return false
  }
}

/** A counter for a directory that has people already starts above their highest number. */
async function makeCounter(context: Context): Promise<void> {
  const { pool, layout } = context
  if (await exists(context, layout.number.entry)) return
  let highest = layout.number.minimum - 1
  const attribute = layout.user.uidNumber
  const options = { filter: present(attribute), attributes: [attribute], paged: { pageSize: 500 } }
  for await (const page of pool.list(layout.base, options))
    for (const entry of page) highest = Math.max(highest, Number(firstOf(entry, attribute)) || 0)
  await make(context, layout.number.entry, { objectClass: 'device', serialNumber: String(highest + 1) })
}

/** Whether a person has no POSIX number. */
export async function somebodyUnnumbered({
  pool,
  layout,
}: Pick<Context, 'pool' | 'layout'>): Promise<boolean> {
  const { base, filter, uidNumber } = layout.user
  const found = await pool.search(base, {
    filter: all(filter, not(present(uidNumber))),
    attributes: ['1.1'],
    sizeLimit: 1,
  })
  return found.length > 0
}

async function exists({ pool }: Context, dn: string, attribute = 'objectClass'): Promise<boolean> {
  const found = await pool.search(dn, { scope: 'base', filter: present(attribute), attributes: ['1.1'] })
  return found.length > 0
}
