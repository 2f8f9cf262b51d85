/**
 * Redirect URIs: what may be registered, and what matches (interface, Rules for authorization 1; contract section 9).
 *
 * A registered value is an exact URI, compared byte for byte (RFC 6749 section 3.1.2.3), or a pattern: a URI whose host
 * holds `*` (exactly one label) or `**` (one or more labels). Scheme, port, path and query of a pattern are literal.
 * A requested URI is matched against a pattern only in its canonical spelling, so that no two parsers can disagree
 * about its host (backslashes, tabs, userinfo, encoded or full-width letters, a trailing dot).
 *
 * The portal runs this in browsers, to explain what matches (docs/portal.md): it imports nothing.
 */

type Registration = { public: boolean; http_redirects: string }

const loopbackHosts = new Set(['localhost', '127.0.0.1', '[::1]'])
const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/
const printable = /^[\x21-\x7e]+$/
const ownScheme = /^[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:$/

/** True when one of `registered` allows `requested`. Loopback ports are free for public clients (RFC 8252 section 7.3). */
export function redirectUriMatches(
  registered: readonly string[],
  requested: string,
  { anyLoopbackPort = false }: { anyLoopbackPort?: boolean } = {},
): boolean {
  if (!printable.test(requested)) return false
  if (registered.some((uri) => uri === requested && !isPattern(uri))) return true
  const target = canonical(requested)
  if (!target) return false
  return registered.some((uri) =>
    isPattern(uri) ? patternMatches(uri, target) : anyLoopbackPort && sameButLoopbackPort(uri, target),
  )
}

/** Why `uri` cannot be registered, as the end of a sentence that starts with its field; `undefined` when it can. */
export function redirectUriFault(uri: string, registration: Registration): string | undefined {
  if (uri.length > 2000 || !printable.test(uri)) return 'must be a URI of at most 2000 printable characters'
  if (uri.includes('\\')) return 'must not hold a backslash'
  if (!URL.canParse(uri)) return 'must be an absolute URI'
  if (uri.includes('#')) return 'must not have a fragment (RFC 6749 section 3.1.2)'
  const { protocol, username, password, hostname } = new URL(uri)
  if (username || password || /^[^/]*\/\/[^/?]*@/.test(uri)) return 'must not hold a username or password'
  if (isPattern(uri)) return patternFault(uri)
  if (uri.includes('*')) return 'may hold * only as a whole label of its host'
  if (protocol === 'https:') return undefined
  if (protocol === 'http:') {
    if (loopbackHosts.has(hostname) || registration.http_redirects === 'allowed') return undefined
    return 'must be https, or http on a loopback address'
  }
  if (!ownScheme.test(protocol))
    return 'must be http or https, or a private scheme with a dot in it (RFC 8252 section 7.1)'
  return registration.public
    ? undefined
    : 'may use a private scheme only when the client is public (RFC 8252)'
}

/** True for a value with `*` in the place of its host. */
export function isPattern(uri: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*\*/i.test(uri)
}

/** True when `target` stands on the origin of one of the exact `registered` URIs (contract section 9, logout). */
export function onRegisteredOrigin(registered: readonly string[], target: string): boolean {
  const asked = canonical(target)
  if (!asked || !printable.test(target)) return false
  return registered.some((uri) => {
    if (isPattern(uri)) return false
    const known = canonical(uri)
    return (
      known !== undefined &&
      known.scheme === asked.scheme &&
      known.host === asked.host &&
      known.port === asked.port
    )
  })
}

type Parts = { scheme: string; host: string; port: string; rest: string }

/** The parts of an http(s) URI that is spelled as the URL standard would spell it; `undefined` for any other. */
export function canonical(uri: string): Parts | undefined {
  if (!URL.canParse(uri)) return undefined
  const { href, protocol, username, password, hash } = new URL(uri)
  if (protocol !== 'https:' && protocol !== 'http:') return undefined
  if (username || password || hash || uri.includes('#')) return undefined
  if (href !== uri && href !== `${uri}/`) return undefined
  return split(uri)
}

function split(uri: string): Parts | undefined {
  const found = /^(https?):\/\/(\[[0-9a-f:.]+\]|[^/?#:@\\[\]]+)(?::(\d+))?((?:[/?][^#]*)?)$/.exec(uri)
  if (!found) return undefined
  const [, scheme = '', host = '', port = '', rest = ''] = found
  return { scheme, host, port, rest }
}

function patternMatches(pattern: string, target: Parts): boolean {
  const wanted = split(pattern)
  if (
    !wanted ||
    wanted.scheme !== target.scheme ||
    wanted.port !== target.port ||
    wanted.rest !== target.rest
  )
    return false
  const labels = target.host.split('.')
  if (!labels.every((each) => label.test(each)) || isAddress(target.host)) return false
  return labelsMatch(wanted.host.split('.'), labels)
}

/** Whether labels of a host are those that the labels of a pattern stand for. */
export function labelsMatch([first, ...others]: string[], labels: string[]): boolean {
  if (first === undefined) return labels.length === 0
  if (labels.length === 0) return false
  if (first === '**') return labels.some((_label, index) => labelsMatch(others, labels.slice(index + 1)))
  return (first === '*' || first === labels[0]) && labelsMatch(others, labels.slice(1))
}

function patternFault(pattern: string): string | undefined {
  const parts = split(pattern)
  if (!parts) return 'must be a plain https pattern: scheme, host with * or **, port, path and query'
  const labels = parts.host.split('.')
  const wild = (each: string | undefined) => each === '*' || each === '**'
  if (!labels.every((each) => wild(each) || label.test(each)))
    return 'may hold * or ** only as a whole label of its host, and lower-case labels beside'
  if (labels.filter((each) => each === '**').length > 1) return 'may hold ** only once'
  const loopback = labels.at(-1) === 'localhost'
  if (parts.scheme !== 'https' && !loopback) return 'must be https where it is a pattern'
  if (parts.rest.includes('*')) return 'may hold * only in its host'
  if (!canonical(pattern))
    return 'must be spelled as browsers spell it: no default port, no dot segments, nothing they would encode'
  if (wild(labels.at(-1)) || (!loopback && wild(labels.at(-2))))
    return 'must end in a domain name of its own, such as *.example.com'
  if (isAddress(parts.host)) return 'must not be an address where it is a pattern'
  return undefined
}

function sameButLoopbackPort(registered: string, target: Parts): boolean {
  const known = canonical(registered)
  if (known?.scheme !== 'http' || target.scheme !== 'http') return false
  return loopbackHosts.has(known.host) && known.host === target.host && known.rest === target.rest
}

/** IPv4 in any spelling ends in a number, as the URL standard has it; IPv6 stands in brackets. */
function isAddress(host: string): boolean {
  return host.startsWith('[') || /^(\d+|0x[0-9a-f]*)$/.test(host.split('.').at(-1) ?? '')
}
