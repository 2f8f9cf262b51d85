import { queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import type { Me } from '../../api/queries.ts'
import { mayUse } from '../../api/queries.ts'
import { byName, isSame } from '../../parts/names.ts'

export type Change = 'addMember' | 'removeMember' | 'nest' | 'unnest' | 'delete'

/** Who would gain and who would lose which group by a change of this one; or the loop that a nesting would close. */
export const preview = (group: string, change: Change, name?: string) =>
  queryOptions({
    queryKey: ['groups', 'preview', group, change, name],
    queryFn: async () => {
      const params = { path: { group }, query: { change, ...(name === undefined ? {} : { name }) } }
      return (await ok(api.GET('/api/group/{group}/preview', { params }))).results
    },
    gcTime: 0,
  })
export type Previewed = Awaited<ReturnType<NonNullable<ReturnType<typeof preview>['queryFn']>>>

/** Of many groups only the first are asked about, and of many resources only the first named. */
const asked = 20
const named = 12

/** What the members of any of these groups reach by them, the first by name. Directory administrators may ask. */
export const opened = (me: Me, groups: readonly string[]) =>
  queryOptions({
    queryKey: ['groups', 'opened', ...groups],
    queryFn: async () => {
      const links = (await Promise.all(groups.slice(0, asked).map(linksOf))).flat()
      const ids = [...new Set(links.map(({ resourceId }) => resourceId))]
      const found = await Promise.all(ids.slice(0, named).map(resource))
      const names = found.map(({ name }) => name).sort(byName)
      return { names, more: ids.length - names.length }
    },
    enabled: mayUse(me, 'app_sso_directory_admin') && groups.length > 0,
  })

/** The resources linked to one group, with their names and what the link means. */
export const linked = (me: Me, cn: string) =>
  queryOptions({
    queryKey: ['groups', 'one', cn, 'linked'],
    queryFn: async () => {
      const links = await linksOf(cn)
      const found = await Promise.all(links.map(({ resourceId }) => resource(resourceId)))
      return links
        .map(({ id, accessLevel }, at) => ({ id, accessLevel, ...(found[at] as Found) }))
        .sort((a, b) => byName(a.name, b.name))
    },
    enabled: mayUse(me, 'app_sso_directory_admin'),
  })

/** Applications at which members of the group may sign in because it is named there. */
export const clientsOf = (me: Me, cn: string) =>
  queryOptions({
    queryKey: ['groups', 'one', cn, 'clients'],
    queryFn: async () => {
      const { results } = await ok(api.GET('/api/oauth/client/'))
      const its = results.filter(({ allowed_groups }) => allowed_groups.some((name) => isSame(name, cn)))
      return its.map(({ name }) => name).sort(byName)
    },
    enabled: mayUse(me, 'app_sso_oauth_admin'),
  })

type Found = { resourceId: string; name: string; kind: string }

async function linksOf(groupCn: string) {
  return (await ok(api.GET('/api/directory-admin/groups/', { params: { query: { groupCn } } }))).results
}

async function resource(id: string): Promise<Found> {
  const { results } = await ok(api.GET('/api/directory-admin/resources/{id}', { params: { path: { id } } }))
  return { resourceId: id, name: results.name, kind: results.kind }
}

export function isIn(dns: readonly string[], dn: string): boolean {
  return dns.some((each) => isSame(each, dn))
}
