import type { Config } from '#src/settings.ts'
import { openAccessRequests } from './access-requests.ts'
import { openAgreement } from './agreement.ts'
import { openApiTokens } from './api-tokens.ts'
import { openAudit } from './audit.ts'
import { openBus } from './bus.ts'
import { openChannels } from './channels.ts'
import { openCodes } from './codes.ts'
import { openStoredConf } from './conf.ts'
import type { Hooks, Log } from './connection.ts'
import { connect } from './connection.ts'
import { openConsents } from './consents.ts'
import { openCopy } from './copy.ts'
import { openCopyBack } from './copy-back.ts'
import { openExchanges } from './exchanges.ts'
import { openFailures } from './failures.ts'
import { openHealth } from './health.ts'
import { openImpersonations } from './impersonations.ts'
import { openInvites } from './invites.ts'
import { openKeys } from './keys.ts'
import { openSigningKeys } from './keystore.ts'
import { openLocks } from './lock.ts'
import { openNotifications } from './notifications.ts'
import { openPastUids } from './past-uids.ts'
import { openPlugins } from './plugins.ts'
import { openProviderRecords } from './provider.ts'
import type { JobLimits } from './queue.ts'
import { openJobs } from './queue.ts'
import { openRates } from './rates.ts'
import { openResets } from './resets.ts'
import { openResources } from './resources.ts'
import type { SessionLimits } from './sessions.ts'
import { openSessions } from './sessions.ts'
import { openTerms } from './terms.ts'
import { openUses } from './uses.ts'
import { openVerification } from './verification.ts'
import { openVerificationTokens } from './verification-token.ts'
import { openVouching } from './vouching.ts'
import { openWebhooks } from './webhooks.ts'

type StoreSettings = {
  secret: string
  sealKey: string
  auth: SessionLimits
  delivery: JobLimits
  plugins: { concurrency: number }
}

export type Store = Awaited<ReturnType<typeof openStore>>

/**
 * Everything the service keeps in Redis. Throws UpstreamFailure when Redis does not answer at start; afterwards every
 * call fails with UpstreamFailure in bounded time while Redis is away and works again when it is back.
 */
export async function openStore(
  settings: Config['redis'],
  { secret, sealKey, auth, delivery, plugins }: StoreSettings,
  log: Log,
  hooks: Hooks,
) {
  await using opened = new AsyncDisposableStack()
  const [keys, connection] = await Promise.all([
    openKeys(settings.prefix, { secret, sealKey }),
    connect(settings, log, hooks).then((connection) => opened.use(connection)),
  ])
  const bus = opened.use(await openBus(connection, keys, log))
  const jobs = opened.use(
    openJobs(connection, { name: 'delivery', keys, bus, limits: delivery, log }, settings),
  )
  const runLimits = {
    attempts: 1,
    backoff: 0,
    get concurrency() {
      return plugins.concurrency
    },
  }
  const runs = opened.use(
    openJobs(connection, { name: 'plugins', keys, bus, limits: runLimits, log }, settings),
  )
  const audit = openAudit(connection, keys, log)
  const health = openHealth(connection, keys, log)
  const sessions = openSessions(connection, keys, auth, log)
  const terms = openTerms(connection, keys)
  const conf = openStoredConf(connection, keys)
  const webhooks = openWebhooks(connection, keys)
  const instances = openPlugins(connection, keys)
  const uses = openUses(connection, log)
  await health()
  opened.defer(audit.settled)
  const closing = opened.move()

  return {
    redis: connection.client,
    connection,
    keys,
    bus,
    jobs,
    runs,
    channels: openChannels(connection, keys, log),
    audit,
    health,
    sessions,
    failures: openFailures(connection, keys),
    rates: openRates(connection, keys),
    terms,
    verification: openVerification(connection, keys, terms),
    verificationTokens: openVerificationTokens(connection, keys),
    codes: openCodes(connection, keys),
    resets: openResets(connection, keys),
    apiTokens: openApiTokens(connection, keys),
    impersonations: openImpersonations(connection, keys),
    invites: openInvites(connection, keys),
    pastUids: openPastUids(connection, keys),
    resources: openResources(connection, keys),
    accessRequests: openAccessRequests(connection, keys),
    provider: openProviderRecords(connection, keys, sessions, uses),
    exchanges: openExchanges(connection, keys, uses),
    vouch: openVouching(connection, keys),
    consents: openConsents(connection, keys),
    notifications: openNotifications(connection, keys),
    conf,
    webhooks,
    plugins: instances,
    /** Whatever asks `keys.sealing` for a key: `npm run reseal` moves all of it to another. */
    sealed: [conf, jobs, runs, webhooks, instances, audit.seals].map(({ sealed }) => sealed),
    signingKeys: openSigningKeys(connection, keys),
    locks: openLocks(connection, keys),
    /** `name` is one word. */
    agree: (name: string) => openAgreement(connection, { name, keys, bus, log }),
    copy: openCopy(connection, keys),
    copyBack: openCopyBack(connection, keys),
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}
