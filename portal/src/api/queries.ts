import { QueryClient, queryOptions, useSuspenseQuery } from '@tanstack/react-query'
import { api, ok } from './client.ts'
import { Failure } from './failure.ts'

/** Answers that are kept while the portal is open: shown at once, and asked for again when they are looked at again. */
export const queries = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // What was refused stays refused; a network or a pod may come back.
      retry: (count, error) =>
        count < 2 && (!(error instanceof Failure) || error.status === 0 || error.status === 502),
    },
  },
})

/** Who is signed in, their groups and open steps. */
export const me = queryOptions({
  queryKey: ['me'],
  queryFn: () => ok(api.GET('/api/user/me')),
  staleTime: 60_000,
})
export type Me = NonNullable<Awaited<ReturnType<NonNullable<typeof me.queryFn>>>>

/** The shell shows nothing before it has this. */
export function useMe(): Me {
  return useSuspenseQuery(me).data
}

/** Requests for access that wait for this person, the oldest first; the navigation tells how many. */
export const toDecide = queryOptions({
  queryKey: ['access-requests', 'to-decide'],
  queryFn: async () => (await ok(api.GET('/api/access-requests/'))).results,
  staleTime: 60_000,
})
export type ToDecide = Awaited<ReturnType<NonNullable<typeof toDecide.queryFn>>>

/** The groups by which the service itself lets people administer; effective membership counts. */
export type Permission =
  | 'app_sso_admin'
  | 'app_sso_oauth_admin'
  | 'app_sso_invite'
  | 'app_sso_directory_admin'

/** Whether to show what only these may do. The API decides; this only spares people doors that are locked. */
export function mayUse({ groups }: Pick<Me, 'groups'>, ...permissions: Permission[]): boolean {
  return groups.some((name) => permissions.includes(name.toLowerCase() as Permission))
}
