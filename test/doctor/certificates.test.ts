import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:tls'
import tap, { test } from 'tap'
import { lookAt } from '#src/config.ts'
import { openInspection } from '#src/connect.ts'
import { certificateChecks } from '#src/doctor/certificates.ts'
import { runAll, worstOf } from '#src/doctor/findings.ts'
import { settingsCheck } from '#src/doctor/settings.ts'
import { selfSigned } from '#test/support/certificate.ts'
import { found } from './support.ts'

const day = 86_400_000
/** No Redis is asked here: what shows the certificates speaks nothing but TLS. */
const redis = 'app_redis__'

/** Where a certificate is shown that ends so many days from now. */
async function shown(days: number): Promise<string> {
  const { certificate: cert, key } = selfSigned(
    { name: 'localhost' },
    { validTo: Date.now() + days * day + day / 2 },
  )
  const server = createServer({ cert, key }).on('tlsClientError', () => {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  tap.teardown(() => server.close())
  return `localhost:${(server.address() as AddressInfo).port}`
}

/** What is said of settings and certificates, without anything else that a deployment has. */
async function told(settings: Record<string, string>) {
  const { config, faults } = lookAt({
    ...{
      app_ldap__base: 'dc=test',
      app_ldap__bindDN: 'cn=test',
      app_ldap__bindPassword: 'a password of LDAP',
    },
    ...{
      OAUTH_ISSUER: 'http://localhost:3000',
      JWT_SECRET: 'a signing secret of this test alone, long enough',
    },
    ...settings,
  })
  const checks = certificateChecks(config, openInspection(config))
  const findings = await runAll([settingsCheck(config, faults), ...checks])
  return { level: worstOf(findings), findings }
}

test('a certificate is told of from fourteen days before its end', async (t) => {
  const [soon, later] = [await shown(13), await shown(15)]
  found(t, await told({ OAUTH_ISSUER: `https://${soon}` }), [
    /the issuer/,
    'warning',
    /expires on .* in 13 days/,
  ])
  found(t, await told({ OAUTH_ISSUER: `https://${later}` }), [/the issuer/, 'ok', /is good until 20/])
})

test('the certificates of Redis are looked at: of one server, of Sentinels, of the nodes of a Cluster', async (t) => {
  const [one, other] = [await shown(3), await shown(-2)]
  const password = 'rediss://:a-password-of-redis@'
  const alone = await told({ [`${redis}url`]: `${password}${one}` })
  found(t, alone, [/certificate of Redis/, 'warning', /in 3 days/])
  for (const topology of ['sentinels', 'cluster']) {
    const several = await told({
      [`${redis}url`]: `${password}unused`,
      [`${redis}${topology}`]: `${one},${other}`,
    })
    found(t, several, [new RegExp(`certificate of .*${one}`), 'warning', /in 3 days/])
    found(t, several, [new RegExp(`certificate of .*${other}`), 'error', /expired on 20/])
  }
  const clear = await told({ [`${redis}url`]: `redis://:a-password-of-redis@${one}` })
  t.notOk(clear.findings.some(({ check }) => check.startsWith('certificate')))
})

test('a signing secret that could be guessed is told of, however long it is', async (t) => {
  found(t, await told({ JWT_SECRET: 'passwordpasswordpasswordpassword' }), [
    ...([/settings/, 'warning', /JWT_SECRET looks guessable/] as const),
  ])
  const strong = await told({ JWT_SECRET: 'eyG7mC0pQ2vXk9Zr4TnB8wLsHd1uJf5aYi3oVx6N' })
  found(t, strong, [/settings/, 'ok', /JWT_SECRET is long and mixed/])
})
