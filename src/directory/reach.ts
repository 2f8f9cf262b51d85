/** What somebody can reach, and how: public resources, and those linked to a group that they are effectively in. */
import type { Chain } from '#adapters/ldap/group.ts'
import type { View } from '#adapters/redis/resources.ts'
import type { AccessLevel, ResourceRecord } from './schemas.ts'

/** One group link that lets somebody in: `via` is one shortest chain of groups, from the linked one down. */
export type Grant = { groupCn: string; accessLevel: AccessLevel; via: string[] }
/** The best grant first: the higher level, then the shorter chain. None where the resource is public only. */
export type Reach = { record: ResourceRecord; grants: Grant[] }

/** Every resource within reach of whoever is in these groups, by id. */
export function reachOf(now: View, chains: Chain[]): Map<string, Reach> {
  const found = new Map<string, Reach>()
  const at = (record: ResourceRecord): Reach => {
    const reach = found.get(record.id) ?? { record, grants: [] }
    found.set(record.id, reach)
    return reach
  }
  for (const record of now.open('public')) at(record)
  for (const { cn, via } of chains)
    for (const { resourceId, groupCn, accessLevel } of now.linksOf(cn)) {
      const record = now.resources.get(resourceId)
      if (record) at(record).grants.push({ groupCn, accessLevel, via })
    }
  for (const { grants } of found.values())
    grants.sort((a, b) => rank(a) - rank(b) || a.via.length - b.via.length)
  return found
}

/** The same for one resource; undefined out of reach. */
export function reachTo(now: View, record: ResourceRecord, chains: Chain[]): Reach | undefined {
  const names = new Map(chains.map((chain) => [chain.cn.toLowerCase(), chain.via]))
  const grants = now.linksOn(record.id).flatMap(({ groupCn, accessLevel }) => {
    const via = names.get(groupCn.toLowerCase())
    return via ? [{ groupCn, accessLevel, via }] : []
  })
  grants.sort((a, b) => rank(a) - rank(b) || a.via.length - b.via.length)
  return grants.length > 0 || record.metadata.isPublic ? { record, grants } : undefined
}

/** Level and chain as the API tells them: `public` where no group grants anything. */
export function levelOf({ grants: [best] }: Reach): { accessLevel: AccessLevel | 'public'; via: string[] } {
  return best ? { accessLevel: best.accessLevel, via: best.via } : { accessLevel: 'public', via: [] }
}

/** Its own address (or IP), else that of the nearest ancestor that has one; of those equally near the oldest edge's. */
export function addressOf(now: View, record: ResourceRecord): string | undefined {
  const climbed = new Set([record.id])
  for (const id of climbed) {
    const { address, ip } = now.resources.get(id)?.metadata ?? {}
    if (address || ip) return address || ip
    for (const { parentId } of now.above(id)) climbed.add(parentId)
  }
  return undefined
}

/** The group that whoever is granted access joins: of the oldest link of level `access`; none cannot be asked for. */
export function groupAskedFor(now: View, record: ResourceRecord): string | undefined {
  if (!record.metadata.requestable) return undefined
  return now.linksOn(record.id).find(({ accessLevel }) => accessLevel === 'access')?.groupCn
}

function rank({ accessLevel }: Grant): number {
  return accessLevel === 'admin' ? 0 : 1
}
