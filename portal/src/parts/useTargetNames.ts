import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { api, ok } from '../api/client.ts'
import { mayUse, useMe } from '../api/queries.ts'

type Told = { target: string; detail?: Record<string, unknown> | undefined }

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i
const key = (of: string) => ['target-names', of]
const staleTime = 60_000

/**
 * What applications and resources are called that events know by their id, as far as the reader may know it: what they
 * reach themselves, what they administer, and what the event says. Undefined for what is known by a name, or not known.
 */
export function useTargetNames(events: readonly Told[] = []): (event: Told) => string | undefined {
  const me = useMe()
  const enabled = events.some(({ target }) => uuid.test(target))
  const mine = useQuery({
    ...{ queryKey: key('mine'), staleTime, enabled },
    queryFn: async () => (await ok(api.GET('/api/discovery/me'))).results,
  })
  const clients = useQuery({
    ...{ queryKey: key('clients'), staleTime, enabled: enabled && mayUse(me, 'app_sso_oauth_admin') },
    queryFn: async () => (await ok(api.GET('/api/oauth/client/'))).results,
  })
  const resources = useQuery({
    ...{ queryKey: key('resources'), staleTime, enabled: enabled && mayUse(me, 'app_sso_directory_admin') },
    queryFn: async () => (await ok(api.GET('/api/directory-admin/resources/'))).results,
  })
  const names = useMemo(
    () =>
      new Map([
        ...(mine.data ?? []).map(({ id, name }) => [id, name] as const),
        ...(resources.data ?? []).map(({ id, name }) => [id, name] as const),
        ...(clients.data ?? []).map(({ client_id, name }) => [client_id, name] as const),
      ]),
    [mine.data, resources.data, clients.data],
  )
  return ({ target, detail }) => {
    if (!uuid.test(target)) return undefined
    return names.get(target) ?? (typeof detail?.name === 'string' ? detail.name : undefined)
  }
}
