import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Attribute, Change } from 'ldapts'
import tap, { test } from 'tap'
import { findBinaries } from '#quickstart/binaries.ts'
import { freePort } from '#quickstart/child.ts'
import { startSlapd } from '#quickstart/slapd.ts'
import { lookAt } from '#src/config.ts'
import { examine } from '#src/doctor/examine.ts'
import { runAll, worstOf } from '#src/doctor/findings.ts'
import { settingsCheck } from '#src/doctor/settings.ts'
import { selfSigned } from '#test/support/certificate.ts'
import { testDataDir } from '#test/support/data-dir.ts'
import { startMessages } from '#test/support/messages.ts'
import { onCluster } from '#test/support/redis.ts'
import { startTestServers } from '#test/support/servers.ts'
import { startTestService } from '#test/support/service.ts'
import { doctor, found, reconfigure, single, socketOf, testFolder } from './support.ts'

const service = await startTestService()
const messages = await startMessages()
tap.teardown(async () => {
  await messages[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})
const dir = await testFolder(tap)
const env: Record<string, string> = {
  ...(await service.environmentOfPod()),
  ...messages.settings,
  app_smtp__from: 'Latchkey <no-reply@example.org>',
  DOCTOR_LDAP_URL: socketOf(service.servers.dir),
}
/** What is wrong with a Cluster of three primaries, and is meant to be. */
const known = onCluster ? /^the primary \S+ has no replica$/ : /^$/
const database = 'olcDatabase={1}mdb,cn=config'
const change = (operation: 'add' | 'delete' | 'replace', type: string, values: string[]) =>
  new Change({ operation, modification: new Attribute({ type, values }) })

test('a deployment that is well ends with 0, and every check has spoken', async (t) => {
  const report = await examine(env)
  const wrong = report.findings.filter(({ level }) => level === 'warning' || level === 'error')
  t.same(
    wrong.filter(({ what }) => !known.test(what)),
    [],
  )
  t.equal(wrong.length, onCluster ? 3 : 0)
  t.equal(report.level, onCluster ? 'warning' : 'note')
  t.same(
    [...new Set(report.findings.map(({ check }) => check))],
    [
      ...['settings', 'stored settings', 'Redis', 'LDAP servers', 'LDAP directory', 'LDAP settings'],
      ...['issuer', 'trusted proxies', 'mail', 'SMS'],
    ],
  )
  found(t, report, [/stored/, 'ok', /1 pods run/])
  found(t, report, [/LDAP settings/, 'ok', /16 threads, and 1 pods check at most 2/])
  found(t, report, [/trusted proxies/, 'note', /trusted proxy itself/])
  const inWords = await doctor(env)
  t.match(inWords, {
    code: onCluster ? 1 : 0,
    said: /^ok +settings: .*\n0 errors, [03] warnings, \d notes, \d+ well\.\n$/s,
  })
})

test('a slapd without an index, or with a limit on its answers, is told of', async (t) => {
  await using servers = await startTestServers()
  await using wrong = await startTestService({
    app_ldap__url: servers.ldap.url,
    app_ldap__bindPassword: servers.ldap.bindPassword,
  })
  const admin = await wrong.login(wrong.admin.uid, wrong.admin.password)
  for (let at = 0; at < 4; at++) await wrong.newUser(admin)
  await reconfigure(servers.dir, database, [
    change('delete', 'olcDbIndex', ['uid,mail,cn eq,sub']),
    change('add', 'olcDbIndex', ['uid eq']),
    change('replace', 'olcLimits', ['dn.exact="cn=latchkey,ou=services,dc=example,dc=org" size=3']),
  ])
  await reconfigure(servers.dir, 'cn=config', [change('replace', 'olcThreads', ['2'])])
  const report = await examine({
    ...(await wrong.environmentOfPod()),
    DOCTOR_LDAP_URL: socketOf(servers.dir),
  })
  t.equal(report.level, 'error')
  found(t, report, [/LDAP settings/, 'warning', /no index for mail eq, cn eq, uid sub, mail sub, cn sub$/])
  found(t, report, [/LDAP settings/, 'warning', /1 pods check 2 passwords at once, and slapd has 2 threads/])
  found(t, report, [/LDAP directory/, 'error', /a listing of people ends after \d/])
  const { DOCTOR_LDAP_URL: _, ...blind } = env
  found(t, await examine(blind), [/LDAP settings/, 'note', /not known/])
})

test('a directory that no service has prepared, a wrong password and servers that differ are told of', async (t) => {
  await using servers = await startTestServers()
  const { url } = servers.ldap
  const empty = await examine({
    ...env,
    app_ldap__url: url,
    app_ldap__bindPassword: servers.ldap.bindPassword,
    app_ldap__groups__base: 'ou=nowhere',
  })
  found(t, empty, [/LDAP directory/, 'error', /no entry ou=nowhere,dc=example,dc=org/])
  const both = await examine({ ...env, app_ldap__url: `${env.app_ldap__url},${url}` })
  found(t, both, [/LDAP servers/, 'ok', new RegExp(`${env.app_ldap__url} lets`)])
  found(t, both, [/LDAP servers/, 'error', new RegExp(`${url} does not let the service in: .*49`)])
  t.equal(both.level, 'error')

  const home = join(dir, 'second')
  await mkdir(home)
  await writeFile(join(home, 'latchkey.password'), service.servers.ldap.bindPassword)
  const second = await startSlapd({ dir: home, binaries: await findBinaries(testDataDir), nosync: true })
  t.teardown(() => second.stop())
  const apart = await examine({ ...env, app_ldap__url: `${env.app_ldap__url},${second.url}` })
  found(t, apart, [/LDAP servers/, 'ok', new RegExp(`${second.url} lets`)])
  found(t, apart, [/LDAP servers/, 'error', /do not hold the same/])
})

test('an expired certificate, another clock and another signing secret at the issuer are told of', async (t) => {
  const { certificate, key } = selfSigned({ name: 'localhost' }, { validTo: Date.now() - 3_600_000 })
  const server = createServer({ cert: certificate, key }, (_request, response) => {
    response.sendDate = false
    const date = new Date(Date.now() - 600_000).toUTCString()
    response.setHeader('date', date).end(JSON.stringify({ issuer: 'https://elsewhere.example' }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const issuer = `https://localhost:${(server.address() as AddressInfo).port}`
  const report = await examine({ ...env, app_oauth__issuer: issuer, app_trust_proxy: '' })
  t.equal(report.level, 'error')
  found(t, report, [/certificate of the issuer/, 'error', /expired on 20/])
  found(t, report, [/issuer/, 'error', /answers 200, as https:\/\/elsewhere/])
  found(t, report, [/issuer/, 'error', /the issuer is .* behind this machine/])
  found(t, report, [/trusted proxies/, 'error', /app_trust_proxy is empty/])
  found(t, report, [/trusted proxies/, 'warning', /does not know the signing secret/])
  found(t, report, [/Redis/, 'ok', /agree on the time/])

  const away = await examine({
    ...env,
    app_oauth__issuer: `http://sso.test:${await freePort()}`,
    app_trust_proxy: '0.0.0.0/0',
  })
  found(t, away, [/issuer/, 'error', /is not https/])
  found(t, away, [/issuer/, 'error', /cannot be reached/])
  found(t, away, [/trusted proxies/, 'error', /everybody/])
})

test('the certificate of LDAP is looked at, by ldaps and by StartTLS', async (t) => {
  const soon = Date.now() + 5 * 86_400_000
  const files = { certificate: join(dir, 'ldap.crt'), key: join(dir, 'ldap.key') }
  const made = selfSigned({ ip: '127.0.0.1' }, { validTo: soon })
  await writeFile(files.certificate, made.certificate)
  await writeFile(files.key, made.key, { mode: 0o600 })
  await using servers = await startTestServers({ ldap: { tls: files } })
  const { url, ldapsUrl, bindPassword } = servers.ldap
  const ways: Record<string, string>[] = [
    { app_ldap__url: ldapsUrl as string },
    { app_ldap__url: url, app_ldap__startTLS: 'true' },
  ]
  for (const way of ways) {
    const settings = { ...env, ...way, app_ldap__bindPassword: bindPassword }
    const untrusted = await examine(settings)
    found(t, untrusted, [/certificate of ldap/, 'error', /is not trusted: .*SELF_SIGNED/])
    found(t, untrusted, [/LDAP servers/, 'error', /self-signed/])
    const trusted = await examine({ ...settings, app_ldap__tls__ca: files.certificate })
    found(t, trusted, [/certificate of ldap/, 'warning', /expires on .* in 4 days/])
    found(t, trusted, [/LDAP servers/, 'ok', /lets the service in/])
  }
})

test('what is away is told of within its time, and hides nothing else', async (t) => {
  const dead = await freePort()
  const report = await examine({
    ...env,
    ...single(`redis://:secret-of-redis@127.0.0.1:${dead}`),
    app_redis__timeout: '300',
    app_smtp__port: String(dead),
    app_sms__url: `http://127.0.0.1:${dead}`,
  })
  t.equal(report.level, 'error')
  found(t, report, [/stored settings/, 'warning', /could not be read/])
  found(t, report, [/Redis/, 'error', /does not answer: .*ECONNREFUSED/])
  found(t, report, [/mail/, 'error', /does not take us: .*ECONNREFUSED/])
  found(t, report, [/SMS/, 'error', /does not take us: .*ECONNREFUSED/])
  found(t, report, [/trusted proxies/, 'note', /address the service sees is not known/])
  found(t, report, [/LDAP directory/, 'ok', /listing/])
  const none = await examine({ ...env, app_smtp__host: '', app_sms__accountSid: '' })
  t.equal(none.level, 'warning')
  found(t, none, [/mail/, 'warning', /no mail server/])
  found(t, none, [/SMS/, 'note', /no Twilio/])
})

test('a short, a weak and a wrong setting are told of; only what cannot be read at all leaves nothing to look at', async (t) => {
  const short = await examine({ ...env, app_oauth__jwtSecret: 'too short for a secret' })
  t.equal(short.level, 'error')
  found(t, short, [/settings/, 'error', /jwtSecret: must have 32 characters/])
  found(t, short, [/Redis/, 'ok', /append-only file/])
  const weak = await examine({
    ...env,
    app_seal__key: 'abcdefghabcdefghabcdefghabcdefgh',
    app_ldap__tls__verify: 'false',
  })
  found(t, weak, [/settings/, 'warning', /app_seal__key looks guessable/])
  found(t, weak, [/settings/, 'warning', /not verified/])
  const open = { app_redis__url: 'redis://redis.internal', app_ldap__url: 'ldap://ldap.internal' }
  const { config } = lookAt({ ...env, ...open, app_ldap__bindPassword: 'short' })
  const findings = await runAll([settingsCheck(config, [])])
  const told = { level: worstOf(findings), findings }
  found(t, told, [/settings/, 'error', /Redis is used without a password/])
  found(t, told, [/settings/, 'warning', /bindPassword has fewer than 16/])
  found(t, told, [/settings/, 'note', /ldap:\/\/ldap.internal is not encrypted/])
  const unreadable = await examine({ ...env, app_redis__timeout: 'soon', app_nonsense: '1' })
  t.equal(unreadable.level, 'error')
  found(t, unreadable, [/settings/, 'error', /app_redis__timeout: must be a whole number/])
  found(t, unreadable, [/settings/, 'error', /app_nonsense: no such setting/])
  t.same([...new Set(unreadable.findings.map(({ check }) => check))], ['settings'])
})

test('no secret is printed, whatever fails', async (t) => {
  const secrets = {
    app_oauth__jwtSecret: 'canary-of-the-signing-secret-0123456789',
    app_ldap__bindPassword: 'canary-of-the-bind-password',
    ...single('redis://:canary-of-redis@127.0.0.1:1'),
    app_redis__timeout: '300',
    app_smtp__pass: 'canary-of-smtp',
    app_sms__authToken: 'canary-of-twilio',
  }
  const { code, said } = await doctor({ ...env, ...secrets, app_smtp__user: 'somebody' }, '--json')
  t.equal(code, 2)
  t.equal(JSON.parse(said).level, 'error')
  t.notMatch(said, /canary/)
})
