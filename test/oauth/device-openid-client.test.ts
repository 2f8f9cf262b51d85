import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { test } from 'tap'
import type { Begun } from '#test/support/device.ts'
import { peopleOf } from '#test/support/device.ts'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService()
const admin = await service.login(service.admin.uid, service.admin.password)
const { device, person } = peopleOf(service, admin)

/** The device as a process of its own: what it says, line by line. */
async function startDevice() {
  const { client_id, client_secret } = await device()
  const program = new URL('device-party.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [program, service.url, client_id, client_secret], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  return {
    client_id,
    says: async <T = Record<string, unknown>>() => JSON.parse(String((await lines.next()).value)) as T,
    [Symbol.dispose]: () => void child.kill(),
  }
}

await test('openid-client as a device of its own gets verified tokens: code shown, polling, ID token, userinfo, refresh', async (t) => {
  using shown = await startDevice()
  const { user_code, verification_uri } = await shown.says<Begun>()
  t.equal(verification_uri, `${service.url}/oauth/device`)
  const { uid, allow } = await person()
  t.equal((await allow(user_code)).status, 200)
  const got = await shown.says()
  t.match(got, {
    claims: { sub: uid, iss: service.url, aud: shown.client_id, preferred_username: uid },
    userinfo: { sub: uid },
    refreshed: uid,
  })
})

await test('openid-client as a device of its own is told that the person denied', async (t) => {
  using shown = await startDevice()
  const { user_code } = await shown.says<Begun>()
  const { enter, answer } = await person()
  await answer(await enter(user_code), user_code, 'abort')
  t.same(await shown.says(), { error: 'access_denied' })
})
