import fc from 'fast-check'
import t from 'tap'
import { redirectUriMatches } from '#src/oauth/redirect-uri.ts'
import { hostileUris, matched } from '#test/support/hostile-uris.ts'
import type { Difference } from '../../portal/src/areas/clients/why.ts'
import { explain } from '../../portal/src/areas/clients/why.ts'

const closed = { anyLoopbackPort: false }
/** Part and hint of each difference from the one that is registered. */
const why = (registered: string, requested: string, options = closed) =>
  explain([registered], requested, options).misses[0]?.differences.map(
    ({ part, hint }) => `${part}${hint ? ` ${hint}` : ''}`,
  )

t.test('the tester says which registered URI matches, and how', async (t) => {
  const all = ['https://ok.example/cb', 'https://*.ok.example/cb', 'http://127.0.0.1/cb']
  const how = (uri: string, anyLoopbackPort = false) => explain(all, uri, { anyLoopbackPort }).by
  t.same(how('https://ok.example/cb'), { uri: all[0], how: 'exact' })
  t.same(how('https://a.ok.example/cb'), { uri: all[1], how: 'pattern' })
  t.same(how('http://127.0.0.1:5000/cb', true), { uri: all[2], how: 'loopback' })
  t.equal(how('http://127.0.0.1:5000/cb'), undefined)
})

t.test(
  'of a URL that does not match it names every part that differs, and what more there is to say',
  async (t) => {
    const exact = 'https://ok.example/cb'
    for (const [requested, expected] of [
      ['http://ok.example/cb', ['scheme']],
      ['https://other.example/cb', ['host']],
      ['https://OK.example/cb', ['host case']],
      ['https://ok.example:8443/cb', ['port']],
      ['https://ok.example/callback', ['path']],
      ['https://ok.example/cb/', ['path slash']],
      ['https://ok.example/CB', ['path case']],
      ['https://ok.example/cb?x=1', ['query']],
      ['https://ok.example/cb#x', ['fragment']],
      ['https://me@ok.example/cb', ['user']],
      ['http://ok.example:80/', ['scheme', 'port', 'path']],
    ] as const)
      t.same(why(exact, requested), expected, requested)
    t.same(why('http://localhost:1/cb', 'http://localhost:2/cb'), ['port loopbackPort'])
    t.same(why('com.example.app:/cb', 'com.example.app:///cb'), ['path'])
  },
)

t.test('of a pattern it says how many labels its wildcards stand for', async (t) => {
  for (const [pattern, requested, expected] of [
    ['https://*.ok.example/cb', 'https://ok.example/cb', ['host oneLabel']],
    ['https://*.ok.example/cb', 'https://a.b.ok.example/cb', ['host oneLabel']],
    ['https://**.ok.example/cb', 'https://ok.example/cb', ['host someLabels']],
    ['https://*.ok.example/cb', 'https://a.other.example/cb', ['host']],
    ['https://*.ok.example/cb', 'https://*.ok.example/cb', ['host wildcard']],
    ['https://*.ok.example/cb', 'https://a_b.ok.example/cb', ['host label']],
    ['https://*.ok.example/cb', 'https://A.OK.example/cb', ['host case']],
    ['https://*.ok.example/cb', 'https://10.0.0.1/cb', ['host address']],
    ['https://**.ok.example:8443/cb?x', 'https://a.b.ok.example/cb', ['port', 'query']],
  ] as const)
    t.same(why(pattern, requested), expected, `${requested} at ${pattern}`)
})

t.test(
  'what no pattern can match is said of the URL itself, with the spelling that would be right',
  async (t) => {
    const fault = (uri: string) => explain(['https://*.ok.example/cb'], uri, closed).fault
    t.same(fault('https://a.ok.example/c b'), { name: 'signs' })
    t.same(fault('a.ok.example/cb'), { name: 'noUrl' })
    t.same(fault('https://a.ok.example/cb#x'), { name: 'fragment' })
    t.same(fault('https://me@a.ok.example/cb'), { name: 'user' })
    t.same(fault('https://A.ok.example:443/x/../cb'), { name: 'spelling', better: 'https://a.ok.example/cb' })
    t.equal(fault('https://a.ok.example/other'), undefined)
  },
)

t.test('those that come nearest are named first', async (t) => {
  const all = ['http://far.example/x', 'https://ok.example/cb/', 'https://near.example/cb/']
  const { misses } = explain(all, 'https://ok.example/cb', closed)
  t.same(
    misses.map(({ uri }) => uri),
    [all[1], all[2], all[0]],
  )
})

const label = fc.constantFrom(
  '*',
  '**',
  'a',
  'B',
  'ok',
  'example',
  'localhost',
  '127.0.0.1',
  '[::1]',
  '10',
  'x_y',
)
const uri = fc
  .tuple(
    fc.constantFrom('https://', 'http://', 'HTTPS://', 'com.example.app:/', 'x:', ''),
    fc.constantFrom('', '', '', 'me@', 'me:pw@'),
    fc.array(label, { minLength: 1, maxLength: 4 }),
    fc.constantFrom('', '', ':8443', ':443', ':'),
    fc.constantFrom('', '/', '/cb', '/cb/', '/CB', '/a/../cb', '/c b', '/%7e', '/*'),
    fc.constantFrom('', '', '?', '?x=1', '#', '#f', '\\', '\u00e9'),
  )
  .map(([scheme, user, labels, port, path, rest]) => scheme + user + labels.join('.') + port + path + rest)

t.test('what it says is what the matcher decides, and it is never without a reason', async (t) => {
  const asked = fc.oneof(uri, fc.constantFrom(...hostileUris, ...matched), fc.webUrl(), fc.string())
  const seen = { matches: 0, misses: 0 }
  const reasoned = (differences: readonly Difference[], fault: unknown) =>
    differences.length > 0 || fault !== undefined
  const found = fc.check(
    fc.property(
      fc.oneof(fc.array(fc.oneof(uri, fc.constantFrom(...matched)), { minLength: 1, maxLength: 4 })),
      asked,
      fc.boolean(),
      fc.boolean(),
      (registered, other, anyLoopbackPort, same) => {
        const requested = same ? (registered[0] as string) : other
        const { by, fault, misses } = explain(registered, requested, { anyLoopbackPort })
        const matches = redirectUriMatches(registered, requested, { anyLoopbackPort })
        seen[matches ? 'matches' : 'misses']++
        const isTrue = matches
          ? by !== undefined && redirectUriMatches([by.uri], requested, { anyLoopbackPort })
          : by === undefined && misses.length === registered.length
        return isTrue && (matches || misses.every(({ differences }) => reasoned(differences, fault)))
      },
    ),
    { seed: 20_241_122, numRuns: 3000 },
  )
  t.notOk(found.failed, fc.defaultReportMessage(found) ?? `${found.numRuns} cases`)
  t.ok(seen.matches > 100 && seen.misses > 1000, JSON.stringify(seen))
})
