/** Who can reach what, for directory admins: counted from each resource, and looked up from each person. */
import { performance } from 'node:perf_hooks'
import { setImmediate as turn } from 'node:timers/promises'
import type { View } from '#adapters/redis/resources.ts'
import type { Deps } from '#src/deps.ts'
import { userNamed } from '#src/user/service.ts'
import { addressOf, levelOf, reachOf } from './reach.ts'
import type { AccessRow, ResourceRecord, UserAccess } from './schemas.ts'

/** Longest that counting keeps others waiting. */
const sliceMilliseconds = 10

/**
 * For each resource the groups linked to it and how many people are effectively in any of them, locked ones too, as in
 * the groups' own `effective`; with `detail` their DNs. One question of the directory for all, and others are served in
 * between.
 */
export async function* accessRows(
  { groups }: Pick<Deps, 'groups'>,
  now: View,
  records: ResourceRecord[],
  { detail }: { detail: boolean },
): AsyncGenerator<AccessRow> {
  const links = records.map(({ id }) => now.linksOn(id))
  const people = groups.peopleOf(links.map((of) => of.map(({ groupCn }) => groupCn)))
  let since = performance.now()
  for (const [at, { id, kind, name, slug, metadata }] of records.entries()) {
    const { value: users = [] } = await people.next()
    yield {
      ...{ id, kind, name, slug, isPublic: metadata.isPublic === true, count: users.length },
      groups: (links[at] ?? []).map(({ groupCn, accessLevel }) => ({ groupCn, accessLevel })),
      ...(detail ? { users } : {}),
    }
    if (performance.now() - since < sliceMilliseconds) continue
    await turn()
    since = performance.now()
  }
}

/** What somebody can reach, and through which groups. Throws NotFound. */
export async function userAccess(
  deps: Pick<Deps, 'users' | 'groups' | 'store'>,
  uid: string,
): Promise<UserAccess> {
  const [entry, now] = await Promise.all([userNamed(deps, uid), deps.store.resources.current()])
  const reach = reachOf(now, await deps.groups.chainsOf(entry.dn))
  const results = [...reach.values()].map((each) => {
    const { id, kind, name, slug } = each.record
    const address = addressOf(now, each.record)
    return {
      ...{ id, kind, name, slug, ...levelOf(each), groups: each.grants },
      ...(address === undefined ? {} : { address }),
    }
  })
  results.sort((a, b) => a.slug.localeCompare(b.slug))
  return { uid: entry.uid, isActive: entry.isActive, results }
}
