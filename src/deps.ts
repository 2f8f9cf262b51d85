import type { Logger } from 'pino'
import type { Egress } from '#adapters/egress.ts'
import type { Files } from '#adapters/files.ts'
import type { Directory, Groups, Users } from '#adapters/ldap/directory.ts'
import type { Mail } from '#adapters/mail.ts'
import type { Store } from '#adapters/redis/store.ts'
import type { Sms } from '#adapters/sms.ts'
import type { Accounts } from './accounts.ts'
import type { Background } from './background.ts'
import type { Standing } from './conf/standing.ts'
import type { Metrics } from './metrics.ts'
import type { ProviderHolder } from './oauth/holder.ts'
import type { Config } from './settings.ts'

/**
 * Everything a slice may touch, opened once by connect.ts. A function names what it needs: `Pick<Deps, 'groups'>`.
 * `config` may change at run time in every leaf that is not bootstrap: read it where it is used.
 */
export type Deps = {
  config: Config
  standing: Standing
  log: Logger
  metrics: Metrics
  directory: Directory
  users: Users
  groups: Groups
  accounts: Accounts
  store: Store
  sessions: Store['sessions']
  audit: Store['audit']
  mail: Mail
  sms: Sms
  egress: Egress
  files: Files
  background: Background
  /** Aborted when the process was told to end: it still answers, and wants no more requests. */
  leaving: AbortController
}

/** What a slice that speaks through the authorization server is given beside. */
export type ProviderDeps = Deps & { provider: ProviderHolder }
