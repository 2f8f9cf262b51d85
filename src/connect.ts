import type { Logger } from 'pino'
import { certificateOf } from '#adapters/certificate.ts'
import { openEgress } from '#adapters/egress.ts'
import { openFiles } from '#adapters/files.ts'
import { askIssuer } from '#adapters/issuer.ts'
import type { Restorer } from '#adapters/ldap/copy-back.ts'
import { openEntriesBack } from '#adapters/ldap/copy-back.ts'
import { openDirectory } from '#adapters/ldap/directory.ts'
import { changesAt, inspectDirectory, slapdSettings } from '#adapters/ldap/inspect.ts'
import { openMail } from '#adapters/mail.ts'
import type { Hooks } from '#adapters/redis/connection.ts'
import { inspectRedis } from '#adapters/redis/inspect.ts'
import { openKeys } from '#adapters/redis/keys.ts'
import type { Store } from '#adapters/redis/store.ts'
import { openStore } from '#adapters/redis/store.ts'
import { openSms } from '#adapters/sms.ts'
import type { DirectoryChange } from './accounts.ts'
import { openAccounts } from './accounts.ts'
import { openBackground } from './background.ts'
import { openStanding } from './conf/standing.ts'
import { noted } from './delivery/noted.ts'
import type { Deps } from './deps.ts'
import { openLog } from './log.ts'
import { openMetrics } from './metrics.ts'
import type { Config } from './settings.ts'

export { fromDirectory, fromLdif, textOf } from '#adapters/ldap/foreign.ts'
export { surveyEntries } from '#adapters/ldap/survey.ts'

/**
 * Redis alone, without the settings that are stored there. Throws where a restore has not ended: a pod would take what is
 * missing so far for what never was, and make a first administrator, keys and settings in the way of the restore. Asked
 * when the bus is heard already, as src/backup/restore.ts asks who hears it when its mark stands, so that one of the two
 * sees the other.
 */
export async function connectStore(
  config: Config,
  log: Logger,
  onRoundTrip: Hooks['onRoundTrip'] = () => {},
): Promise<Store> {
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await storeOf(config, log, onRoundTrip))
  const begun = await store.copyBack.begun()
  if (begun !== null)
    throw new Error(
      `The restore of backup ${begun} was begun here and has not ended: run npm run restore with the same file again.`,
    )
  opened.move()
  return store
}

/** Opens every system behind the service; disposing the answer closes them in reverse. */
export async function connect(config: Config): Promise<Deps & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const log = openLog(config)
  const metrics = openMetrics()
  const onChange = { of: async (_change: DirectoryChange) => {} }
  const store = opened.use(await connectStore(config, log, metrics.roundTrip.redis))
  const agreement = config.ldap.url.length > 1 ? opened.use(await store.agree('ldap')) : undefined
  const directory = opened.use(
    await openDirectory(config.ldap, log, {
      onChange: (change) => onChange.of(change),
      onRoundTrip: metrics.roundTrip.ldap,
      agreement,
    }),
  )
  const standing = opened.use(await openStanding({ config, store, log }))
  standing.onChange(() => {
    log.level = config.log.level
  })
  const { users, groups } = directory
  const accounts = openAccounts({ users, groups }, store.bus)
  onChange.of = accounts.changed
  accounts.onChange(({ group }) => group && directory.groupChanged(group))
  metrics.watchGraph(() => directory.graphIsLive)
  metrics.watchPools(directory.figures, () => store.redis.status === 'ready')
  const { sessions, audit } = store
  const mail = noted('mail', openMail(config, log), store.channels)
  const sms = noted('sms', openSms(config, log), store.channels)
  const egress = openEgress(config, log)
  const files = openFiles(config)
  const background = opened.use(openBackground(log))
  const closing = opened.move()
  return {
    ...{
      config,
      standing,
      log,
      metrics,
      directory,
      users,
      groups,
      accounts,
      store,
      sessions,
      audit,
      mail,
      sms,
      egress,
      files,
      background,
      leaving: new AbortController(),
    },
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** Where a restore writes: neither the service's identity nor anything it needs has to be there yet. */
export async function openTarget(config: Config, restorer: Restorer) {
  await using opened = new AsyncDisposableStack()
  const log = openLog(config)
  const entries = opened.use(await openEntriesBack(config.ldap, restorer))
  const store = opened.use(await storeOf(config, log))
  const closing = opened.move()
  return {
    entries,
    records: store.copyBack,
    audit: store.audit,
    bus: store.bus,
    [Symbol.asyncDispose]: () => closing.disposeAsync(),
  }
}

/** What `npm run doctor` looks at: each by itself, so that one that is away hides no other. */
export function openInspection(config: Config) {
  const log = openLog({ log: { level: 'silent' } })
  return {
    /** Redis with the settings that are stored there, which `config` then has. */
    async store() {
      await using opened = new AsyncDisposableStack()
      const store = opened.use(await connectStore(config, log))
      opened.use(await openStanding({ config, store, log }))
      const closing = opened.move()
      return { ...store, [Symbol.asyncDispose]: () => closing.disposeAsync() }
    },
    redis: () => inspectRedis(config.redis),
    directory: () => inspectDirectory(config.ldap, log),
    changesAt: (url: string) => changesAt(config.ldap, url),
    slapdSettings: (as: Parameters<typeof slapdSettings>[1]) => slapdSettings(config.ldap, as),
    certificateOf,
    askIssuer,
    mail: openMail(config, log),
    sms: openSms(config, log),
  }
}
export type Inspection = ReturnType<typeof openInspection>

/** Of the secrets that the environment gives. */
export async function fingerprintsOf(config: Config): Promise<Store['keys']['fingerprints']> {
  return (await openKeys(config.redis.prefix, secretsOf(config))).fingerprints
}

function storeOf(config: Config, log: Logger, onRoundTrip: Hooks['onRoundTrip'] = () => {}) {
  return openStore(config.redis, { ...config, ...secretsOf(config) }, log, { onRoundTrip })
}

function secretsOf({ oauth, seal }: Config) {
  return { secret: oauth.jwtSecret, sealKey: seal.key }
}
