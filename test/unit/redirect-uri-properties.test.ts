import { isIP } from 'node:net'
import fc from 'fast-check'
import type { Test } from 'tap'
import t from 'tap'
import {
  isPattern,
  onRegisteredOrigin,
  redirectUriFault,
  redirectUriMatches,
} from '#src/oauth/redirect-uri.ts'

/** Holds a property against generated cases; what fails is printed with its seed and its smallest case. */
function always<Ts>(t: Test, property: fc.IRawProperty<Ts>): void {
  const found = fc.check(property, { seed: 20_240_311, numRuns: 500 }) as fc.RunDetails<Ts>
  t.notOk(found.failed, fc.defaultReportMessage(found) ?? `${found.numRuns} cases`)
}

const wild = fc.constantFrom('*', '**')
/** Literal labels hold no w and what stands for a wildcard begins with one, so that neither is taken for the other. */
const literal = fc.stringMatching(/^[a-v0-9]([a-v0-9-]{0,4}[a-v0-9])?$/)
const filling = fc.stringMatching(/^w([a-z0-9-]{0,4}[a-z0-9])?$/)
const domain = fc.constantFrom(['ok', 'example'], ['a', 'b', 'c'], ['xn--bcher-kva', 'example'])
const scheme = fc.constantFrom('https', 'http')
const port = fc.oneof(
  fc.constant(''),
  fc.constantFrom(':443', ':80', ':08'),
  fc.nat(70_000).map((n) => `:${n}`),
)
const rest = fc.oneof(
  fc.constantFrom(
    '',
    '/',
    '/cb',
    '/cb?a=b',
    '/a/../b',
    '/%61',
    '?x',
    '/"',
    '/x?y=*',
    '/@evil.example',
    '/cb#x',
  ),
  fc.webPath(),
)

const anyPattern = fc
  .tuple(scheme, fc.array(fc.oneof(wild, literal), { minLength: 1, maxLength: 4 }), domain, port, rest)
  .map(([scheme, labels, domain, port, rest]) => ({
    labels: [...labels, ...(scheme === 'http' ? ['localhost'] : domain)],
    from: (labels: string[]) => `${scheme}://${labels.join('.')}${port}${rest}`,
  }))
/** Patterns that can be registered. */
const pattern = anyPattern
  .map(({ labels, from }) => ({ labels, from, pattern: from(labels) }))
  .filter(({ pattern }) => isPattern(pattern) && registrable(pattern))

/** A pattern with labels in the place of its wildcards, and the ranges of characters that they take. */
const filled = fc
  .tuple(pattern, fc.array(fc.array(filling, { minLength: 1, maxLength: 3 }), { minLength: 7, maxLength: 7 }))
  .map(([{ labels, from, pattern }, fillings]) => {
    const put = labels.map((label, index) => {
      const all = fillings[index] as string[]
      return label === '**' ? all.join('.') : label === '*' ? (all[0] as string) : label
    })
    const host = put.join('.').split('.')
    return { pattern, host, from, uri: from(put), free: freeRanges(labels, put, from) }
  })

function registrable(pattern: string): boolean {
  return redirectUriFault(pattern, { public: false, http_redirects: 'loopback' }) === undefined
}

/** Where wildcards stand; the dot between two of them is as free as they are. */
function freeRanges(labels: string[], put: string[], from: (labels: string[]) => string) {
  let at = from(put).indexOf('//') + 2
  const ranges: [number, number][] = []
  labels.forEach((label, index) => {
    const end = at + (put[index] as string).length
    const last = ranges.at(-1)
    if (!label.includes('*')) ranges.push([-1, -1])
    else if (last && last[1] === at - 1) last[1] = end
    else ranges.push([at, end])
    at = end + 1
  })
  return ranges.filter(([, end]) => end > 0)
}

