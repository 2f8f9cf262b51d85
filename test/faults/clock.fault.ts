import tap, { test } from 'tap'
import { clientOf } from '#test/support/client.ts'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { clockOff } from '#test/support/programs.ts'
import { patient, startRig } from './rig.ts'
import { trial } from './trial.ts'

/** The second pod's clock is 30 seconds ahead of the first one's. */
const rig = await startRig({ settings: patient, pods: [{}, await clockOff(30)] })
tap.teardown(() => rig[Symbol.asyncDispose]())
const [right, ahead] = rig.pods

test('clock skew of 30 s between pods: what one gives, the other takes, in both directions', async (t) => {
  for (const [pod, off] of [
    [right, 0],
    [ahead, 30_000],
  ] as const) {
    const before = Date.now()
    const date = Date.parse(String((await pod.request('GET', '/healthz')).headers.get('date')))
    // A header tells whole seconds, and may be told for another one.
    t.ok(date - off > before - 2000 && date - off <= Date.now(), 'the clocks differ')
  }
  for (const [one, other] of [
    [right, ahead],
    [ahead, right],
  ] as const) {
    const [here, there] = [
      relyingParty(clientOf(one.url) as typeof rig, rig.admin),
      relyingParty(clientOf(other.url) as typeof rig, rig.admin),
    ]
    const client = await here.register()
    const token = await one.login('admin', String(rig.password))
    t.equal((await other.request('GET', '/api/user/me', { token })).status, 200, 'a session')
    const code = await here.codeFor(client, token)
    const { status, body } = await there.redeem(client, code)
    t.equal(status, 200, 'a code')
    t.equal((await here.userinfo(body.access_token)).status, 200, 'an access token')
    const again = await here.refresh(client, body.refresh_token)
    t.equal(again.status, 200, 'a refresh token')
    t.equal((await there.userinfo(again.body.access_token)).status, 200)
    const { iat, exp } = payloadOf(again.body.id_token) as { iat: number; exp: number }
    t.ok(exp - iat > 60, 'an ID token that outlives the difference')
    const { body: invite } = await one.request('POST', '/api/user/invite', { token, body: {} })
    t.equal(
      (await other.request('POST', `/api/auth/invite/${invite.token}`, { body: { mail: 'a@example.org' } }))
        .status,
      200,
      'an invite',
    )
  }
})

test('clock skew of 30 s between pods under load: no request fails', async (t) => {
  const load = await trial(t, rig, { begin: () => {} })
  t.same(load.failures(), [])
})
