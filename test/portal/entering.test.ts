import type { Page, Response } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, openPage, typeAtCursor } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { until } from '#test/support/until.ts'

const { url, token, newUser, messages } = await sharedDemo()
await using browser = await openBrowser()
const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()

await test('somebody signs in and out by keyboard alone', async (t) => {
  const person = await newUser(token)
  const { page, context, faults } = await openPage(browser, url, { reducedMotion: 'reduce' })
  await page.goto('/')
  await typeAtCursor(page, person.uid)
  await tabTo(page, 'Password')
  await page.keyboard.type(person.password)
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/`)
  await heading(page, 'My apps')
  await tabTo(page, /^Account:/)
  await page.keyboard.press('Enter')
  const signOut = page.getByRole('menuitem', { name: 'Sign out' })
  await signOut.waitFor()
  await page.locator('[role^=menuitem]:focus').waitFor()
  await page.keyboard.press('ArrowUp')
  await signOut.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`${url}/login/signed-out`)
  await page.goto('/')
  t.match(page.url(), '/login')
  t.strictSame(faults, [])
  await context.close()
})

await test('theme and language are chosen in the account menu by keyboard alone, and kept, the language in every browser', async (t) => {
  const person = await newUser(token)
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/')
  await heading(page, 'My apps')
  await page.getByRole('button', { name: /^Account:/ }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitemradio', { name: 'Dark' }).waitFor()
  t.strictSame(await axeFinds(page), [])
  await page.getByRole('menuitemradio', { name: 'Dark' }).focus()
  await page.keyboard.press('Enter')
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  for (let down = 0; down < 3; down++) await page.keyboard.press('ArrowDown') // the system, English, German
  const isKept = (answer: Response) => answer.request().method() === 'PUT'
  await Promise.all([page.waitForResponse(isKept), page.keyboard.press('Enter')])
  await heading(page, 'Meine Apps')
  await page.reload()
  await heading(page, 'Meine Apps')
  t.equal(await page.locator('html').getAttribute('lang'), 'de')
  t.equal(await page.locator('html').getAttribute('data-mantine-color-scheme'), 'dark')
  t.strictSame(faults, [])
  await context.close()
  const other = await openPortal(browser, url, person.token)
  await other.page.goto('/account')
  await heading(other.page, 'Mein Konto')
  await other.context.close()
})

await test('a phone number is changed and verified by the code of an SMS, by keyboard alone', async (t) => {
  const person = await newUser(token)
  const { page, context, faults } = await openPortal(browser, url, person.token)
  await page.goto('/account')
  await page.getByLabel('Phone number').waitFor()
  await tabTo(page, 'Phone number')
  await page.keyboard.type('+15550170')
  await page.keyboard.press('Enter')
  await page.getByText('Your phone number was changed.').waitFor()
  await tabTo(page, 'Verify the phone number')
  await page.keyboard.press('Enter')
  const dialog = page.getByRole('dialog', { name: 'Verify your phone number' })
  await dialog.getByText('A code of six digits is on its way to +15550170').waitFor()
  await dialog.locator('input:focus').waitFor()
  t.strictSame(await axeFinds(page), [])
  const code = await until('the SMS has come', async () =>
    (await messages.smsTo('+15550170')).map(({ body }) => /\b\d{6}\b/.exec(body)?.[0]).find(Boolean),
  )
  await page.keyboard.type(code)
  await page.keyboard.press('Enter')
  await page.getByText('+15550170 is verified.').waitFor()
  await dialog.waitFor({ state: 'detached' })
  t.strictSame(faults, [])
  await context.close()
})
