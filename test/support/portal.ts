import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { openPage } from './browser.ts'
import { freshAddress } from './client.ts'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

type Opened = Awaited<ReturnType<typeof openPage>>
const viewport = { width: 1280, height: 800 }

/**
 * A browser in which somebody is signed in, by the token of a session. Without motion, so that colours change at once
 * and dialogs are there when they are asked for. Without `options` it may be the one that a test has closed before.
 */
export async function openPortal(
  browser: Browser,
  url: string,
  token: string,
  options?: BrowserContextOptions,
): Promise<Opened> {
  const headers = { 'x-forwarded-for': freshAddress() }
  const kept = options ? undefined : await takeIdle(url)
  if (kept) await kept.context.setExtraHTTPHeaders(headers)
  const opened =
    kept ??
    (await openPage(browser, url, {
      ...{ reducedMotion: 'reduce', locale: 'en-GB', viewport, extraHTTPHeaders: headers },
      ...options,
    }))
  if (!kept && !options) keepWhenClosed(url, opened)
  await opened.context.addCookies([{ name: 'latchkey', value: token, url, httpOnly: true, sameSite: 'Lax' }])
  return opened
}

/** A page that nobody uses just now: the next test need not load and compile the portal again. */
let idle: { url: string; opened: Opened; end(): Promise<void> } | undefined

async function takeIdle(url: string): Promise<Opened | undefined> {
  const found = idle
  idle = undefined
  if (!found?.opened.context.browser()?.isConnected()) return undefined
  if (found.url !== url) return void (await found.end())
  found.opened.faults.length = 0
  return found.opened
}

function keepWhenClosed(url: string, opened: Opened): void {
  const { page, context } = opened
  const end = context.close.bind(context)
  const listen = page.on.bind(page) as (event: string, listener: () => void) => Page
  const heard: [string, () => void][] = []
  page.on = ((...listener: [string, () => void]) => {
    heard.push(listener)
    return listen(...listener)
  }) as typeof page.on
  context.close = async () => {
    for (const listener of heard.splice(0)) page.removeListener(...(listener as ['close', () => void]))
    if (idle || !(await isEmptied(url, opened))) return end()
    idle = { url, opened, end }
  }
}

/** True when nothing is left of what a test did with it; false where that could not be had in time. */
async function isEmptied(url: string, { page, context }: Opened): Promise<boolean> {
  if (!page.url().startsWith(url)) return false
  try {
    for (const other of context.pages()) if (other !== page) await other.close()
    await Promise.all([page.unrouteAll(), context.unrouteAll(), context.clearPermissions()])
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    await page.goto('about:blank', { timeout: 2000 })
    await context.clearCookies()
    await page.setViewportSize(viewport)
    await page.emulateMedia({ colorScheme: null, reducedMotion: 'reduce' })
    return true
  } catch {
    return false
  }
}

type Violations = { violations: { id: string; nodes: { html: string }[] }[] }

type Scheme = 'light' | 'dark'
let looked = 0

/**
 * What axe finds on what is shown, the first time in light, the next in dark, and so on: `demo-*.test.ts` look at every screen in
 * both. The colours are the same few everywhere.
 */
export function axeFinds(page: Page): Promise<string[]> {
  return violations(page, looked++ % 2 === 0 ? 'light' : 'dark')
}

/** The same in light and in dark. */
export async function axeFindsInBoth(page: Page): Promise<string[]> {
  // Only the colours differ.
  return [
    ...(await violations(page, 'light')),
    ...(await violations(page, 'dark', { runOnly: ['color-contrast'] })),
  ]
}

async function violations(page: Page, scheme: Scheme, options: object = {}): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe)
  await page.emulateMedia({ colorScheme: scheme })
  await page.locator(`html[data-mantine-color-scheme=${scheme}]`).waitFor()
  const asked = JSON.stringify({ resultTypes: ['violations'], preload: false, ...options })
  const { violations } = (await page.evaluate(`axe.run(${asked})`)) as Violations
  const place = `${new URL(page.url()).pathname}, ${scheme}`
  return violations.map(({ id, nodes }) => `${place}, ${id}: ${nodes.map(({ html }) => html).join(' ')}`)
}

/** Presses Tab until what has this name is focused, as somebody without a pointer does; throws where that never happens. */
export async function tabTo(page: Page, name: string | RegExp, key = 'Tab'): Promise<void> {
  // A dialog that opens takes the focus twice, the second time after it was drawn.
  await page.evaluate(drawn)
  const heard: string[] = []
  for (let stop = 0; stop < 80; stop++) {
    await page.keyboard.press(key)
    const said = (await page.evaluate(focusedName)) as string
    if (typeof name === 'string' ? said === name : name.test(said)) return
    heard.push(said)
  }
  throw new Error(`the keyboard never reaches ${name}, but ${heard.join(', ')}`)
}

const drawn = `new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))))`

/** Presses what copies, and waits until it says so: it does for two seconds only. */
export async function copy(page: Page, press: () => Promise<void>): Promise<void> {
  await Promise.all([page.evaluate(saysCopied), press()])
}

const saysCopied = `new Promise((done) => {
  const look = () => (document.querySelector('[aria-label=Copied]') ? done() : requestAnimationFrame(look))
  look()
})`

/** Near enough to what a screen reader says: label, its element, or the text. */
const focusedName = `((element) => (element.getAttribute('aria-label')
  ?? element.labels?.[0]?.textContent
  ?? element.textContent ?? '').trim())(document.activeElement)`
