import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openPage } from './browser.ts'
import { freshAddress } from './service.ts'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/**
 * A browser in which somebody is signed in, by the token of a session. Without motion, so that colours change at once
 * and dialogs are there when they are asked for.
 */
export async function openPortal(
  browser: Browser,
  url: string,
  token: string,
  options: BrowserContextOptions = {},
) {
  const opened = await openPage(browser, url, {
    reducedMotion: 'reduce',
    locale: 'en-GB',
    viewport: { width: 1280, height: 800 },
    extraHTTPHeaders: { 'x-forwarded-for': freshAddress() },
    ...options,
  })
  await opened.context.addCookies([{ name: 'latchkey', value: token, url, httpOnly: true, sameSite: 'Lax' }])
  return opened
}

type Violations = { violations: { id: string; nodes: { html: string }[] }[] }

/** What axe finds on a screen as it stands, in light and in dark. */
export async function axeFinds(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  const found: string[] = []
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme })
    await page.locator(`html[data-mantine-color-scheme=${colorScheme}]`).waitFor()
    // Only the colours differ in the dark.
    const options = {
      resultTypes: ['violations'],
      ...(colorScheme === 'dark' ? { runOnly: ['color-contrast'] } : {}),
    }
    const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as Violations
    for (const { id, nodes } of violations)
      found.push(
        `${new URL(page.url()).pathname}, ${colorScheme}, ${id}: ${nodes.map(({ html }) => html).join(' ')}`,
      )
  }
  await page.emulateMedia({ colorScheme: 'light' })
  return found
}

/** Presses Tab until what has this name is focused, as somebody without a pointer does; throws where that never happens. */
export async function tabTo(page: Page, name: string | RegExp, key = 'Tab'): Promise<void> {
  const heard: string[] = []
  for (let stop = 0; stop < 80; stop++) {
    await page.keyboard.press(key)
    const said = (await page.evaluate(focusedName)) as string
    if (typeof name === 'string' ? said === name : name.test(said)) return
    heard.push(said)
  }
  throw new Error(`the keyboard never reaches ${name}, but ${heard.join(', ')}`)
}

/** Near enough to what a screen reader says: label, its element, or the text. */
const focusedName = `((element) => (element.getAttribute('aria-label')
  ?? element.labels?.[0]?.textContent
  ?? element.textContent ?? '').trim())(document.activeElement)`
