import { test } from 'tap'
import { openBrowser, openPage, typeAtCursor } from '#test/support/browser.ts'
import { freshAddress } from '#test/support/client.ts'
import { startMessages } from '#test/support/messages.ts'
import { startTestService } from '#test/support/service.ts'
import { visitor } from '#test/support/visitor.ts'

await using messages = await startMessages()
await using service = await startTestService(messages.settings)
const { admin, url, newUser, login, request } = service
const token = await login(admin.uid, admin.password)
const arrive = () => visitor(service, freshAddress())
const alert = (text: string) => /role="alert"[^>]*>([^<]*)/.exec(text)?.[1]
const password = 'a new password of mine'

/** The path of the link in the newest mail to somebody, asked for on the page. */
async function linkFor(mail: string, nth = 1): Promise<string> {
  await arrive().go('POST', '/login/resetpassword', { mail })
  const { text } = await messages.mailTo(mail, nth)
  return new URL(/https?:\S+\/login\/resetpassword\/\S+/.exec(text)?.[0] as string).pathname
}

await test('a forgotten password is reset through a mailed link, in Chromium without JavaScript', async (t) => {
  const user = await newUser(token)
  await using browser = await openBrowser()
  const { page, context, faults } = await openPage(browser, url, {
    javaScriptEnabled: false,
    extraHTTPHeaders: { 'x-forwarded-for': freshAddress() },
    viewport: { width: 360, height: 700 },
  })
  await page.goto('/login')
  await page.getByText('Forgot your password?').click()
  await page.waitForURL('**/login/resetpassword')
  await typeAtCursor(page, user.mail)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor()
  const { text } = await messages.mailTo(user.mail)
  const link = /https?:\S+\/login\/resetpassword\/\S+/.exec(text)?.[0] as string
  t.ok(link.startsWith(`${url}/`))
  const referrers: (string | undefined)[] = []
  page.on('request', (sent) => referrers.push(sent.headers().referer))
  await page.goto(link)
  await typeAtCursor(page, password)
  await page.keyboard.press('Tab')
  await typeAtCursor(page, password)
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Your password was changed' }).waitFor()
  t.strictSame(referrers.filter(Boolean), [], 'the address of the page is told to nobody')
  t.strictSame(faults, [], 'nothing is loaded from elsewhere')
  t.type(await login(user.uid, password), 'string')
  await page.goto(link)
  await t.resolves(page.getByText('TokenInvalid').waitFor(), 'a link works once')
  await page.getByText('Ask for a new link').click()
  await page.getByRole('heading', { name: 'Forgot your password?' }).waitFor()
  await context.close()
})

await test('known and unknown addresses get the same page', async (t) => {
  const user = await newUser(token)
  const pages = await Promise.all(
    [user.mail, 'nobody@example.org'].map(async (mail) => {
      const { status, text } = await arrive().go('POST', '/login/resetpassword', { mail })
      return `${status} ${text.replaceAll(mail, 'MAIL')}`
    }),
  )
  t.equal(pages[0], pages[1])
})

await test('token pages send Referrer-Policy: no-referrer, refusals and failures included', async (t) => {
  const user = await newUser(token)
  const link = await linkFor(user.mail)
  const { go } = arrive()
  const answers = [
    await go('GET', link),
    await go('POST', link, { password: 'short', confirm: 'short' }),
    await go('POST', link, { password, confirm: 'another' }),
    await go('GET', '/login/resetpassword/unknown'),
    await go('POST', '/login/resetpassword/unknown', { password, confirm: password }),
    await go('POST', link, { password, confirm: password }, { origin: 'https://evil.example' }),
    await go('POST', link, { password, confirm: password }),
  ]
  t.strictSame(
    answers.map(({ status }) => status),
    [200, 400, 400, 401, 401, 401, 200],
  )
  for (const { headers, text } of answers) {
    t.equal(headers.get('referrer-policy'), 'no-referrer')
    t.notMatch(text, /(?:src|href)="(?:https?:)?\/\//)
  }
  t.match(alert(answers[1]?.text ?? ''), '8 to 128')
  t.equal(alert(answers[2]?.text ?? ''), 'The two new passwords are not the same.')
  t.match(answers[4]?.text, 'Ask for a new link')
})

await test('a post from a page without referrer (Origin null, same origin) is ours', async (t) => {
  const user = await newUser(token)
  const link = await linkFor(user.mail)
  const done = await arrive().go('POST', link, { password, confirm: password }, { origin: 'null' })
  t.equal(done.status, 200)
  t.type(await login(user.uid, password), 'string')
})

await test('the form is limited together with POST /api/auth/resetpassword: 5 requests per hour', async (t) => {
  const address = freshAddress()
  for (let n = 0; n < 4; n++)
    await request('POST', '/api/auth/resetpassword', { address, body: { mail: 'x@example.org' } })
  const { go } = visitor(service, address)
  t.equal((await go('POST', '/login/resetpassword', { mail: '' })).status, 400)
  t.equal((await go('POST', '/login/resetpassword', { mail: 'x@example.org' })).status, 200)
  const over = await go('POST', '/login/resetpassword', { mail: 'x@example.org' })
  t.equal(over.status, 429)
  t.match(over.text, 'value="x@example.org"')
})
