import { canonical, isPattern, labelsMatch, redirectUriMatches } from '../../../../src/oauth/redirect-uri.ts'

/** What of a URL is not as registered; `hint` says more where more can be said. */
export type Difference = {
  part: (typeof parts)[number]
  wanted: string
  given: string
  hint?: Hint
}
export type Hint =
  | 'case'
  | 'slash'
  | 'oneLabel'
  | 'someLabels'
  | 'address'
  | 'label'
  | 'wildcard'
  | 'loopbackPort'
/** What keeps a URL from matching any pattern, whichever. */
export type Fault = { name: 'signs' | 'noUrl' | 'fragment' | 'user' } | { name: 'spelling'; better: string }
export type Verdict = {
  by?: { uri: string; how: 'exact' | 'pattern' | 'loopback' }
  fault?: Fault
  /** Those that do not match, the nearest first. */
  misses: { uri: string; differences: Difference[] }[]
}

/**
 * Which of `registered` allows `requested`, and why none of the others does. What matches is decided by the service's own
 * matcher; only the reasons are found here.
 */
export function explain(
  registered: readonly string[],
  requested: string,
  { anyLoopbackPort }: { anyLoopbackPort: boolean },
): Verdict {
  const allows = (uri: string) => redirectUriMatches([uri], requested, { anyLoopbackPort })
  const uri = registered.find(allows)
  const misses = registered
    .filter((each) => !allows(each))
    .map((each) => ({ uri: each, differences: differencesOf(each, requested, anyLoopbackPort) }))
    .sort((a, b) => distance(a.differences) - distance(b.differences))
  if (uri !== undefined) {
    const how = isPattern(uri) ? 'pattern' : uri === requested ? 'exact' : 'loopback'
    return { by: { uri, how }, misses }
  }
  const fault = faultOf(requested)
  return { misses, ...(fault ? { fault } : {}) }
}

/** What has a hint is nearly right. */
function distance(differences: readonly Difference[]): number {
  return differences.reduce((sum, { hint }) => sum + (hint ? 1 : 2), 0)
}

function faultOf(uri: string): Fault | undefined {
  if (!/^[\x21-\x7e]+$/.test(uri)) return { name: 'signs' }
  if (!URL.canParse(uri)) return { name: 'noUrl' }
  if (uri.includes('#')) return { name: 'fragment' }
  const { href, username, password, protocol } = new URL(uri)
  if (username || password) return { name: 'user' }
  if (canonical(uri) || !/^https?:$/.test(protocol)) return undefined
  return { name: 'spelling', better: href }
}

function differencesOf(registered: string, requested: string, anyLoopbackPort: boolean): Difference[] {
  const [wanted, given] = [partsOf(registered), partsOf(requested)]
  if (!given) return []
  if (!wanted) return [{ part: 'path', wanted: registered, given: requested }]
  const found = parts.flatMap((part): Difference[] => {
    const pair = { part, wanted: wanted[part], given: given[part] }
    if (part === 'host' && isPattern(registered)) {
      const hint = hostMiss(wanted.host, given.host)
      return hint === undefined ? [] : [{ ...pair, ...(hint ? { hint } : {}) }]
    }
    if (pair.wanted === pair.given) return []
    const isLoopback =
      part === 'port' && given.scheme === 'http' && loopback.test(given.host) && given.host === wanted.host
    if (isLoopback && anyLoopbackPort) return []
    const hint = isLoopback ? 'loopbackPort' : hintOf(pair)
    return [{ ...pair, ...(hint ? { hint } : {}) }]
  })
  // Empty parts can be spelled in more ways than one: `x:/cb` and `x:///cb`.
  const isSpelling = found.length === 0 && !isPattern(registered)
  return isSpelling ? [{ part: 'path', wanted: registered, given: requested }] : found
}

const parts = ['scheme', 'user', 'host', 'port', 'path', 'query', 'fragment'] as const
const loopback = /^(localhost|127\.0\.0\.1|\[::1\])$/

function hintOf({ part, wanted, given }: Difference): Hint | undefined {
  if (wanted.toLowerCase() === given.toLowerCase()) return 'case'
  if (part === 'path' && (`${wanted}/` === given || `${given}/` === wanted)) return 'slash'
  return part === 'host' && given.includes('*') ? 'wildcard' : undefined
}

/** Why a host is not one of those that a pattern stands for; empty without more to say, `undefined` when it is one. */
function hostMiss(pattern: string, host: string): Hint | '' | undefined {
  if (host.includes('*')) return 'wildcard'
  if (host.startsWith('[') || /(^|\.)(\d+|0x[0-9a-f]*)$/i.test(host)) return 'address'
  const [wanted, given] = [pattern.split('.'), host.split('.')]
  if (labelsMatch(wanted, given))
    return given.every((each) => /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/.test(each)) ? undefined : 'label'
  if (labelsMatch(wanted, host.toLowerCase().split('.'))) return 'case'
  // The domain is right, and the number of labels before it is not.
  const domain = wanted.slice(wanted.findLastIndex((each) => each.includes('*')) + 1).join('.')
  if (host !== domain && !host.endsWith(`.${domain}`)) return ''
  if (wanted.includes('**')) return given.length < wanted.length ? 'someLabels' : ''
  return given.length === wanted.length ? '' : 'oneLabel'
}

/** A URI cut into what it is made of, as it is spelled; together they are the whole again. */
function partsOf(uri: string): Record<Difference['part'], string> | undefined {
  const found = /^([a-z][a-z0-9+.-]*):(?:(\/\/)([^/?#]*))?([^?#]*)(\?[^#]*)?(#.*)?$/is.exec(uri)
  if (!found) return undefined
  const [, scheme = '', , authority = '', path = '', query = '', fragment = ''] = found
  const [, user = '', host = '', port = ''] = /^(.*@)?(\[[^\]]*\]|[^:]*)(:.*)?$/s.exec(authority) ?? []
  return { scheme, user, host, port: port.slice(1), path, query, fragment }
}
