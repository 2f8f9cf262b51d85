import { setTimeout as pause } from 'node:timers/promises'
import type { Test } from 'tap'
import tap, { test } from 'tap'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService({ app_ldap__timeout: '3000', app_redis__timeout: '3000' })
const { request, login, newUser, servers } = service
const admin = await login(service.admin.uid, service.admin.password)
tap.teardown(() => service[Symbol.asyncDispose]())

/** Several kinds of requests while something is away: each is answered in our form, none hangs or ends the process. */
async function refusedInOurForm(t: Test, uid: string) {
  const asked = [
    request('GET', `/api/user/${uid}`, { token: admin }),
    request('GET', '/api/group/', { token: admin }),
    request('POST', '/api/group/', { token: admin, body: { name: 'half made', description: '' } }),
    request('POST', '/api/auth/login', { body: { uid, password: 'whatever it is' } }),
  ]
  for (const { status, body } of await Promise.all(asked)) {
    t.equal(status, 502)
    t.equal(body.name, 'UpstreamFailure')
    t.strictSame(Object.keys(body), ['name', 'message'])
  }
  t.equal((await request('GET', '/healthz')).status, 200)
  t.equal((await request('GET', '/.well-known/openid-configuration')).status, 200)
}

/** Asks until the service answers as before; the test's own time limit is the bound. */
async function recovered(t: Test, person: { uid: string; password: string }) {
  for (;;) {
    const { status } = await request('GET', '/readyz')
    if (status === 200) break
    await pause(50)
  }
  t.equal(
    (await request('GET', `/api/user/${person.uid}`, { token: admin })).status,
    200,
    'the session lives',
  )
  t.type(await login(person.uid, person.password), 'string', 'the account lives')
  t.equal(
    (await request('GET', '/api/group/half%20made', { token: admin })).status,
    404,
    'nothing is half made',
  )
}

for (const [what, system, away, back] of [
  ['killing and restarting slapd', 'ldap', () => servers.ldap.kill(), () => servers.ldap.start()],
  ['killing and restarting Redis', 'redis', () => servers.redis.kill(), () => servers.redis.start()],
  [
    'stopping slapd in the middle',
    'ldap',
    () => servers.ldap.signal('SIGSTOP'),
    () => servers.ldap.signal('SIGCONT'),
  ],
  [
    'stopping Redis in the middle',
    'redis',
    () => servers.redis.signal('SIGSTOP'),
    () => servers.redis.signal('SIGCONT'),
  ],
] as const) {
  test(`${what} under a running service: errors in our form meanwhile, recovery without restart, nothing lost`, async (t) => {
    const person = await newUser(admin)
    await away()
    await pause(1100) // what was read within the last second may still be answered
    const { status, body } = await request('GET', '/readyz')
    t.equal(status, 503)
    t.equal(body.status, 'not ready')
    t.equal(body[system], 'away')
    await refusedInOurForm(t, person.uid)
    await back()
    await recovered(t, person)
  })
}
