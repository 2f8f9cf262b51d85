import { test } from 'tap'
import { startTestService } from '#test/support/service.ts'

await using service = await startTestService({
  app_onboarding__enforce: 'api',
  app_onboarding__needs: 'tos,dob,password',
})
const { admin, request } = service

await test('onboarding.enforce = api refuses everything but the open steps, one’s own account and logout: 401 OnboardingRequired', async (t) => {
  const token = await service.login(admin.uid, admin.password)
  const ask = (method: string, path: string, body?: object) =>
    request(method, path, { token, ...(body ? { body } : {}) })
  const refused = { status: 401, body: { name: 'OnboardingRequired' } }
  for (const [method, path, body] of [
    ['GET', '/api/user/'],
    ['GET', '/api/user/stats'],
    ['GET', '/api/group/'],
    ['GET', '/api/auth/session/'],
    ['GET', '/api/oauth/client/'],
    ['DELETE', `/api/user/${admin.uid}`],
    ['PUT', '/api/user/somebody', { givenName: 'x' }],
    ['PUT', '/api/user/somebody/password', { password: 'x'.repeat(9), confirm: 'x'.repeat(9) }],
    ['PUT', '/api/tos', { text: 'mine' }],
    ['POST', '/api/user/key', { key: 'x' }],
    [
      'POST',
      '/api/oauth/authorize',
      { response_type: 'code', client_id: 'x', redirect_uri: 'https://x.example' },
    ],
  ] as const)
    t.match(await ask(method, path, body), refused, `${method} ${path}`)

  t.match(await ask('GET', '/api/user/me'), { status: 200, body: { onboardingNeeds: ['dob', 'password'] } })
  t.equal((await ask('GET', '/api/tos')).status, 200)
  t.equal((await ask('POST', '/api/user/accept-tos')).status, 200)
  t.equal(
    (await ask('PUT', `/api/user/${admin.uid.toUpperCase()}`, { dateOfBirth: '1990-02-28' })).status,
    200,
  )
  t.match(await ask('GET', '/api/group/'), refused, 'one step is still open')
  const password = 'a password of my own'
  t.equal((await ask('PUT', '/api/user/password', { password, confirm: password })).status, 200)
  t.equal((await ask('GET', '/api/group/')).status, 200, 'with the last step the way is free, at once')

  await ask('PUT', '/api/tos', { text: 'Be kind.' })
  t.match(await ask('GET', '/api/group/'), refused, 'new terms close it again')
  t.equal((await ask('POST', '/api/user/accept-tos')).status, 200)
  t.equal((await ask('GET', '/api/group/')).status, 200)
})

await test('whoever is not signed in hears that first, and logout is always open', async (t) => {
  t.match(await request('GET', '/api/group/'), { status: 401, body: { name: 'Unauthorized' } })
  const token = await service.login(admin.uid, 'a password of my own')
  t.equal((await request('POST', '/api/auth/logout', { token })).status, 200)
})
