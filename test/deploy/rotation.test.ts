import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import tap, { test } from 'tap'
import { findLdapTools } from '#test/support/programs.ts'
import { everywhere } from '#test/support/redis.ts'
import type { TestService } from '#test/support/service.ts'
import { startTestService } from '#test/support/service.ts'
import { until } from '#test/support/until.ts'

const service = await startTestService()
tap.teardown(() => service[Symbol.asyncDispose]())
const { ldap, redis, dir } = service.servers
const admin = await service.login(service.admin.uid, service.admin.password)
const next = { ldap: 'another-password-of-ldap', redis: 'another-password-of-redis' }

/** What asks both, by each kind of connection: reads, a listing, a password check, a write. */
async function serves(t: Test, { request }: Pick<TestService, 'request'>, what: string) {
  const { uid, password } = service.admin
  const description = 'made while passwords changed'
  const name = `g-${Math.random().toString(36).slice(2)}`
  const answers = await Promise.all([
    request('GET', '/readyz'),
    request('GET', '/api/user/me', { token: admin }),
    request('GET', '/api/user/', { token: admin }),
    request('POST', '/api/auth/login', { body: { uid, password } }),
    request('POST', '/api/group/', { token: admin, body: { name, description } }),
  ])
  t.same(
    answers.filter(({ status }) => status !== 200).map(({ text }) => text),
    [],
    what,
  )
}

test('a new LDAP_PASSWORD, as docs/operations.md has it: pods with the old one and with the new one serve', async (t) => {
  const { folder, env } = await findLdapTools()
  const files = { old: join(dir, 'old'), next: join(dir, 'next') }
  await writeFile(files.old, ldap.bindPassword)
  await writeFile(files.next, next.ldap)
  const asService = ['-x', '-H', ldap.url, '-D', ldap.bindDN, '-y', files.old, '-T', files.next]
  await promisify(execFile)(join(folder, 'ldappasswd'), asService, { env })
  await serves(t, service, 'a pod of before')
  await using pod = await service.secondPod({ app_ldap__bindPassword: next.ldap })
  await serves(t, pod, 'a pod with the new one')
  await serves(t, service, 'a pod of before, still')
  await ldap.restart()
  await until('it is back', async () => (await pod.request('GET', '/readyz')).status === 200)
  await serves(t, pod, 'when the server was restarted')
})

test('a new REDIS_PASSWORD, as docs/operations.md has it: pods with the old one and with the new one serve', async (t) => {
  await using client = await redis.open()
  const app_redis__url = service.deps.config.redis.url.replace(redis.password, next.redis)
  await everywhere(client, 'ACL', 'SETUSER', 'default', `>${next.redis}`)
  await using pod = await service.secondPod({ app_ldap__bindPassword: next.ldap, app_redis__url })
  await serves(t, pod, 'a pod with the new one')
  await everywhere(client, 'ACL', 'SETUSER', 'default', `<${redis.password}`)
  await serves(t, pod, 'when the old one is gone')
  await using late = await service.secondPod({ app_ldap__bindPassword: next.ldap, app_redis__url })
  await serves(t, late, 'a pod that starts then')
})
