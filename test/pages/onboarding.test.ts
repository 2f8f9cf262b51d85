import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'tap'
import { openBrowser, openPage, overflow } from '#test/support/browser.ts'
import { freshAddress } from '#test/support/client.ts'
import { relyingParty } from '#test/support/oauth.ts'
import { startTestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'

await using service = await startTestService()
const { admin, url, request, newUser } = service
const token = await service.login(admin.uid, admin.password)
await request('PUT', '/api/tos', { token, body: { text: '# Rules\n\nBe *kind*.' } })
const { register, asking } = relyingParty(service, token)
const steps = '/login/steps'
const me = async (token: string) => (await request('GET', '/api/user/me', { token })).body
const version = async () =>
  (await request<{ results: { version: number } }>('GET', '/api/tos')).body.results.version

/** Somebody at the sign-in page who has typed who they are. */
async function arrive({ uid, password }: { uid: string; password: string }, return_to?: string) {
  const visiting = visitor(service, freshAddress())
  const fields = { uid, password, ...(return_to ? { return_to } : {}) }
  const answer = await visiting.go('POST', '/login', fields)
  const take = (fields: Record<string, string>, more: Record<string, string> = {}) =>
    visiting.go('POST', steps, { ...fields, ...(return_to ? { return_to } : {}), ...more })
  return { ...visiting, at: visiting.locationOf(answer), take }
}

await test('whoever signs in by typing on a page meets the open steps one by one before going on', async (t) => {
  const user = await newUser(token)
  const { go, at, take, locationOf, session } = await arrive(user, '/terms')
  t.equal(at, `${steps}?return_to=%2Fterms`)
  const terms = await go('GET', at)
  t.match(terms.text, /3 steps before you go on/)
  t.match(terms.text, '<em>kind</em>')
  t.match(terms.text, /name="return_to" value="\/terms"/)
  const accepted = await take({ step: 'tos', version: String(await version()) })
  t.equal(accepted.status, 303)
  const birth = await go('GET', locationOf(accepted))
  t.match(birth.text, /type="date"/)
  const born = await take({ step: 'dob', dateOfBirth: '1990-02-28' })
  const change = await go('GET', locationOf(born))
  t.match(change.text, /One step before you go on/)
  t.match(change.text, /autocomplete="current-password"/, 'the pages always ask for the current password')
  const password = 'a password of my own'
  const done = await take({ step: 'password', current: user.password, password, confirm: password })
  const onward = await go('GET', locationOf(done))
  t.equal(onward.status, 303)
  t.equal(locationOf(onward), '/terms', 'one goes on where one was')
  t.match(await me(String(session())), {
    onboardingRequired: 'no',
    onboardingNeeds: [],
    dateOfBirth: '1990-02-28',
    password_must_change: false,
  })
  t.type(await service.login(user.uid, password), 'string')
  t.equal(
    (await request('GET', '/api/user/me', { token: user.token })).status,
    401,
    'other sessions have ended',
  )
  const again = await arrive({ uid: user.uid, password }, '/terms')
  t.equal(again.at, '/terms', 'nothing is asked twice')
})

await test('a session that exists already is never stopped by open steps', async (t) => {
  const user = await newUser(token)
  const visiting = await arrive(user)
  t.equal(visiting.at, steps)
  t.equal((await visiting.go('GET', '/')).status, 200)
  t.equal(visiting.locationOf(await visiting.go('GET', '/login?return_to=/terms')), '/terms')
  t.equal((await request('GET', '/api/group/', { token: user.token })).status, 200)
  const { asked } = asking(await register())
  const authorized = await request('GET', `/oauth/authorize?${new URLSearchParams(asked)}`, {
    token: user.token,
    headers: { accept: 'text/html' },
  })
  t.match(authorized.text, 'Allow access to your account?')
})

await test('a step that is not answered rightly is asked again and changes nothing', async (t) => {
  const user = await newUser(token)
  const { go, take, locationOf } = await arrive(user)
  const wrong = async (status: number, said: RegExp, fields: Record<string, string>) => {
    const answer = await take(fields)
    t.equal(answer.status, status, JSON.stringify(fields))
    t.match(/role="alert"[^>]*>([^<]*)/.exec(answer.text)?.[1], said)
  }
  await wrong(409, /changed meanwhile/, { step: 'tos', version: '99' })
  await wrong(400, /Read the terms/, { step: 'tos', version: '' })
  await take({ step: 'tos', version: String(await version()) })
  for (const dateOfBirth of ['', '1990-02-30', '2999-01-01', 'yesterday'])
    await wrong(400, /./, { step: 'dob', dateOfBirth })
  await take({ step: 'dob', dateOfBirth: '1990-02-28' })
  const good = 'long enough to be good'
  await wrong(400, /8 to 128/, {
    step: 'password',
    current: user.password,
    password: 'short',
    confirm: 'short',
  })
  await wrong(400, /8 to 128/, { step: 'password', password: good, confirm: good })
  await wrong(400, /not the same/, {
    step: 'password',
    current: user.password,
    password: good,
    confirm: `${good}!`,
  })
  await wrong(401, /current password is not correct/, {
    step: 'password',
    current: 'wrong',
    password: good,
    confirm: good,
  })
  t.equal((await take({ step: 'other' })).status, 400)
  t.strictSame((await me(user.token)).onboardingNeeds, ['password'])
  t.match((await go('GET', steps)).text, 'Choose a new password')
  t.equal(
    locationOf(await visitor(service).go('GET', `${steps}?return_to=/terms`)),
    '/login?return_to=%2Fterms',
  )
})

await test('steps are refused to posts from another origin', async (t) => {
  const user = await newUser(token)
  const { go } = await arrive(user)
  const foreign = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
  const refused = await go('POST', steps, { step: 'dob', dateOfBirth: '1990-02-28' }, foreign)
  t.equal(refused.status, 401)
  t.equal((await me(user.token)).dateOfBirth, undefined)
})

await test('whoever impersonates somebody takes no steps in their name', async (t) => {
  const user = await newUser(token)
  const { body } = await request('POST', `/api/auth/impersonate/${user.uid}`, { token })
  const acting = await arrive({ uid: user.uid, password: String(body.temp_password) }, '/terms')
  t.equal(acting.locationOf(await acting.go('GET', acting.at)), '/terms')
  await acting.take({ step: 'tos', version: String(await version()) })
  t.match((await me(user.token)).onboardingNeeds, ['tos', 'dob', 'password'])
  const accepted = await request('POST', '/api/user/accept-tos', { token: String(acting.session()) })
  t.match(accepted, { status: 401, body: { name: 'InsufficientPermission' } })
})

/** The application: another origin that people come from and go back to. */
await using application = createServer((_incoming, outgoing) => {
  outgoing.setHeader('content-type', 'text/html')
  outgoing.end('<link rel="icon" href="data:,"><h1>The application</h1>')
}).listen(0, '127.0.0.1')
await once(application, 'listening')
const redirect_uri = `http://127.0.0.1:${(application.address() as AddressInfo).port}/cb`
await using browser = await openBrowser()

await test('the steps stand in the authorization flow too, and the last leads back to the application, in Chromium without JavaScript', async (t) => {
  const user = await newUser(token)
  const client = {
    ...(await register({ redirect_uris: [redirect_uri], skip_consent: true, name: 'Team Wiki' })),
    redirect_uri,
  }
  const { page, context, faults } = await openPage(browser, url, {
    javaScriptEnabled: false,
    extraHTTPHeaders: { 'x-forwarded-for': freshAddress() },
    viewport: { width: 360, height: 700 },
  })
  await page.goto(`/oauth/authorize?${new URLSearchParams(asking(client).asked)}`)
  await page.getByLabel('Username or email').fill(user.uid)
  await page.getByLabel('Password').fill(user.password)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await t.resolves(page.getByText('Team Wiki').waitFor())
  await page.getByRole('button', { name: 'Accept the terms' }).waitFor()
  t.ok((await overflow(page)) <= 0)
  await page.getByRole('button', { name: 'Accept the terms' }).click()
  // By keyboard: the field has the focus.
  await page.locator('input[type=date]').fill('1990-02-28')
  await page.keyboard.press('Enter')
  await page.getByLabel('Current password').fill(user.password)
  await t.resolves(page.getByText('Team Wiki').waitFor())
  await page.getByLabel('New password', { exact: true }).fill('a password of my own')
  await page.getByLabel('New password again').fill('a password of my own')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${redirect_uri}?**`)
  t.match(new URL(page.url()).searchParams.get('code'), /^[0-9a-f-]{36}$/)
  t.strictSame(
    faults.filter((fault) => !fault.startsWith(redirect_uri)),
    [],
  )
  await context.close()
})

await test('cancelling a step goes back to the application without a code', async (t) => {
  const user = await newUser(token)
  const client = await register()
  const { go, locationOf } = visitor(service, freshAddress())
  const login = locationOf(await go('GET', `/oauth/authorize?${new URLSearchParams(asking(client).asked)}`))
  const at = locationOf(await go('POST', login, { uid: user.uid, password: user.password }))
  t.match(at, /\/login\/steps$/)
  const cancel = /action="([^"]+\/cancel)"/.exec((await go('GET', at)).text)?.[1] as string
  const back = await go('GET', locationOf(await go('POST', cancel)))
  t.match(locationOf(back), /^https:\/\/app\.example\/cb\?error=access_denied/)
})
