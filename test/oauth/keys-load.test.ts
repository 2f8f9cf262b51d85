import { setTimeout } from 'node:timers/promises'
import tap, { test } from 'tap'
import type { Answer } from '#test/support/client.ts'
import type { Tokens } from '#test/support/oauth.ts'
import { headerOf, relyingParty, verifies } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const rotations = 20
// As fast as it goes: a key signs for 2 seconds and is published 1 before.
const service = await startTestService({
  app_oauth__keys__period_seconds: '2',
  app_oauth__keys__prepublish_seconds: '1',
  app_oauth__keys__retain_seconds: '30',
  app_oauth__token_lifetime__access_token: '30',
  app_auth__session_absolute_seconds: '30',
})
tap.teardown(() => service[Symbol.asyncDispose]())
type Jwk = Record<string, string>

test('20 rotations with code flows, refreshes and userinfo under way on two pods: none fails, every ID token verifies', async (t) => {
  await using second = await service.secondPod()
  const pods = [service, second]
  const { uid, password } = service.admin
  const client = await relyingParty(service, await service.login(uid, password)).register()
  const signedWith = new Set<string>()
  const failures: string[] = []
  // How often a JWKS fetched before the token did not do: then the machine stood still for longer than a key is published
  // before it signs (test/oauth/keys.test.ts proves that part by the clock).
  const done = { flows: 0, refreshes: 0, userinfos: 0, fetchedAgain: 0 }
  const going = () => signedWith.size <= rotations && failures.length === 0

  /** An application that keeps the JWKS and fetches it again for a key it does not know, as libraries do. */
  async function application(pod: typeof service | typeof second): Promise<void> {
    const { codeFor, redeem, refresh, userinfo } = relyingParty(pod, '')
    const jwks = async () => (await pod.request<{ keys: Jwk[] }>('GET', '/oauth/jwks')).body.keys
    const expect = async (what: string, { status, text, body }: Answer<Tokens>, keys: Jwk[]) => {
      if (status !== 200) return failures.push(`${what}: ${status} ${text}`)
      const known = verifies(body.id_token, keys)
      if (!known) done.fetchedAgain += 1
      if (!known && !verifies(body.id_token, await jwks())) return failures.push(`${what}: unknown key`)
      return signedWith.add(headerOf(body.id_token).kid)
    }
    while (going()) {
      // Four at once without a pause would show the same of the keys, for three times the work.
      await setTimeout(400)
      const token = await pod.login(uid, password)
      const code = await codeFor(client, token)
      const other = relyingParty(pods.find((each) => each !== pod) as typeof service, '')
      const known = await jwks()
      const redeemed = await (done.flows % 2 ? redeem(client, code) : other.redeem(client, code))
      await expect('code', redeemed, known)
      const knownLater = await jwks()
      const refreshed = await refresh(client, redeemed.body.refresh_token)
      await expect('refresh', refreshed, knownLater)
      const { status } = await userinfo(refreshed.body.access_token)
      if (status !== 200) failures.push(`userinfo: ${status}`)
      done.flows += 1
      done.refreshes += 1
      done.userinfos += 1
    }
  }

  await Promise.all(
    [...pods, ...pods].map((pod) => application(pod).catch((error) => failures.push(String(error)))),
  )
  t.same(failures, [])
  t.ok(signedWith.size > rotations, `${signedWith.size} keys signed; ${JSON.stringify(done)}`)
  t.comment(`${signedWith.size - 1} rotations, ${JSON.stringify(done)}, ${failures.length} failures`)
  const { keys } = (await service.request<{ keys: Jwk[] }>('GET', '/oauth/jwks')).body
  t.ok(keys.length < 3 * (30 / 2 + 3), 'old keys go')
})
