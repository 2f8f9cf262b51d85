import tap, { test } from 'tap'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'

const service = await startTestService()
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, asking, authorize, allow, tokensFor, refresh, userinfo } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())
const html = 'text/html,application/xhtml+xml'

const asked = (claims: object, scope = 'openid') => ({ scope, claims: JSON.stringify(claims) })

test('claims asks for single claims in the ID token and in userinfo, essential, with a value or plain', async (t) => {
  const { uid, mail, token } = await newUser(admin, { givenName: 'Ada', sn: 'Lovelace' })
  const client = await register()
  const tokens = await tokensFor(
    client,
    token,
    asked({
      id_token: { given_name: { essential: true }, auth_time: null, email: { value: 'other@example.org' } },
      userinfo: { family_name: null, groups: { essential: true }, name: { values: ['x'] } },
    }),
  )
  const { iss: _, aud: __, exp: ___, iat: ____, at_hash: _____, ...told } = payloadOf(tokens.id_token)
  t.match(told, { sub: uid, given_name: 'Ada', auth_time: Number, email: mail })
  t.notOk('family_name' in told || 'name' in told || 'groups' in told, 'not what is asked of userinfo')
  const { body } = await userinfo(tokens.access_token)
  t.same(body, { sub: uid, family_name: 'Lovelace', groups: [], name: 'Ada Lovelace' })
  const next = await refresh(client, tokens.refresh_token)
  t.match(payloadOf(next.body.id_token), { given_name: 'Ada' }, 'and so after a refresh')
  t.same((await userinfo(next.body.access_token)).body, body)
})

test('claims gives nothing whose scope is not registered for the client, now or later', async (t) => {
  const { uid, mail, token } = await newUser(admin)
  const narrow = await register({ scopes: ['openid', 'profile'] })
  const wide = {
    id_token: { email: null, groups: null },
    userinfo: { email: { essential: true }, groups: null },
  }
  const tokens = await tokensFor(narrow, token, asked(wide))
  const told = payloadOf(tokens.id_token)
  t.notOk('email' in told || 'groups' in told)
  t.same((await userinfo(tokens.access_token)).body, { sub: uid })

  const client = await register()
  const before = await tokensFor(client, token, asked(wide))
  t.same((await userinfo(before.access_token)).body, { sub: uid, email: mail, groups: [] })
  await request('PUT', `/api/oauth/client/${client.client_id}`, {
    token: admin,
    body: { scopes: ['openid'] },
  })
  t.same((await userinfo(before.access_token)).body, { sub: uid })
  const next = await refresh(client, before.refresh_token)
  t.notOk('email' in payloadOf(next.body.id_token))
})

test('claims passes neither groups_claim nor groups_in_id_token, nor tells what nobody may know', async (t) => {
  const { uid, token } = await newUser(admin)
  for (const name of ['claims-a', 'other-b']) {
    await request('POST', '/api/group/', { token: admin, body: { name, description: '' } })
    await request('PUT', `/api/group/${name}/${uid}`, { token: admin })
  }
  const client = await register({ groups_claim: ['claims-*'], groups_in_id_token: false })
  const both = { groups: { essential: true }, latchkey_subject: null, uidNumber: null, mobile: null }
  const tokens = await tokensFor(client, token, asked({ id_token: both, userinfo: both }))
  t.notOk('groups' in payloadOf(tokens.id_token))
  t.notOk('latchkey_subject' in payloadOf(tokens.id_token))
  t.same((await userinfo(tokens.access_token)).body, { sub: uid, groups: ['claims-a'] })
})

test('the consent page shows what claims asks for, and allows it with the scope that holds it', async (t) => {
  const { token } = await newUser(admin)
  const client = await register()
  const request_ = asking(client, asked({ userinfo: { email: null } })).asked
  const page = await authorize(request_, token, html)
  t.equal(page.status, 200)
  t.match(page.text, 'See your email address')
  t.notMatch(page.text, 'See your groups')
  const plain = asking(client, { scope: 'openid' }).asked
  t.equal((await allow(plain, token)).status, 200)
  t.equal((await authorize(plain, token, html)).status, 303, 'the plain request is allowed already')
  t.equal((await authorize(request_, token, html)).status, 200, 'the claim is not')
  t.equal((await allow(request_, token)).status, 200)
  t.equal((await authorize(request_, token, html)).status, 303, 'now it is')
  const none = { ...asking(client, asked({ id_token: { groups: null } })).asked, prompt: 'none' }
  const refused = new URL(String((await authorize(none, token)).headers.get('location')))
  t.equal(refused.searchParams.get('error'), 'consent_required')
})

test('a sub that is not the person’s, and an essential acr, fail the sign-in', async (t) => {
  const { uid, token } = await newUser(admin)
  const client = await register()
  const outcome = async (claims: object) => {
    const { headers } = await authorize({ ...asking(client, asked(claims)).asked, prompt: 'none' }, token)
    const { searchParams } = new URL(String(headers.get('location')))
    return searchParams.get('error') ?? (searchParams.has('code') ? 'code' : 'nothing')
  }
  await allow(asking(client, { scope: 'openid' }).asked, token)
  t.equal(await outcome({ id_token: { sub: { value: uid } } }), 'code')
  t.equal(await outcome({ id_token: { sub: { value: 'somebody' } } }), 'login_required')
  t.equal(await outcome({ id_token: { acr: { values: ['gold'] } } }), 'code', 'a wish only')
  t.equal(
    await outcome({ id_token: { acr: { essential: true, values: ['gold'] } } }),
    'unmet_authentication_requirements',
  )
  await using pod = await service.secondPod({ app_oauth__subject: 'entryUUID' })
  const there = relyingParty(pod, admin)
  const { entryUUID } = (await service.deps.users.find(uid)) ?? {}
  const called = there.asking(client, asked({ id_token: { sub: { value: entryUUID } } })).asked
  t.match((await there.authorize({ ...called, prompt: 'none' }, token)).headers.get('location'), /[?&]code=/)
})

test('claims that are no JSON object of objects are refused, on both paths', async (t) => {
  const client = await register()
  for (const claims of ['{', '[]', '"x"', '5', '{}', '{"userinfo":5}', '{"id_token":{"email":1}}']) {
    const wrong = asking(client, { scope: 'openid', claims }).asked
    t.match(await allow(wrong, admin), { status: 400, body: { name: 'InvalidInput' } }, claims)
    const { headers } = await authorize(wrong, admin)
    t.match(headers.get('location'), /error=invalid_request/, claims)
  }
})

test('resource is refused with invalid_target (RFC 8707), on both paths', async (t) => {
  const wrong = asking(await register(), { resource: 'https://api.example' }).asked
  t.match(await allow(wrong, admin), {
    status: 400,
    body: { name: 'InvalidInput', message: /^invalid_target/ },
  })
  t.match((await authorize(wrong, admin)).headers.get('location'), /error=invalid_target/)
})
