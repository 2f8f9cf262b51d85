import { queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { queries } from '../../api/queries.ts'

/** The terms in force, or an earlier version; version 0 before there was any. */
export const terms = (version?: string) =>
  queryOptions({
    queryKey: ['terms', 'text', version ?? 'current'],
    queryFn: async () => {
      const query = version === undefined ? {} : { version: Number(version) }
      return (await ok(api.GET('/api/tos/', { params: { query } }))).results
    },
  })

/** All versions, the newest first. */
export const versions = queryOptions({
  queryKey: ['terms', 'versions'],
  queryFn: async () => (await ok(api.GET('/api/tos/versions'))).results,
})
export type Version = Awaited<ReturnType<NonNullable<typeof versions.queryFn>>>[number]

/** A text as people would read it. */
export const preview = (text: string) =>
  queryOptions({
    queryKey: ['terms', 'preview', text],
    queryFn: async () => (await ok(api.POST('/api/tos/preview', { body: { text } }))).results.html,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
  })

/** Whom a new version concerns: how many accounts there are, and whether and where they are asked. */
export const concerned = queryOptions({
  queryKey: ['terms', 'concerned'],
  queryFn: async () => {
    const [{ totalUsers }, { onboarding }] = await Promise.all([
      ok(api.GET('/api/user/stats')),
      ok(api.GET('/api/conf/')),
    ])
    return { people: totalUsers, asked: onboarding.needs.includes('tos'), enforce: onboarding.enforce }
  },
})

/** Puts a text in force; answers the number of its version. */
export async function publish(text: string): Promise<number> {
  const { results } = await ok(api.PUT('/api/tos/', { body: { text } }))
  await queries.invalidateQueries({ queryKey: ['terms'] })
  // Whoever publishes is asked to accept, too.
  await queries.invalidateQueries({ queryKey: ['me'] })
  return results.version
}
