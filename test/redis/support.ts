import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import type { Store } from '#adapters/redis/store.ts'
import { openStore } from '#adapters/redis/store.ts'
import { findBinaries } from '#quickstart/binaries.ts'
import { readConfig } from '#src/config.ts'
import type { OAuthRecord } from '#src/directory/schemas.ts'
import type { Config } from '#src/settings.ts'
import { testDataDir } from '#test/support/data-dir.ts'
import { startTestRedis } from '#test/support/redis.ts'

export const secret = 'a signing secret of this test alone, long enough'
const otherRequired = {
  app_ldap__base: 'dc=test',
  app_ldap__bindDN: 'cn=test',
  app_ldap__bindPassword: 'test',
  OAUTH_ISSUER: 'http://localhost:3000',
}
export const config: Config = readConfig({ ...otherRequired, JWT_SECRET: secret })

/**
 * A Redis of this test alone; `settings` as the store takes them, patient, since a busy machine is no fault: `timeout` (in
 * milliseconds) where one is to be run into.
 */
export async function testRedis({
  appendOnly = true,
  timeout = 15_000,
}: {
  appendOnly?: boolean
  timeout?: number
} = {}) {
  const dir = await mkdtemp(join(tmpdir(), 'latchkey-redis-'))
  const redis = await startTestRedis({ dir, binaries: await findBinaries(testDataDir), appendOnly })
  const { app_redis__url: url = '', app_redis__cluster: cluster } = redis.settings
  const end = redis[Symbol.asyncDispose]
  return Object.assign(redis, {
    dir,
    settings: { ...config.redis, url, cluster: cluster?.split(',') ?? [], timeout },
    async [Symbol.asyncDispose]() {
      await end()
      await rm(dir, { recursive: true, force: true })
    },
  })
}

export type StoreOptions = {
  secret?: string
  idle?: number
  absolute?: number
  onRoundTrip?: (commands: number) => void
  onLog?: (line: string) => void
}

export function testStore(settings: Config['redis'], options: StoreOptions = {}): Promise<Store> {
  const auth = {
    session_idle_seconds: options.idle ?? config.auth.session_idle_seconds,
    session_absolute_seconds: options.absolute ?? config.auth.session_absolute_seconds,
  }
  const log = pino({ level: options.onLog ? 'info' : 'silent' }, { write: options.onLog ?? (() => {}) })
  const hooks = { onRoundTrip: options.onRoundTrip ?? (() => {}) }
  return openStore(settings, { ...config, secret: options.secret ?? secret, sealKey: '', auth }, log, hooks)
}

export function testClient(client_id: string, created_on = 1_700_000_000_000, name = client_id): OAuthRecord {
  return {
    ...{ client_id, created_on, name, description: '', created_by: 'root', is_valid: true },
    ...{ redirect_uris: [], post_logout_redirect_uris: [], scopes: ['openid'], allowed_groups: [] },
    ...{
      require_pkce: true,
      skip_consent: false,
      public: false,
      groups_claim: 'all',
      groups_in_id_token: true,
    },
    ...{ id_token_signed_response_alg: 'RS256', grant_types: ['authorization_code'], token_lifetime: {} },
    secret_hash: 'sha256:x',
    ...{ id: client_id, kind: 'oauth', slug: client_id, owner: null, metadata: {} },
    ...{ updated_by: 'root', updated_on: created_on },
  } as OAuthRecord
}

/** Stores a client as it is, over whatever there is. */
export function putClient({ resources }: Pick<Store, 'resources'>, record: OAuthRecord): Promise<boolean> {
  return resources.change(() => ({ ops: [['resources', record.id, record]], value: true }))
}
