import { test } from 'tap'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { visitor } from '#test/support/visitor.ts'
import { startLogoutTests } from './support.ts'

// What each way of signing out ends, on two pods, and whom it tells.

const { admin, application, asking, login, newUser, other, request, service, tellable, tokensFor } =
  await startLogoutTests()
const onOther = relyingParty(other, admin)

/** Two sessions of somebody, in each of which two clients hold tokens, one of them offline. */
async function signedIn() {
  const { uid, password, token } = await newUser(admin)
  const second = await login(uid, password)
  const online = await tellable({ skip_consent: true })
  const offline = await tellable({ scopes: 'openid offline_access' })
  const asked = { scope: 'openid offline_access', prompt: 'consent' }
  const held = async (session: string) => ({
    online: await tokensFor(online, session, { scope: 'openid' }),
    offline: await tokensFor(offline, session, asked),
  })
  return {
    uid,
    password,
    sessions: [token, second] as const,
    online,
    offline,
    held: [await held(token), await held(second)] as const,
  }
}
type SignedIn = Awaited<ReturnType<typeof signedIn>>

/** What is left, seen from the pod that was not asked. */
async function left({ sessions, online, offline, held }: SignedIn, n: 0 | 1) {
  const silently = async () => {
    const { headers } = await onOther.authorize(
      { ...asking(online, { scope: 'openid' }).asked, prompt: 'none' },
      sessions[n],
    )
    return !String(headers.get('location')).includes('error=login_required')
  }
  const { access_token, refresh_token } = held[n].online
  return {
    portal: (await other.request('GET', '/api/user/me', { token: sessions[n] })).status === 200,
    provider: await silently(),
    access: (await onOther.userinfo(access_token)).status === 200,
    refresh: (await onOther.refresh(online, refresh_token)).status === 200,
    offline: (await onOther.refresh(offline, held[n].offline.refresh_token)).status === 200,
  }
}
const all = { portal: true, provider: true, access: true, refresh: true, offline: true }
const none = { portal: false, provider: false, access: false, refresh: false, offline: false }

/** Both clients are told of that session. */
async function told(t: { equal(found: unknown, wanted: unknown): unknown }, at: SignedIn, n: 0 | 1, nth = 1) {
  for (const kind of ['online', 'offline'] as const) {
    await application.notice(at[kind].name, nth)
    const sids = application.told(at[kind].name).map(({ sid }) => sid)
    t.equal(sids.includes(payloadOf(at.held[n][kind].id_token).sid as string), true)
  }
}

async function atProvider(at: SignedIn, params: Record<string, string> = {}) {
  const { go, jar } = visitor(service)
  jar.set('latchkey@/', { value: at.sessions[0], path: '/' })
  const page = await go('GET', `/oauth/logout?${new URLSearchParams(params)}`)
  const xsrf = /name="xsrf" value="(\w+)"/.exec(page.text)?.[1] ?? ''
  return go('POST', '/oauth/logout/confirm', { xsrf, logout: 'yes' })
}

test('one login at the portal serves the provider and every client, on every pod', async (t) => {
  const at = await signedIn()
  t.same(await left(at, 0), all)
})

test('one login at the provider is a login at the portal and serves every other client, on every pod', async (t) => {
  const { uid, password } = await newUser(admin)
  const [first, second] = [await tellable({ skip_consent: true }), await tellable({ skip_consent: true })]
  const { go, locationOf, session } = visitor(service)
  const page = locationOf(await go('GET', `/oauth/authorize?${new URLSearchParams(asking(first).asked)}`))
  await go('GET', locationOf(await go('POST', page, { uid, password })))
  const token = session() as string
  t.equal((await other.request('GET', '/api/user/me', { token })).body.uid, uid)
  t.match((await onOther.authorize(asking(second).asked, token)).headers.get('location'), /[?&]code=/)
})

const one: Record<string, (at: SignedIn) => Promise<unknown>> = {
  'POST /api/auth/logout': ({ sessions }) => request('POST', '/api/auth/logout', { token: sessions[0] }),
  'the logout page of the portal': ({ sessions }) => {
    const { go, jar } = visitor(service)
    jar.set('latchkey@/', { value: sessions[0], path: '/' })
    return go('POST', '/logout')
  },
  'the logout page of the provider': (at) => atProvider(at),
  'a client (RP-initiated)': (at) => atProvider(at, { id_token_hint: at.held[0].online.id_token }),
  'DELETE /api/auth/session/:id': async ({ sessions }) => {
    type Sessions = { results: { id: string; current: boolean }[] }
    const { body } = await request<Sessions>('GET', '/api/auth/session', { token: sessions[0] })
    const id = body.results.find(({ current }) => current)?.id
    return request('DELETE', `/api/auth/session/${id}`, { token: sessions[1] })
  },
}
for (const [way, end] of Object.entries(one))
  test(`logout by ${way} ends that session and what was given in it but offline_access, and tells its clients`, async (t) => {
    const at = await signedIn()
    await end(at)
    t.same(await left(at, 0), { ...none, offline: true })
    t.same(await left(at, 1), all, 'the other session goes on')
    await told(t, at, 0)
  })

test('logout of all other sessions leaves the own one, and tells the clients of the others', async (t) => {
  const at = await signedIn()
  await request('DELETE', '/api/auth/session', { token: at.sessions[1] })
  t.same(await left(at, 0), { ...none, offline: true })
  t.same(await left(at, 1), all)
  await told(t, at, 0)
})

const everywhere: Record<string, (at: SignedIn) => Promise<{ status: number }>> = {
  'a password that an admin sets': ({ uid }) => {
    const password = 'another password of theirs'
    return request('PUT', `/api/user/${uid}/password`, {
      token: admin,
      body: { password, confirm: password },
    })
  },
  'a lock': ({ uid }) => request('PUT', `/api/user/${uid}/active`, { token: admin, body: { active: false } }),
  'a deletion': ({ uid }) => request('DELETE', `/api/user/${uid}`, { token: admin }),
}
for (const [way, end] of Object.entries(everywhere))
  test(`${way} ends every session, offline_access too, and tells the clients of all`, async (t) => {
    const at = await signedIn()
    t.equal((await end(at)).status, 200)
    for (const n of [0, 1] as const) t.same(await left(at, n), none)
    for (const n of [0, 1] as const) await told(t, at, n, 2)
  })
