import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import type { AddressInfo, Socket } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { Attribute, Change } from 'ldapts'
import { SMTPServer } from 'smtp-server'
import tap, { test } from 'tap'
import { freePort } from '#quickstart/child.ts'
import { examine } from '#src/doctor/examine.ts'
import { runAll } from '#src/doctor/findings.ts'
import { bareClient } from '#test/ldap/support.ts'
import { startMessages } from '#test/support/messages.ts'
import { clockOff } from '#test/support/programs.ts'
import { startNode } from '#test/support/redis-nodes.ts'
import { startTestService } from '#test/support/service.ts'
import { doctor, found, reconfigure, testFolder } from './support.ts'

const messages = await startMessages()
const service = await startTestService(messages.settings)
tap.teardown(async () => {
  await service[Symbol.asyncDispose]()
  await messages[Symbol.asyncDispose]()
})
const dir = await testFolder(tap)
const env = await service.environmentOfPod({ app_smtp__from: 'Latchkey <no-reply@example.org>' })
const { ldap } = service.servers

test('a warning ends with 1: a clock that is off by seconds, at Redis and at the issuer', async (t) => {
  const { code, said } = await doctor({ ...env, ...(await clockOff(8)) }, '--json')
  t.equal(code, 1)
  const report = JSON.parse(said)
  t.equal(report.level, 'warning')
  found(t, report, [/Redis/, 'warning', /^Redis .* is \d+\.\d s behind this machine/])
  found(t, report, [/issuer/, 'warning', /^the issuer is \d+\.\d s behind this machine/])
})

test('it leaves nothing behind in the directory', async (t) => {
  const client = await bareClient(ldap)
  const entries = async () => {
    const attributes = ['*', 'modifyTimestamp', 'pwdAccountLockedTime']
    const { searchEntries } = await client.search(ldap.base, { attributes })
    return JSON.stringify(searchEntries)
  }
  const before = await entries()
  await examine(env)
  t.equal(await entries(), before)
  await client.unbind()
})

test('a check that hangs, and one that breaks, are findings, and hold up no other', async (t) => {
  const findings = await runAll(
    [
      { name: 'hangs', run: () => new Promise(() => {}) },
      {
        name: 'breaks',
        run: async () => {
          throw new Error('outer', { cause: new Error('the reason') })
        },
      },
      { name: 'ends', run: async () => [{ level: 'ok', what: 'well' }] },
    ],
    50,
  )
  t.match(findings, [
    { check: 'hangs', level: 'error', what: /could not be checked: no answer within 50 ms/ },
    { check: 'breaks', level: 'error', what: 'could not be checked: the reason' },
    { check: 'ends', level: 'ok' },
  ])
})

test('servers that take a connection and say nothing are told of, each by its own check', async (t) => {
  const sockets = new Set<Socket>()
  const mute = createServer((socket) => sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(mute, 'listening')
  t.teardown(() => {
    for (const socket of sockets) socket.destroy()
    mute.close()
  })
  const at = `127.0.0.1:${(mute.address() as AddressInfo).port}`
  const report = await examine({
    ...env,
    ...{ app_ldap__url: `ldap://${at}`, app_ldap__timeout: '500' },
    ...{ app_redis__url: `redis://${at}`, app_redis__timeout: '300' },
    ...{ app_smtp__port: at.split(':')[1] as string, app_smtp__timeout: '500' },
    ...{ app_sms__url: `http://${at}`, app_sms__timeout: '500' },
    app_oauth__issuer: `https://localhost:${at.split(':')[1]}`,
    DOCTOR_LDAP_URL: `ldap://${at}`,
  })
  for (const check of ['Redis', 'LDAP servers', 'LDAP directory', 'LDAP settings', 'issuer', 'mail', 'SMS'])
    t.ok(
      report.findings.some((each) => each.check === check && each.level === 'error' && each.fix),
      check,
    )
  found(t, report, [/certificate of the issuer/, 'error', /none could be read .*: no answer in time/])
})

test('a mail server that does not let us sign in is told of', async (t) => {
  const smtp = new SMTPServer({
    ...{ disabledCommands: ['STARTTLS'], disableReverseLookup: true, logger: false, allowInsecureAuth: true },
    onAuth: (_login, _session, done) => done(Object.assign(new Error('not you'), { responseCode: 535 })),
  })
  await once(smtp.listen(0, '127.0.0.1'), 'listening')
  t.teardown(() => smtp.close(() => {}))
  const { port } = smtp.server.address() as AddressInfo
  const wrong = {
    app_smtp__port: String(port),
    app_smtp__user: 'somebody',
    app_smtp__pass: 'a wrong password',
  }
  found(t, await examine({ ...env, ...wrong }), [/mail/, 'error', /does not take us: 535 .*not you/])
})

test('what a server repeats of a secret is taken out of what it says', async (t) => {
  const secret = 'canary-of-redis'
  const renamed = ['rename-command AUTH ""', 'rename-command HELLO ""']
  await using node = await startNode(dir, 'server', ...renamed)
  t.match(
    await node.send('AUTH', secret).catch(String),
    new RegExp(secret),
    'a Redis without that command repeats what it was given',
  )
  const settings = { app_redis__url: `redis://:${secret}@127.0.0.1:${node.port}`, app_redis__timeout: '3000' }
  const report = await examine({ ...env, ...settings })
  t.notMatch(JSON.stringify(report), secret)
  t.match(JSON.stringify(report.findings.filter(({ check }) => check === 'Redis')), /\*{8}/)
})

test('slapd’s settings are read as whoever DOCTOR_LDAP_BIND_DN names, with the password of a file', async (t) => {
  const file = join(dir, 'password')
  await writeFile(file, `${ldap.bindPassword}\n`)
  const reader = {
    DOCTOR_LDAP_URL: ldap.url,
    DOCTOR_LDAP_BIND_DN: ldap.bindDN,
    DOCTOR_LDAP_PASSWORD_FILE: file,
  }
  found(t, await examine({ ...env, ...reader }), [
    ...([/LDAP settings/, 'error', /cn=config shows no database for dc=example,dc=org/] as const),
  ])
  const access = `{0}to * by dn.exact="${ldap.bindDN}" read by * break`
  await reconfigure(service.servers.dir, 'olcDatabase={0}config,cn=config', [
    new Change({ operation: 'add', modification: new Attribute({ type: 'olcAccess', values: [access] }) }),
  ])
  found(t, await examine({ ...env, ...reader }), [/LDAP settings/, 'ok', /has its index/])
  const wrong = { ...reader, DOCTOR_LDAP_PASSWORD_FILE: '', DOCTOR_LDAP_PASSWORD: 'canary of this test' }
  const refused = await examine({ ...env, ...wrong })
  found(t, refused, [/LDAP settings/, 'error', /could not be checked: .*49/])
  t.notMatch(JSON.stringify(refused), /canary/)
})

test('it goes by what POST /api/conf stored, as the pods do', async (t) => {
  const token = await service.login(service.admin.uid, service.admin.password)
  const dead = await freePort()
  const body = { smtp: { port: dead } }
  t.equal((await service.request('POST', '/api/conf', { token, body })).status, 200)
  found(t, await examine(env), [/mail/, 'error', new RegExp(`127.0.0.1:${dead} does not take us`)])
})
