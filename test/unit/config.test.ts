import { test } from 'tap'
import { environmentName, readConfig } from '#src/config.ts'
import { leaves } from '#src/settings.ts'

const jwtSecret = 'a signing secret that is long enough to be one'
const enough = {
  app_ldap__base: 'dc=example,dc=org',
  app_ldap__bindDN: 'cn=service,dc=example,dc=org',
  app_ldap__bindPassword: 'secret of the service',
  app_oauth__issuer: 'https://sso.example.org',
  app_oauth__jwtSecret: jwtSecret,
}

/** What is wrong with an environment, as the start says it. */
function faultsOf(environment: Record<string, string>): string {
  try {
    readConfig(environment)
    return ''
  } catch (error) {
    return (error as Error).message
  }
}

test('every setting has its path joined by __ after app_ as environment name; lists are separated by commas', (t) => {
  for (const leaf of leaves()) t.equal(environmentName(leaf.path), `app_${leaf.path.join('__')}`)
  const config = readConfig({
    ...enough,
    app_listen__port: '8080',
    app_ldap__startTLS: 'true',
    app_trust_proxy: '10.0.0.1, 192.168.0.0/16',
    app_oauth__token_lifetime__access_token: '60',
    app_oauth__token_lifetime__refresh_token: '120',
  })
  t.equal(config.listen.port, 8080)
  t.equal(config.ldap.startTLS, true)
  t.same(config.trust_proxy, ['10.0.0.1', '192.168.0.0/16'])
  t.same(config.oauth.token_lifetime, { access_token: 60, refresh_token: 120 })
  const { app_oauth__issuer: OAUTH_ISSUER, app_oauth__jwtSecret: JWT_SECRET, ...rest } = enough
  t.same(
    readConfig({ ...rest, OAUTH_ISSUER, JWT_SECRET }).oauth,
    readConfig(enough).oauth,
    'the second names',
  )
  t.end()
})

test('a missing, short or placeholder secret stops the start with a clear message that does not repeat it', (t) => {
  const { app_oauth__jwtSecret: _, ...without } = enough
  t.match(faultsOf(without), /app_oauth__jwtSecret: is required/)
  for (const secret of [
    '',
    'short',
    'x'.repeat(31),
    'x'.repeat(64),
    '0'.repeat(40),
    '1234567890'.repeat(5),
    'abcabc'.repeat(10),
  ]) {
    const said = faultsOf({ ...enough, app_oauth__jwtSecret: secret })
    t.match(said, /app_oauth__jwtSecret: (is|must)/, secret)
    if (secret) t.notMatch(said, secret)
  }
  t.equal(faultsOf(enough), '')
  t.end()
})

test('one message lists every fault: missing, unknown and wrong values, by their names', (t) => {
  const said = faultsOf({
    app_listen__port: 'eighty',
    app_ldap__pool__binds: '0',
    app_ldap__startTLS: 'perhaps',
    app_log__level: 'loud',
    app_smpt__host: 'a typing error',
  })
  for (const name of [
    ...['app_listen__port', 'app_ldap__pool__binds', 'app_ldap__startTLS', 'app_log__level'],
    ...['app_smpt__host: no such setting', 'app_ldap__base', 'app_ldap__bindDN', 'app_ldap__bindPassword'],
    ...['app_oauth__issuer', 'app_oauth__jwtSecret'],
  ])
    t.match(said, name)
  t.end()
})

test('the issuer is an http(s) URL without query, fragment or final slash', (t) => {
  for (const issuer of [
    'sso.example.org',
    'ftp://sso.example.org',
    'https://sso.example.org/',
    'https://a/?b',
    'https://a/#b',
  ])
    t.match(faultsOf({ ...enough, app_oauth__issuer: issuer }), /app_oauth__issuer: must be/, issuer)
  t.equal(faultsOf({ ...enough, app_oauth__issuer: 'https://sso.example.org/base' }), '')
  t.end()
})

test('egress.allow holds host names, addresses and CIDRs, and names what is none of them', (t) => {
  const allow = 'intranet.example, app, 10.0.0.0/8, 127.0.0.1, fd00::/8, ::1'
  t.same(readConfig({ ...enough, app_egress__allow: allow }).egress.allow.join(', '), allow)
  for (const entry of [
    '10.0.0.0/33',
    '1.2.3',
    'http://app',
    'app/8',
    'a b',
    '*.example',
    '::1/129',
    '10.0.0.0/8/8',
  ])
    t.match(faultsOf({ ...enough, app_egress__allow: entry }), `app_egress__allow: ${entry} is no host name`)
  t.end()
})

test('signing keys are kept for as long as what they signed can be shown, and published early enough', (t) => {
  const keys = (changes: Record<string, string>) => faultsOf({ ...enough, ...changes })
  t.match(
    keys({ app_oauth__keys__prepublish_seconds: '7776000' }),
    /prepublish_seconds: must be at most half/,
  )
  t.match(keys({ app_oauth__keys__retain_seconds: '2591999' }), /at least app_auth__session_absolute_seconds/)
  const long = { app_oauth__token_lifetime__access_token: '2592001' }
  t.match(keys(long), /retain_seconds: must be at least app_oauth__token_lifetime__access_token/)
  t.equal(keys({ ...long, app_oauth__keys__retain_seconds: '2592001' }), '')
  t.end()
})
