import { setTimeout as pause } from 'node:timers/promises'
import tap, { test } from 'tap'
import { hashed } from '#adapters/redis/keys.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { login, servers } = service
/** Waits for nothing longer than a second; asked only where something is away. */
const hasty = await service.secondPod({ app_ldap__timeout: '1000', app_redis__timeout: '1000' })
const admin = await login(service.admin.uid, service.admin.password)
const { register, tokensFor, codeFor, userinfo } = relyingParty(service, admin)
tap.teardown(async () => {
  await hasty[Symbol.asyncDispose]()
  await service[Symbol.asyncDispose]()
})

type Pod = Pick<typeof service, 'request'>
const client = await register()
const { client_id, client_secret } = client
/** A form is answered past the library, JSON by it. */
const ways = {
  form: (pod: Pod, fields: Record<string, string>) =>
    pod.request<{ error?: string; access_token: string; refresh_token: string }>('POST', '/oauth/token', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ client_id, client_secret, ...fields }).toString(),
    }),
  JSON: (pod: Pod, fields: Record<string, string>) =>
    pod.request<{ error?: string; access_token: string; refresh_token: string }>('POST', '/oauth/token', {
      body: { client_id, client_secret, ...fields },
    }),
}
const bothReady = async () => {
  for (const pod of [service, hasty])
    while ((await pod.request('GET', '/readyz')).status !== 200) await pause(50)
}
const away = { status: 502, body: { error: 'temporarily_unavailable', name: 'UpstreamFailure' } }

for (const [way, ask] of Object.entries(ways))
  for (const [system, server] of [
    ['the directory', servers.ldap],
    ['Redis', servers.redis],
  ] as const)
    test(`a refresh token and a code (${way}) are as good as before after a request that ${system} left without an answer`, async (t) => {
      const { refresh_token } = await tokensFor(client, admin)
      const code = await codeFor(client, admin)
      const uses: Record<string, string>[] = [
        { grant_type: 'refresh_token', refresh_token },
        { grant_type: 'authorization_code', ...code },
      ]
      await pause(1100) // what is known of the account for a second is not any more
      server.signal('SIGSTOP')
      for (const use of uses) t.match(await ask(hasty, use), away)
      server.signal('SIGCONT')
      await bothReady()
      for (const use of uses) {
        const { status, body, text } = await ask(service, use)
        t.equal(status, 200, text)
        t.equal((await userinfo(body.access_token)).status, 200)
        t.match(await ask(service, use), { status: 400, body: { error: 'invalid_grant' } }, 'and once')
      }
    })

test('a use of which nobody knows whether Redis did it is given back when it did, and does nothing when it comes late', async (t) => {
  const { exchanges, keys, redis } = hasty.deps.store
  const { refresh_token } = await tokensFor(client, admin)
  const lifetime = () => redis.pttl(keys.voidable('refresh-token', hashed(refresh_token)))
  const before = await lifetime()
  servers.redis.signal('SIGSTOP')
  // It lies in the socket, and Redis does it as soon as it goes on.
  await t.rejects(exchanges.consume('RefreshToken', refresh_token), { name: 'UpstreamFailure' })
  servers.redis.signal('SIGCONT')
  await bothReady()
  t.ok(await exchanges.find('RefreshToken', refresh_token), 'it was not used')
  t.ok(before - (await lifetime()) < 60_000, 'and lives as long as before')
  t.equal(await exchanges.consume('RefreshToken', refresh_token), true)
  t.equal(await exchanges.consume('RefreshToken', refresh_token), false)
})
