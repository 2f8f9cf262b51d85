import { secretFrom } from '#src/backup/passphrase.ts'
import { lookAt } from '#src/config.ts'
import type { Inspection } from '#src/connect.ts'
import { openInspection } from '#src/connect.ts'
import type { Config } from '#src/settings.ts'
import { leaves, valueAt } from '#src/settings.ts'
import { certificateChecks } from './certificates.ts'
import type { ConfigReader } from './directory.ts'
import { directoryChecks } from './directory.ts'
import type { Check, Finding, Level } from './findings.ts'
import { ok, reasonOf, runAll, warning, worstOf } from './findings.ts'
import { issuerChecks } from './issuer.ts'
import { messageChecks } from './messages.ts'
import { redisCheck } from './redis.ts'
import { settingsCheck } from './settings.ts'

type Environment = Record<string, string | undefined>
type Opened = Awaited<ReturnType<Inspection['store']>>

/** Looks at the deployment that an environment describes; no secret is in the answer. */
export async function examine(env: Environment): Promise<{ level: Level; findings: Finding[] }> {
  const { config, faults, crossed } = lookAt(env)
  // Values that cannot be read leave nothing to look at.
  const found = faults.length > 0 ? runAll([settingsCheck(config, faults)]) : lookAround(config, crossed, env)
  const findings = withoutSecrets(await found, config)
  return { level: worstOf(findings), findings }
}

async function lookAround(config: Config, crossed: string[], env: Environment): Promise<Finding[]> {
  const inspection = openInspection(config)
  // First, since what is stored there counts before the environment.
  const store = await inspection.store().catch((cause) => cause as Error)
  const opened = store instanceof Error ? undefined : store
  const findings = await runAll([
    settingsCheck(config, crossed),
    storedCheck(store),
    redisCheck(config, inspection),
    ...directoryChecks(config, inspection, await readerFrom(env), () => podsOn(opened)),
    ...certificateChecks(config, inspection),
    ...issuerChecks(config, inspection, () => opened?.keys.derive('doctor')),
    ...messageChecks(config, inspection),
  ])
  await opened?.[Symbol.asyncDispose]()
  return findings
}

function storedCheck(store: Opened | Error): Check {
  return {
    name: 'stored settings',
    run: async () =>
      store instanceof Error
        ? [
            warning(
              `could not be read: ${reasonOf(store)}`,
              'What is said here of mail, SMS, proxies and the issuer is of the environment alone.',
              'Mend Redis first; if they are sealed with another key, docs/configuration.md says what to do.',
            ),
          ]
        : [ok(`are read; ${await podsOn(store)} pods run`)],
  }
}

/** Pods listen on the bus, and so do we. */
async function podsOn(store: Opened | undefined): Promise<number> {
  return store ? (await store.bus.listeners()) - 1 : 0
}

async function readerFrom(env: Environment): Promise<ConfigReader> {
  const { DOCTOR_LDAP_URL: url, DOCTOR_LDAP_BIND_DN: dn } = env
  if (!url) return undefined
  const password = await secretFrom(env, 'DOCTOR_LDAP_PASSWORD')
  return dn ? { url, dn, password: password ?? '' } : { url, dn: 'EXTERNAL', password: '' }
}

/** Servers repeat in their errors what they were sent. */
function withoutSecrets(findings: Finding[], config: Config): Finding[] {
  const secrets = leaves()
    .filter(({ schema }) => schema.secret)
    .map(({ path }) => String(valueAt(config, path) ?? ''))
    .flatMap((secret) => (URL.canParse(secret) ? [secret, new URL(secret).password] : [secret]))
    .filter((secret) => secret.length >= 4)
  return findings.map((finding) => ({
    ...finding,
    what: secrets.reduce((safe, secret) => safe.replaceAll(secret, '********'), finding.what),
  }))
}
