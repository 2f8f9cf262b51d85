import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { chromium } from 'playwright-core'
import { findBrowser } from './programs.ts'

/** Between two files of a process, while the next one starts its service. */
const lingerMilliseconds = 2500
let shared: Promise<Browser> | undefined
let users = 0
let ending: NodeJS.Timeout | undefined

/** A real Chromium that speaks to nobody but the pages a test opens. The files of a process share it, one after another. */
export async function openBrowser(): Promise<Browser> {
  users++
  clearTimeout(ending)
  shared ??= launch()
  const browser = await shared
  return new Proxy(browser, {
    get(target, name) {
      if (name === Symbol.asyncDispose) return leave
      const found = Reflect.get(target, name, target)
      return typeof found === 'function' ? found.bind(target) : found
    },
  })
}

async function leave(): Promise<void> {
  if (--users > 0) return
  ending = setTimeout(async () => {
    const left = await shared
    if (users > 0) return
    shared = undefined
    await left?.close()
  }, lingerMilliseconds)
}

async function launch(): Promise<Browser> {
  const { path, env } = await findBrowser()
  return chromium.launch({
    executablePath: path,
    env: { ...(process.env as Record<string, string>), ...env },
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--in-process-gpu',
      '--js-flags=--no-opt --no-maglev',
    ],
  })
}

/** A fresh profile with one page that keeps what went wrong on it: console errors, policy violations, foreign loads. */
export async function openPage(browser: Browser, origin: string, options: BrowserContextOptions = {}) {
  const context = await browser.newContext({ baseURL: origin, ...options })
  context.setDefaultTimeout(60_000) // a busy machine is no fault
  const page = await context.newPage()
  const faults: string[] = []
  page.on('console', (message) => {
    // The browser reports every answer of 4xx and 5xx so; tests ask for those.
    if (message.type() === 'error' && !/the server responded with a status of/.test(message.text()))
      faults.push(message.text())
  })
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(origin) && !request.url().startsWith('data:')) faults.push(request.url())
  })
  return { page, context, faults }
}

/** Pixels by which a page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}

/** Types where the page has put the cursor: what is typed before a new page has done so gets lost. */
export async function typeAtCursor(page: Page, text: string): Promise<void> {
  await page.locator('input:focus').waitFor()
  await page.keyboard.type(text)
}
