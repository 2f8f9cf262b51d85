import { test } from 'tap'
import { openBrowser, openPage, overflow, typeAtCursor } from '#test/support/browser.ts'
import { freshAddress } from '#test/support/client.ts'
import { startMessages } from '#test/support/messages.ts'
import { startTestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'

await using messages = await startMessages()
await using service = await startTestService(messages.settings)
const { admin, url, login, newUser, request } = service
const token = await login(admin.uid, admin.password)
const arrive = () => visitor(service, freshAddress())
const alert = (text: string) => /role="alert"[^>]*>([^<]*)/.exec(text)?.[1]
const linkIn = (text: string) => /https?:\S+\/login\/invite\/[\w-]+\/[\w-]+/.exec(text)?.[0] as string
const me = async (token: string | undefined) =>
  (await request('GET', '/api/user/me', { token: String(token) })).body

async function invite(body: object = {}): Promise<string> {
  const made = await request<{ link: string }>('POST', '/api/user/invite', { token, body })
  return new URL(made.body.link).pathname
}

/** The path of the form that an invite for an address leads to. */
async function formFor(mail: string): Promise<string> {
  await invite({ mail })
  return new URL(linkIn((await messages.mailTo(mail)).text)).pathname
}

const password = 'a password of my own'
const filled = (uid: string, more: Record<string, string> = {}) => ({
  ...{ uid, givenName: 'Grace', sn: 'Hopper', password, confirm: password },
  ...more,
})

await test('an invite leads from its link to an account, in Chromium without JavaScript and by keyboard', async (t) => {
  await using browser = await openBrowser()
  const { page, context, faults } = await openPage(browser, url, {
    javaScriptEnabled: false,
    extraHTTPHeaders: { 'x-forwarded-for': freshAddress() },
    viewport: { width: 360, height: 700 },
  })
  const referrers: (string | undefined)[] = []
  page.on('request', (sent) => referrers.push(sent.headers().referer))
  await page.goto(await invite({ groups: ['app_sso_invite'] }))
  await typeAtCursor(page, 'grace@example.org')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
  const link = linkIn((await messages.mailTo('grace@example.org')).text)
  t.ok(link.startsWith(`${url}/`))
  await page.goto(link)
  await t.resolves(page.getByText('grace@example.org').waitFor())
  t.ok((await overflow(page)) <= 0)
  for (const typed of ['Grace', 'Hopper', 'grace', password, password]) {
    await typeAtCursor(page, typed)
    await page.keyboard.press('Tab')
  }
  await page.keyboard.press('Enter')
  // Whoever accepts an invite has typed who they are, so the open steps follow.
  await page.getByLabel('Date of birth').fill('1906-12-09')
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/`)
  t.strictSame(
    referrers.filter((referrer) => referrer?.includes('/login/invite/')),
    [],
  )
  t.strictSame(faults, [])
  const [cookie] = await context.cookies()
  t.match(await me(cookie?.value), {
    uid: 'grace',
    mail: 'grace@example.org',
    groups: ['app_sso_invite'],
    onboardingNeeds: [],
  })
  await context.close()
})

await test('an invite that has an address is for that address only', async (t) => {
  const link = await invite({ mail: 'ada@example.org' })
  const { go } = arrive()
  const asked = await go('GET', link)
  t.match(asked.text, 'the email address that this invite is for')
  t.notMatch(asked.text, 'ada@example.org', 'which one is not told')
  for (const mail of ['eve@example.org', 'no address', '']) {
    const refused = await go('POST', link, { mail })
    t.equal(refused.status, 400)
    t.match(alert(refused.text), 'the one that this invite is for')
  }
  t.equal((await go('POST', link, { mail: 'Ada@Example.org' })).status, 200)
})

await test('a taken username is answered with some that are free, and what was typed is kept', async (t) => {
  const link = await formFor('taken@example.org')
  const { go, session } = arrive()
  const refused = await go('POST', link, filled(admin.uid))
  t.equal(refused.status, 409)
  t.equal(alert(refused.text), 'This username is taken.')
  t.match(refused.text, /Free: ghopper, gracehopper/)
  t.match(refused.text, 'value="Grace"')
  t.notMatch(refused.text, password)
  t.equal(session(), undefined)
  const made = await go('POST', link, filled('ghopper'))
  t.equal(made.status, 303)
  t.match(await me(session()), { uid: 'ghopper', mail: 'taken@example.org' })
})

await test('what is not typed rightly is asked again in the words of the form', async (t) => {
  const link = await formFor('again@example.org')
  const { go } = arrive()
  for (const [fields, said] of [
    [filled('x1', { password: 'short', confirm: 'short' }), '8 to 128 characters'],
    [filled('x1', { confirm: 'another' }), 'not the same'],
    [filled('X!'), 'The username must'],
    [filled('x1', { givenName: '' }), 'Enter your first name.'],
    [filled('x1', { sn: '   ' }), 'The last name is empty'],
    [{}, /Choose|Enter/],
  ] as [Record<string, string>, string | RegExp][]) {
    const refused = await go('POST', link, fields)
    t.equal(refused.status, 400, JSON.stringify(fields))
    t.match(alert(refused.text), said)
  }
  t.equal((await go('POST', link, filled('x1'))).status, 303, 'the invite is still good')
})

await test('a used, made-up or foreign link opens nothing, and says so without referrer', async (t) => {
  const link = await formFor('once@example.org')
  const other = await invite()
  const { go } = arrive()
  const foreign = await go('POST', link, filled('once'), { origin: 'https://evil.example' })
  t.equal(foreign.status, 401)
  t.match(foreign.text, 'InsufficientPermission')
  await go('POST', link, filled('once'))
  for (const [path, method] of [
    [link, 'GET'],
    [link.slice(0, link.lastIndexOf('/')), 'GET'],
    [`${other}${link.slice(link.lastIndexOf('/'))}`, 'GET'],
    ['/login/invite/made-up', 'GET'],
    ['/login/invite/made-up/made-up', 'GET'],
    [link, 'POST'],
  ] as const) {
    const answer = await go(method, path, method === 'POST' ? filled('twice') : undefined)
    t.equal(answer.status, 401, path)
    t.match(answer.text, 'TokenInvalid')
    t.equal(answer.headers.get('referrer-policy'), 'no-referrer')
  }
  t.equal((await request('GET', '/api/user/twice', { token })).status, 404)
})

await test('accepting an invite signs out whoever was signed in', async (t) => {
  const user = await newUser(token)
  const { go, session } = arrive()
  await go('POST', '/login', { uid: user.uid, password: user.password })
  const before = session()
  await go('POST', await formFor('next@example.org'), filled('next'))
  t.match(await me(session()), { uid: 'next' })
  t.match(await me(before), { name: 'Unauthorized' })
})

await test('the forms are limited together with POST /api/auth/invite/*: 20 requests per hour', async (t) => {
  const address = freshAddress()
  const link = await invite()
  for (let n = 0; n < 20; n++)
    await request('POST', '/api/auth/invite/made-up', { address, body: { mail: 'x@example.org' } })
  const over = await visitor(service, address).go('POST', link, { mail: 'x@example.org' })
  t.equal(over.status, 429)
  t.match(alert(over.text), 'Too many requests')
})
