import tap, { test } from 'tap'
import { payloadOf, relyingParty } from '#test/support/oauth.ts'
import { keysIn } from '#test/support/redis.ts'
import { startTestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'

const service = await startTestService({ app_onboarding__needs: '' })
const { request, login, newUser } = service
const admin = await login(service.admin.uid, service.admin.password)
const { register, asking, redeem } = relyingParty(service, admin)
tap.teardown(() => service[Symbol.asyncDispose]())

/** Somebody who has typed their password at an application, and has not gone on yet. */
async function typed(changes: Record<string, unknown> = {}, more: Record<string, string> = {}) {
  const person = await newUser(admin)
  const { uid, password } = person
  const client = await register({ skip_consent: true, ...changes })
  const browser = visitor(service)
  const { asked, code_verifier } = asking(client, more)
  const page = browser.locationOf(await browser.go('GET', `/oauth/authorize?${new URLSearchParams(asked)}`))
  const answer = await browser.go('POST', page, { uid, password })
  return { person, client, browser, code_verifier, answered: Date.now(), onward: browser.locationOf(answer) }
}

const me = (token: string | undefined) => request('GET', '/api/user/me', { token: String(token) })

test('what was typed at an application signs nobody in once every session of the account has ended', async (t) => {
  const endings: Record<
    string,
    (person: { uid: string; password: string; token: string }) => Promise<unknown>
  > = {
    'a password change': ({ uid, password, token }) =>
      request('PUT', `/api/user/${uid}/password`, {
        token,
        body: { current: password, password: 'another password', confirm: 'another password' },
      }),
    'the end of all sessions': ({ uid }) => service.deps.sessions.endAll(uid),
  }
  for (const [name, end] of Object.entries(endings)) {
    const { person, browser, onward } = await typed()
    const { uid } = person
    t.equal((await me(browser.session())).status, 200)
    await end(person)
    const kept = (await service.deps.sessions.list(uid)).map(({ id }) => id)
    t.equal((await me(browser.session())).status, 401, name)
    const resumed = await browser.go('GET', onward)
    t.notMatch(resumed.headers.get('location'), /code=/, name)
    t.equal((await me(browser.session())).status, 401, name)
    t.same(
      (await service.deps.sessions.list(uid)).map(({ id }) => id),
      kept,
      `no session after ${name}`,
    )
  }
})

test('a sign-in goes on in the session it made, never in another that the browser shows by then', async (t) => {
  const { token: other, uid: stranger } = await newUser(admin)
  for (const shown of [other, 'x'.repeat(43), undefined]) {
    const { browser, onward, person } = await typed()
    const own = browser.session()
    if (shown === undefined) browser.jar.delete('latchkey@/')
    else browser.jar.set('latchkey@/', { value: shown, path: '/' })
    const refused = await browser.go('GET', onward)
    t.equal(refused.status, 400)
    t.equal(refused.headers.get('location'), null)
    t.match(refused.text, 'go back to the application and try again')
    t.match((await me(other)).body, { uid: stranger })
    t.match((await me(own)).body, { uid: person.uid })
    t.equal(
      (await service.deps.sessions.list(person.uid)).length,
      2,
      'no session beside those made by signing in',
    )
  }
})

test('the way on from a sign-in is good for once, whatever cookies are kept', async (t) => {
  const { browser, onward } = await typed()
  const kept = [...browser.jar]
  t.match((await browser.go('GET', onward)).headers.get('location'), /code=/)
  for (const [name, cookie] of kept) browser.jar.set(name, cookie)
  const again = await browser.go('GET', onward)
  t.equal(again.status, 400)
  t.equal(again.headers.get('location'), null)
  t.match(again.text, 'go back to the application and try again')
})

test('auth_time is when somebody signed in, however long they then look at the consent page', async (t) => {
  const { client, browser, code_verifier, answered, onward } = await typed(
    { skip_consent: false },
    { max_age: '1000' },
  )
  const page = await browser.go('GET', browser.locationOf(await browser.go('GET', onward)))
  const action = /action="(\/oauth\/interaction\/[^"]+\/consent)"/.exec(page.text)?.[1] as string
  await new Promise((resolve) => setTimeout(resolve, 1100))
  const allowed = await browser.go('POST', action, { decision: 'allow' })
  const done = new URL(browser.locationOf(await browser.go('GET', browser.locationOf(allowed))))
  const { body } = await redeem(client, {
    ...{ code: done.searchParams.get('code'), code_verifier, redirect_uri: client.redirect_uri },
  })
  t.ok(Number(payloadOf(body.id_token).auth_time) * 1000 <= answered)
})

test('what lies in Redis between a request and its code holds no session token', async (t) => {
  const { token } = await newUser(admin)
  const client = await register()
  const { go, jar } = visitor(service)
  jar.set('latchkey@/', { value: token, path: '/' })
  t.equal((await go('GET', `/oauth/authorize?${new URLSearchParams(asking(client).asked)}`)).status, 200)
  const { browser } = await typed()
  const { redis } = service.deps.store
  const keys = await keysIn(redis, '*:interaction:*')
  t.ok(keys.length >= 2)
  for (const key of keys) {
    const record = `${key} ${await redis.get(key)}`
    for (const secret of [token, String(browser.session())]) t.notMatch(record, secret)
  }
})
