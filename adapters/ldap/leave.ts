import type { Context } from './context.ts'
import { sameDn } from './dn.ts'
import { add, firstOf, take, valuesOf } from './entry.ts'
import { all, any, equals } from './filters.ts'
import { codeOf } from './results.ts'

/**
 * Takes a DN out of all groups and ownerships, before its entry goes: refint does it too, but later (ldap.md section
 * 1). Where it was the only member the placeholder takes its place, so that nobody gains access silently.
 */
export async function leaveGroups(context: Context, dn: string): Promise<void> {
  const { pool, layout, onChange } = context
  const { base, filter, member, owner } = layout.group
  const groups = await pool.search(base, {
    filter: all(filter, any([equals(member, dn), equals(owner, dn)])),
    attributes: ['cn', owner],
  })
  for (const group of groups) {
    await withoutMember(context, group.dn, dn)
    if (valuesOf(group, owner).some((each) => sameDn(each, dn))) await withoutOwner(context, group.dn, dn)
    await onChange({ group: firstOf(group, 'cn') ?? '' })
  }
}

async function withoutMember({ pool, layout }: Context, group: string, dn: string): Promise<void> {
  const { member, placeholder } = layout.group
  try {
    await pool.write('removeMember', (connection) => connection.modify(group, [take(member, dn)]))
  } catch (error) {
    if (codeOf(error) === 65)
      return pool.write('removeMember', (connection) =>
        connection.modify(group, [add(member, placeholder), take(member, dn)]),
      )
    if (codeOf(error) !== 16 && codeOf(error) !== 32) throw error
  }
}

async function withoutOwner({ pool, layout }: Context, group: string, dn: string): Promise<void> {
  await pool
    .write('removeOwner', (connection) => connection.modify(group, [take(layout.group.owner, dn)]))
    .catch((error) => {
      if (codeOf(error) !== 16 && codeOf(error) !== 32) throw error
    })
}
