import { readFileSync } from 'node:fs'
import type { Inspection } from '#src/connect.ts'
import type { Config } from '#src/settings.ts'
import type { Check } from './findings.ts'
import { error, ok, reasonOf, warning } from './findings.ts'

const day = 86_400_000
const soonDays = 14
const milliseconds = 5_000

type Place = { name: string; host: string; port: number; upgrade?: boolean; ca?: string; verified: boolean }

/** One check for each server that shows a certificate. */
export function certificateChecks(
  config: Config,
  { certificateOf }: Pick<Inspection, 'certificateOf'>,
): Check[] {
  return placesOf(config).map(({ name, host, port, ca, upgrade = false, verified }) => ({
    name: `certificate of ${name}`,
    run: async () => {
      const shown = await certificateOf(
        { host, port },
        { timeout: milliseconds, upgrade, ca: ca ? readFileSync(ca) : undefined },
      ).catch((cause) => cause as Error)
      if (shown instanceof Error)
        return [
          error(
            `none could be read at ${host}:${port}: ${reasonOf(shown)}`,
            'Browsers and pods cannot speak TLS with it.',
            'See that the server listens there and has a certificate.',
          ),
        ]
      const days = Math.floor((shown.validTo.getTime() - Date.now()) / day)
      const until = shown.validTo.toISOString().slice(0, 10)
      if (days < 0)
        return [
          error(
            `expired on ${until}`,
            'Browsers and pods refuse the connection.',
            'Renew it and reload the server; then find out why it was not renewed by itself.',
          ),
        ]
      return [
        ...(shown.fault && verified
          ? [
              error(
                `is not trusted: ${shown.fault}`,
                'Browsers and pods refuse the connection.',
                'Serve the whole chain for this name, or give the authority: app_ldap__tls__ca, NODE_EXTRA_CA_CERTS.',
              ),
            ]
          : []),
        days < soonDays
          ? warning(
              `expires on ${until}, in ${days} days`,
              'From then on browsers and pods refuse the connection.',
              'Renew it now; see why it was not renewed by itself.',
            )
          : ok(`is good until ${until}`),
      ]
    },
  }))
}

function placesOf({ oauth, ldap, redis }: Config): Place[] {
  const issuer = new URL(oauth.issuer)
  const store = new URL(redis.url)
  const host = (url: URL) => url.hostname.replace(/^\[|\]$/g, '')
  const { ca } = ldap.tls
  // A Sentinel may be named with its password: redis://:password@host:port.
  const several = (redis.cluster.length > 0 ? redis.cluster : redis.sentinels).map(
    (each) => new URL(each.includes('://') ? each : `rediss://${each}`),
  )
  return [
    ...(issuer.protocol === 'https:'
      ? [{ name: 'the issuer', host: host(issuer), port: Number(issuer.port) || 443, verified: true }]
      : []),
    ...ldap.url
      .map((url) => new URL(url))
      .filter((url) => url.protocol === 'ldaps:' || (url.protocol === 'ldap:' && ldap.startTLS))
      .map((url) => ({
        name: url.href,
        host: host(url),
        port: Number(url.port) || (url.protocol === 'ldaps:' ? 636 : 389),
        upgrade: url.protocol === 'ldap:',
        verified: ldap.tls.verify,
        ca,
      })),
    ...(store.protocol === 'rediss:'
      ? (several.length > 0 ? several : [store]).map((url) => ({
          name: several.length > 0 ? `Redis ${url.host}` : 'Redis',
          ...{ host: host(url), port: Number(url.port) || 6379, verified: true },
        }))
      : []),
  ]
}
