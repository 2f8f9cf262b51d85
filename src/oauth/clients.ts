/**
 * Clients as the provider sees them. Where a client authenticates, its record is read from Redis every time, so that a
 * rotated secret is effective on every pod at once (contract section 9); elsewhere it is kept, dropped by the bus when
 * it changes, and never kept while the bus may be missing messages.
 */
import type { Client, ClientMetadata, Provider } from 'oidc-provider'
import type { ClientRecord } from '#src/client/schemas.ts'
import type { Deps } from '#src/deps.ts'

/** Names of our fields on a provider's client; they keep their wire names there. */
export const ownFields = [
  'allowed_groups',
  'token_lifetime',
  'require_pkce',
  'skip_consent',
  'public',
  'groups_claim',
  'groups_in_id_token',
] as const
export type OwnFields = Pick<ClientRecord, (typeof ownFields)[number]>
/** A provider's client with our fields (`scopes` is a method's name there) and our way to compare secrets (seams.ts). */
export type OurClient = Client &
  OwnFields & { allowed_scopes: string[]; compareClientSecret(actual: string): boolean }
/** The library's `scope` would refuse what is not registered; ours is dropped (contract section 9). */
export const metadataNames = [...ownFields, 'allowed_scopes']

const authenticatingRoutes = new Set([
  'token',
  'introspection',
  'revocation',
  'device_authorization',
  'pushed_authorization_request',
])
const most = 5000
const longestMilliseconds = 30_000

export type Clients = ReturnType<typeof openClients>

export function openClients({ store }: Pick<Deps, 'store'>) {
  const known = new Map<string, { record: ClientRecord | undefined; until: number }>()
  /** Counts what was dropped, so that a read under way meanwhile is not kept. */
  let drops = 0
  const forget = (id?: string) => {
    drops += 1
    if (id === undefined) known.clear()
    else known.delete(id)
  }
  store.bus.subscribe('client', forget)
  store.bus.onGap(() => forget())

  return {
    /** The record of a client that may be used, `undefined` for any other. */
    async find(id: string, route: string | undefined): Promise<ClientRecord | undefined> {
      if (id.length > 128) return undefined
      const kept = authenticatingRoutes.has(route ?? '') ? undefined : known.get(id)
      if (kept && kept.until > Date.now()) return usable(kept.record)
      const before = drops
      const record = await store.resources.findClient(id)
      if (drops === before && store.bus.live()) {
        if (known.size >= most) known.clear()
        known.set(id, { record, until: Date.now() + longestMilliseconds })
      }
      return usable(record)
    },
  }
}

/** Makes the library's client of a record once. */
export function clientFactory(provider: Provider, onMade: (record: ClientRecord) => void) {
  const made = new WeakMap<ClientRecord, Client>()
  type Constructor = new (metadata: ClientMetadata) => Client
  return (record: ClientRecord): Client => {
    const known = made.get(record)
    if (known) return known
    const client = new (provider.Client as unknown as Constructor)(metadataOf(record))
    onMade(record)
    made.set(record, client)
    return client
  }
}

/** OpenID registration metadata of a record; the hash of the secret stands in for it (seams.ts compares). */
export function metadataOf(record: ClientRecord): ClientMetadata {
  const { client_id, name, redirect_uris, post_logout_redirect_uris, grant_types, logo_uri, secret_hash } =
    record
  const { backchannel_logout_uri } = record
  const ownScheme = redirect_uris.some((uri) => !/^https?:/i.test(uri))
  return {
    client_id,
    client_name: name,
    redirect_uris,
    post_logout_redirect_uris,
    grant_types,
    response_types: grant_types.includes('authorization_code') ? ['code'] : [],
    application_type: ownScheme ? 'native' : 'web',
    id_token_signed_response_alg: record.id_token_signed_response_alg,
    ...(record.public
      ? { token_endpoint_auth_method: 'none' }
      : { token_endpoint_auth_method: 'client_secret_basic', client_secret: secret_hash }),
    ...(logo_uri ? { logo_uri } : {}),
    ...(backchannel_logout_uri ? { backchannel_logout_uri, backchannel_logout_session_required: true } : {}),
    allowed_scopes: record.scopes,
    ...Object.fromEntries(ownFields.map((name) => [name, record[name]])),
  } as ClientMetadata
}

function usable(record: ClientRecord | undefined): ClientRecord | undefined {
  return record?.is_valid ? record : undefined
}
