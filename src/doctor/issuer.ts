import type { Inspection } from '#src/connect.ts'
import { trustIn } from '#src/http/address.ts'
import { proofAt, proofHeader } from '#src/operations/proof.ts'
import type { Config } from '#src/settings.ts'
import { clockFinding } from './clocks.ts'
import type { Check } from './findings.ts'
import { error, note, ok, reasonOf, warning } from './findings.ts'
import { isLoopback } from './settings.ts'

const milliseconds = 5_000
/** Of a block that nobody has (RFC 5737). */
const invented = '192.0.2.77'
type Parts = Pick<Inspection, 'askIssuer'>

/** `proofKey` is undefined while Redis is away, and with it the secret that may be stored there. */
export function issuerChecks(config: Config, parts: Parts, proofKey: () => Buffer | undefined): Check[] {
  const { issuer } = config.oauth
  return [
    { name: 'issuer', run: () => reach(issuer, parts) },
    { name: 'trusted proxies', run: () => proxies(config, parts, proofKey()) },
  ]
}

async function reach(issuer: string, { askIssuer }: Parts) {
  const { protocol, hostname } = new URL(issuer)
  const plain =
    protocol === 'http:' && !isLoopback(hostname)
      ? [
          error(
            `${issuer} is not https`,
            'Passwords and tokens can be read on the way, and browsers keep the cookie from applications.',
            'Put a reverse proxy with a certificate in front (deploy/), and change app_oauth__issuer.',
          ),
        ]
      : []
  const sent = Date.now()
  const answer = await askIssuer(`${issuer}/.well-known/openid-configuration`, {}, milliseconds).catch(
    (cause) => cause as Error,
  )
  if (answer instanceof Error)
    return [
      ...plain,
      error(
        `${issuer} cannot be reached from here: ${reasonOf(answer)}`,
        'Browsers and applications may not reach it either.',
        'See DNS, the proxy and its ports; or run this where browsers are.',
      ),
    ]
  const told = (answer.body as { issuer?: string } | undefined)?.issuer
  return [
    ...plain,
    answer.status === 200 && told === issuer
      ? ok(`${issuer} answers as itself`)
      : error(
          `${issuer} answers ${answer.status}${told ? `, as ${told}` : ' without discovery'}`,
          'Applications refuse an issuer that calls itself otherwise.',
          'See that the proxy leads to this service, and that app_oauth__issuer is the same on all pods.',
        ),
    ...(answer.date
      ? [clockFinding('the issuer', outside(answer.date.getTime(), sent, Date.now()), true)]
      : []),
  ]
}

/** How far a time lies after (before: negative) a span that may have been long. */
function outside(time: number, from: number, to: number): number {
  return Math.max(0, time - to) + Math.min(0, time - from)
}

async function proxies({ oauth, trust_proxy }: Config, { askIssuer }: Parts, key: Buffer | undefined) {
  const { issuer } = oauth
  const wide = trust_proxy.filter((entry) => /\/0$/.test(entry))
  const settings = [
    ...wide.map((entry) =>
      error(
        `app_trust_proxy holds ${entry}: everybody`,
        'Whoever sends X-Forwarded-For chooses their address, and no limit on guesses holds.',
        'Name the addresses of your proxies alone.',
      ),
    ),
    ...(issuer.startsWith('https:') && trust_proxy.length === 0
      ? [
          error(
            'app_trust_proxy is empty, and the issuer is https, which a proxy must speak for the service',
            'All people count as one address, the proxy’s: ten wrong passwords in a quarter of an hour lock all of them out.',
            'Set app_trust_proxy to the addresses of the proxies, as the pods see them.',
          ),
        ]
      : []),
  ]
  if (!key)
    return [
      ...settings,
      note('which address the service sees is not known', 'Redis is away.', 'Mend Redis first.'),
    ]
  const ask = async (headers: Record<string, string>) => {
    const proof = { [proofHeader]: proofAt(key, Date.now()) }
    const answer = await askIssuer(`${issuer}/readyz`, { ...headers, ...proof }, milliseconds)
    return { ...answer, seen: (answer.body as { address?: string } | undefined)?.address }
  }
  const plain = await ask({}).catch((cause) => cause as Error)
  if (plain instanceof Error)
    return [
      ...settings,
      note('which address the service sees is not known', reasonOf(plain), 'Mend the issuer first.'),
    ]
  if (!plain.seen)
    return [
      ...settings,
      warning(
        'the service at the issuer does not know the signing secret that stands here',
        'Pods with another secret void each other’s sessions; or a proxy takes the header away, or clocks differ by a minute.',
        'Run this with the environment of a pod; give all pods one JWT_SECRET.',
      ),
    ]
  const forged = await ask({ 'x-forwarded-for': invented })
  const trusts = trustIn({ trust_proxy })
  const isProxy = trusts(plain.from) || trusts(plain.seen)
  return [...settings, seenFinding(plain.seen, plain.from, forged.seen === invented, isProxy)]
}

function seenFinding(seen: string, from: string, believed: boolean, isProxy: boolean) {
  if (believed)
    return isProxy
      ? note(
          'this machine is a trusted proxy itself, so it may name any address',
          'Whether others may is not seen from here.',
          'Run this from a machine that is none to know.',
        )
      : error(
          'a client’s own X-Forwarded-For is believed',
          'Whoever sends it chooses their address, and no limit on guesses holds.',
          'Take client addresses out of app_trust_proxy, and let the proxy set the header anew.',
        )
  return seen.replace(/^::ffff:/, '') === from
    ? ok(`the service sees this machine’s own address (${from})`)
    : note(
        `the service sees this machine as ${seen}`,
        'If that is a proxy’s address, all people behind it count as one.',
        'If it is, add it to app_trust_proxy; if it is this network’s public address, all is well.',
      )
}
