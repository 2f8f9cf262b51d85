import { queryOptions } from '@tanstack/react-query'
import { api, ok } from '../../api/client.ts'
import { Failure } from '../../api/failure.ts'
import type { Me } from '../../api/queries.ts'
import { mayUse } from '../../api/queries.ts'

/** All of them: no service has so many applications that they would not fit in one answer. */
export const clients = queryOptions({
  queryKey: ['clients', 'list'],
  queryFn: async () => (await ok(api.GET('/api/oauth/client/'))).results,
})

/** All that is kept of one lies below this key. */
export const oneKey = (id: string) => ['clients', 'one', id]

export const client = (client_id: string) =>
  queryOptions({
    queryKey: [...oneKey(client_id), 'client'],
    queryFn: async () =>
      (await ok(api.GET('/api/oauth/client/{client_id}', { params: { path: { client_id } } }))).results,
  })

type Discovery = {
  issuer: string
  authorization_endpoint: string
  token_endpoint: string
  userinfo_endpoint: string
  end_session_endpoint: string
  jwks_uri: string
  introspection_endpoint: string
  revocation_endpoint: string
  device_authorization_endpoint?: string
  scopes_supported: string[]
  access_token_lifetime: number
  refresh_token_lifetime: number
}

/** What the service tells every application about itself (OpenID Connect Discovery). */
export const discovery = queryOptions({
  queryKey: ['clients', 'discovery'],
  queryFn: async (): Promise<Discovery> => {
    const response = await fetch('/.well-known/openid-configuration').catch((cause: unknown) => {
      throw new Failure({ status: 0, name: 'Unreachable', message: '' }, { cause })
    })
    if (!response.ok) throw new Failure({ status: response.status, name: 'InternalError', message: '' })
    return response.json()
  },
  staleTime: 60_000,
})

/** Everybody in a group, each with one shortest chain of groups; null where there is no such group. */
export const effective = (group: string) =>
  queryOptions({
    queryKey: ['clients', 'effective', group],
    queryFn: () => {
      const params = { path: { group }, query: { explain: 'true' } }
      return orNull(api.GET('/api/group/{group}/effective', { params }))
    },
  })

/** Who a username belongs to; null when they are gone. */
export const person = (uid: string) =>
  queryOptions({
    queryKey: ['clients', 'person', uid],
    queryFn: () => orNull(api.GET('/api/user/{uid}', { params: { path: { uid } } })),
    staleTime: 300_000,
  })

/** Groups of a name or purpose like this, by name. */
export const foundGroups = (q: string) =>
  queryOptions({
    queryKey: ['clients', 'groups', q],
    queryFn: async ({ signal }) => {
      const query = { q, limit: 7, sort: 'cn' as const }
      return (await ok(api.GET('/api/group/', { params: { query }, signal }))).results
    },
  })

/** Administrators search all people; others find somebody by the whole username, as the API lets them. */
export const foundPeople = (me: Me, q: string) =>
  queryOptions({
    queryKey: ['clients', 'people', q],
    queryFn: async ({ signal }) => {
      if (!mayUse(me, 'app_sso_admin')) {
        const one = await orNull(api.GET('/api/user/{uid}', { params: { path: { uid: q } }, signal }))
        return one ? [one] : []
      }
      const query = { q, limit: 6 }
      return (await ok(api.GET('/api/user/', { params: { query }, signal }))).results
    },
    enabled: q !== '',
  })

async function orNull<T>(asked: Promise<{ data?: { results: T }; error?: unknown; response: Response }>) {
  try {
    return (await ok(asked)).results
  } catch (error) {
    if (error instanceof Failure && (error.status === 404 || error.name === 'InvalidInput')) return null
    throw error
  }
}