/** The same rule, written another way: what the URL parser makes of both, and a regular expression for the host. */
function obeys(pattern: string, uri: string): boolean {
  const [wanted, got] = [new URL(pattern), new URL(uri)]
  const label = '[a-z0-9](?:[a-z0-9-]*[a-z0-9])?'
  const host = wanted.hostname
    .split('.')
    .map((each) => (each === '**' ? `${label}(?:\\.${label})*` : each === '*' ? label : each))
  return (
    [uri, `${uri}/`].includes(got.href) &&
    got.protocol === wanted.protocol &&
    got.port === wanted.port &&
    got.pathname + got.search === wanted.pathname + wanted.search &&
    new RegExp(`^${host.join('\\.')}$`).test(got.hostname) &&
    got.username + got.password + got.hash === '' &&
    !/[@#\\*\s]/.test(uri.slice(0, uri.length - (got.pathname + got.search).length)) &&
    isIP(got.hostname.replace(/^\[|\]$/g, '')) === 0
  )
}

const hostile = fc.constantFrom(
  '@',
  'x@',
  ':x@',
  '\\',
  '#',
  '?',
  '/',
  '%2e',
  '%00',
  '\t',
  '\n',
  '\u3002',
  '\u200b',
)
const insertion = fc.oneof(hostile, fc.string({ minLength: 1, maxLength: 1, unit: 'binary-ascii' }))
const change = fc.record({
  at: fc.nat(200),
  drop: fc.constantFrom(0, 1),
  put: fc.oneof(fc.constant(''), insertion),
})
const changed = (uri: string, { at, drop, put }: { at: number; drop: number; put: string }) =>
  uri.slice(0, at) + put + uri.slice(at + drop)

t.test(
  'a pattern that can be registered accepts every URI with labels in the place of its wildcards',
  async (t) => {
    always(
      t,
      fc.property(filled, ({ pattern, uri }) => redirectUriMatches([pattern], uri)),
    )
  },
)

t.test(
  'what a pattern accepts parses, equals it but for its wildcards, and names no user, fragment or address',
  async (t) => {
    const seen = { accepted: 0, refused: 0 }
    const splice = fc.tuple(fc.nat(6), fc.nat(3), fc.array(filling, { maxLength: 2 }))
    const asked = fc.oneof(
      filled,
      fc.tuple(filled, splice).map(([{ pattern, host, from }, [at, drop, put]]) => ({
        pattern,
        uri: from(host.toSpliced(at, drop, ...put)),
      })),
      fc.tuple(filled, change).map(([{ pattern, uri }, change]) => ({ pattern, uri: changed(uri, change) })),
      fc
        .tuple(pattern, anyPattern)
        .map(([{ pattern }, other]) => ({ pattern, uri: other.from(other.labels) })),
      fc.tuple(pattern, fc.oneof(fc.webUrl(), fc.string())).map(([{ pattern }, uri]) => ({ pattern, uri })),
      fc
        .tuple(
          pattern,
          fc.oneof(
            fc.ipV4(),
            fc.ipV6().map((ip) => `[${ip}]`),
          ),
        )
        .map(([{ pattern, from }, ip]) => ({
          pattern,
          uri: from([ip]),
        })),
    )
    always(
      t,
      fc.property(asked, fc.boolean(), ({ pattern, uri }, anyLoopbackPort) => {
        const accepted = redirectUriMatches([pattern], uri, { anyLoopbackPort })
        seen[accepted ? 'accepted' : 'refused']++
        return !accepted || obeys(pattern, uri)
      }),
    )
    t.ok(seen.accepted > 50 && seen.refused > 200, JSON.stringify(seen))
  },
)

t.test('a URI that is changed outside the wildcard labels is accepted no more', async (t) => {
  always(
    t,
    fc.property(filled, change, ({ pattern, uri, free }, change) => {
      const { at, drop, put } = change
      const apart = put === '' ? 0 : 1
      fc.pre(at <= uri.length && changed(uri, change) !== uri)
      fc.pre(free.every(([first, last]) => at + drop <= first - apart || at >= last + apart))
      return !redirectUriMatches([pattern], changed(uri, change), { anyLoopbackPort: true })
    }),
  )
})

t.test('a pattern is no redirect URI itself, and an exact URI is the only one that it accepts', async (t) => {
  always(
    t,
    fc.property(filled, fc.boolean(), ({ pattern }, anyLoopbackPort) =>
      [[pattern], [pattern, 'https://ok.example/cb']].every(
        (all) => !redirectUriMatches(all, pattern, { anyLoopbackPort }),
      ),
    ),
  )
  always(
    t,
    fc.property(fc.webUrl({ withQueryParameters: true }), change, (exact, change) => {
      const asked = changed(exact, change)
      fc.pre(!isPattern(exact) && /^[\x21-\x7e]+$/.test(exact))
      return redirectUriMatches([exact], asked) === (asked === exact)
    }),
  )
})

t.test('no string makes the matcher throw', async (t) => {
  const any = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'htps:/.*@[]?#%\\ a1', '\u0000', '\ud800'), maxLength: 30 }),
    anyPattern.map(({ labels, from }) => from(labels)),
  )
  const registration = fc.record({
    public: fc.boolean(),
    http_redirects: fc.constantFrom('allowed', 'loopback'),
  })
  always(
    t,
    fc.property(any, any, registration, (one, other, registration) => {
      redirectUriMatches([one], other, { anyLoopbackPort: registration.public })
      redirectUriFault(one, registration)
      onRegisteredOrigin([one], other)
    }),
  )
})
