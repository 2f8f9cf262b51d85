import type { Static } from 'typebox'
import type { Deps } from '#src/deps.ts'
import type { Stats, UserSummary } from './schemas.ts'

/** How long figures stand when others than this service change the directory; counting reads every name. */
const keptMilliseconds = 30_000
const recent = 10

/** Figures of the whole directory, read once for whoever asks at the same time, and anew after any change of ours. */
export function openStats(
  deps: Pick<Deps, 'users' | 'groups' | 'accounts'>,
): () => Promise<Static<typeof Stats>> {
  let kept: { until: number; stats: Promise<Static<typeof Stats>> } | undefined
  deps.accounts.onChange(() => {
    kept = undefined
  })
  return () => {
    if (kept && kept.until > Date.now()) return kept.stats
    const stats = readStats(deps)
    kept = { until: Date.now() + keptMilliseconds, stats }
    stats.catch(() => {
      kept = undefined
    })
    return stats
  }
}

async function readStats({ users, groups }: Pick<Deps, 'users' | 'groups'>): Promise<Static<typeof Stats>> {
  const [totalUsers, totalGroups, recentSignups, inactiveList] = await Promise.all([
    users.count(),
    groups.count(),
    users.newest(recent),
    allOf(users.locked()),
  ])
  const inactiveUsers = inactiveList.length
  const activeUsers = Math.max(0, totalUsers - inactiveUsers)
  return { totalUsers, activeUsers, inactiveUsers, totalGroups, recentSignups, inactiveList }
}

async function allOf(people: AsyncIterable<UserSummary>): Promise<UserSummary[]> {
  const all: UserSummary[] = []
  for await (const { uid, givenName, sn, mail } of people) all.push({ uid, givenName, sn, mail })
  return all
}
