import tap, { test } from 'tap'
import { deviceOf, peopleOf } from '#test/support/device.ts'
import { payloadOf } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService({ app_onboarding__needs: '' })
tap.teardown(() => service[Symbol.asyncDispose]())
const admin = await service.login(service.admin.uid, service.admin.password)
const { device, person } = peopleOf(service, admin)
const { begin, begun, poll } = deviceOf(service)

test('a device that asks for a fresh sign-in by max_age=0 gets tokens only after one, with its auth_time', async (t) => {
  const client = await device()
  const { uid, password, go, locationOf, enter, answer } = await person()
  for (const fresh of [{ max_age: '0' }, { max_age: 0 }]) {
    const asked = await begun(client, { scope: 'openid', ...fresh })
    const at = Math.floor(Date.now() / 1000)
    const signIn = await answer(await enter(asked.user_code), asked.user_code)
    t.equal(signIn.status, 303, JSON.stringify(fresh))
    const page = locationOf(signIn)
    t.match(page, /\/login$/)
    t.match((await poll(client, asked)).body, { error: 'authorization_pending' })
    const signedIn = await go('POST', page, { uid, password })
    t.match((await go('GET', locationOf(signedIn))).text, 'Your device is connected')
    const { body } = await poll(client, asked)
    const claims = payloadOf(String(body.id_token))
    t.match(claims, { sub: uid })
    t.ok(Number(claims.auth_time) >= at)
  }
  const plain = await begun(client, { scope: 'openid', max_age: '3600' })
  t.match((await answer(await enter(plain.user_code), plain.user_code)).text, 'Your device is connected')
  t.equal((await poll(client, plain)).status, 200, 'a sign-in that is young enough counts')
  for (const max_age of ['-1', 'x'])
    t.match(await begin(client, { max_age }), { status: 400, body: { error: 'invalid_request' } })
})
