import type { Inspection } from '#src/connect.ts'
import type { Config } from '#src/settings.ts'
import type { Check } from './findings.ts'
import { error, note, ok, reasonOf, warning } from './findings.ts'

/** Who may read slapd's own settings, if anybody was named (DOCTOR_LDAP_URL and its kin). */
export type ConfigReader = { url: string; dn: string; password: string } | undefined
type Parts = Pick<Inspection, 'directory' | 'changesAt' | 'slapdSettings'>

/** How long a change may be under way from one server to the other. */
const lagMilliseconds = 2_000
const mostNamed = 10
/** Without these the service still serves all that it can. */
const grave = /^(locking accounts|unique mail|argon2id|decoy entry|feed of changes)/

export function directoryChecks(
  config: Config,
  parts: Parts,
  reader: ConfigReader,
  pods: () => Promise<number>,
): Check[] {
  const { ldap } = config
  return [
    { name: 'LDAP servers', run: () => servers(ldap, parts) },
    { name: 'LDAP directory', run: () => directory(parts) },
    { name: 'LDAP settings', run: () => ownSettings(ldap, parts, reader, pods) },
  ]
}

async function servers({ url: urls }: Config['ldap'], { changesAt }: Parts) {
  const look = () =>
    Promise.all(
      urls.map((url) =>
        changesAt(url)
          .catch((cause) => cause as Error)
          .then((csn) => ({ url, csn })),
      ),
    )
  const differ = (all: Awaited<ReturnType<typeof look>>) =>
    new Set(all.flatMap(({ csn }) => (csn instanceof Error ? [] : [csn.join(' ')]))).size > 1
  let all = await look()
  for (const end = Date.now() + lagMilliseconds; differ(all) && Date.now() < end; ) all = await look()
  return [
    ...all.map(({ url, csn }) =>
      csn instanceof Error
        ? error(
            `${url} does not let the service in: ${reasonOf(csn)}`,
            urls.length > 1
              ? 'With the next failure nobody signs in.'
              : 'Without the directory nobody signs in, and every request is answered 502.',
            'Start it, or mend app_ldap__url, app_ldap__bindDN, app_ldap__bindPassword, app_ldap__tls__ca.',
          )
        : ok(`${url} lets the service in`),
    ),
    ...(differ(all)
      ? [
          error(
            `the servers do not hold the same (contextCSN differs for ${lagMilliseconds / 1000} s)`,
            'People see passwords and groups of yesterday after a failover.',
            'Look at replication: olcSyncrepl on both, their clocks, and the logs (docs/operations.md, LDAP replication).',
          ),
        ]
      : []),
  ]
}

async function directory({ directory }: Parts) {
  const facts = await directory().catch((cause) => cause as Error)
  if (facts instanceof Error)
    return [
      error(
        reasonOf(facts),
        'The service does not start.',
        'Mend app_ldap__base and what stands below it; npm run quickstart shows a directory that fits.',
      ),
    ]
  const { capabilities, people, cut, twice } = facts
  const lacking = capabilities.filter(({ available }) => !available)
  return [
    ...lacking.map(({ feature, consequence }) => {
      const [why = '', fix] = consequence.split(': ')
      const say = grave.test(feature) ? warning : note
      return say(
        `the server lacks: ${feature}`,
        `${why}.`,
        fix ?? 'deploy/ldap has a configuration with all of it.',
      )
    }),
    ...(lacking.length === 0 ? [ok('the server has everything the service can use')] : []),
    cut
      ? error(
          `a listing of people ends after ${people} (a limit of the server)`,
          'Lists, exports, backups and the group graph are cut short or fail.',
          'Give the service’s identity olcLimits: dn.exact="<bind DN>" size=unlimited time=unlimited.',
        )
      : ok(`a listing of people goes through to its end (${people})`),
    ...(twice.length > 0
      ? [
          error(
            `two people have the same ${twice.slice(0, mostNamed).join(', ')}${twice.length > mostNamed ? ` and ${twice.length - mostNamed} more` : ''}`,
            'With one number they own each other’s files on Linux hosts, with one address one gets the other’s letters.',
            'Give one of the two another (docs/operations.md, LDAP replication, says how it comes about).',
          ),
        ]
      : []),
  ]
}

async function ownSettings(
  { people, groups, pool }: Config['ldap'],
  parts: Parts,
  reader: ConfigReader,
  pods: () => Promise<number>,
) {
  if (!reader)
    return [
      note(
        'indexes and threads of slapd are not known',
        'Without an index each sign-in reads the whole directory.',
        'Name somebody who may read cn=config: DOCTOR_LDAP_URL (ldapi://… on its machine), or with DOCTOR_LDAP_BIND_DN and DOCTOR_LDAP_PASSWORD(_FILE).',
      ),
    ]
  const { indexes, threads } = await parts.slapdSettings(reader)
  const { uid, mail, mobile, uidNumber, cn, givenName, sn } = people.attributes
  const equality = ['objectClass', 'entryUUID', uid, mail, mobile, uidNumber, cn, groups.member, groups.owner]
  const substring = [uid, mail, cn, givenName, sn]
  const missing = [
    ...equality.filter((name) => !has(indexes, name, 'eq')).map((name) => `${name} eq`),
    ...substring.filter((name) => !has(indexes, name, 'sub')).map((name) => `${name} sub`),
  ]
  const running = await pods().catch(() => 0)
  const checks = running * pool.binds
  return [
    missing.length === 0
      ? ok('every attribute that is searched for has its index')
      : warning(
          `no index for ${missing.join(', ')}`,
          'Each such search reads the whole directory: a thousand times slower with 100,000 people.',
          `Add olcDbIndex to the database: ${missing.join('; ')}. slapd builds it by itself.`,
        ),
    checks >= threads
      ? warning(
          `${running} pods check ${checks} passwords at once, and slapd has ${threads} threads`,
          'When all hash, searches fall from thousands a second to single ones.',
          'Lower app_ldap__pool__binds, or raise olcThreads on a machine with the cores for it.',
        )
      : ok(`slapd has ${threads} threads, and ${running} pods check at most ${checks} passwords at once`),
  ]
}

/** Whether `olcDbIndex` values (`uid,mail eq,sub`) name an index of this kind for an attribute. */
function has(indexes: string[], attribute: string, kind: 'eq' | 'sub'): boolean {
  return indexes.some((index) => {
    const [names = '', kinds = ''] = index.trim().split(/\s+/)
    return names.toLowerCase().split(',').includes(attribute.toLowerCase()) && kinds.split(',').includes(kind)
  })
}
