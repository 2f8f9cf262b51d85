import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import type { Test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFindsInBoth, openPortal } from '#test/support/portal.ts'

/**
 * A folder: every screen is kept there as pictures, light and dark, on a desktop and on a phone, of a demo that no other test has
 * used where the file is run by itself.
 */
const pictures = process.env.PICTURES

const { url, token, request } = await sharedDemo()
const own = ['/', '/catalogue', '/requests', '/groups', '/decisions']
const account = ['', '/security', '/sessions', '/connections', '/activity', '/data'].map(
  (tab) => `/account${tab}`,
)
const person = ['', '/groups', '/access', '/sessions', '/activity'].map((tab) => `/people/admin${tab}`)
const administration = [
  ...['overview', 'invites', 'notifications', 'notifications/new', 'applications', 'applications/new'],
  ...['groups', 'groups/engineering', 'directory', 'plugins', 'plugins/new', 'webhooks', 'webhooks/new'],
  ...['configuration', 'terms', 'terms/new', 'audit'],
].map((path) => `/admin/${path}`)
const { body: clients } = await request<{ results: { client_id: string; name: string }[] }>(
  'GET',
  '/api/oauth/client/',
  { token },
)
const wiki = clients.results.find(({ name }) => name === 'Wiki')
const client = ['', '/connect', '/test', '/access'].map(
  (tab) => `/admin/applications/${wiki?.client_id}${tab}`,
)
const forEveryone = [...own, ...account]
/** All that there is: half for each of the two files that look at it, in processes of their own. */
export const screens = {
  people: [...forEveryone, '/people', ...person],
  administration: [...administration, ...client],
}

async function open(page: Page, path: string) {
  await page.goto(url + path)
  await page.getByRole('heading', { level: 1 }).waitFor()
  await page.locator('.mantine-Skeleton-root').first().waitFor({ state: 'detached' })
}

async function keep(page: Page, path: string, how: string) {
  if (!pictures) return
  await mkdir(pictures, { recursive: true })
  const name = path.replace(wiki?.client_id ?? '', 'wiki').replaceAll('/', '-')
  await page.screenshot({ path: join(pictures, `${name}-${how}.png`) })
}

/** Nothing fails on these screens, nothing that axe minds in light and dark, and none is wider than a phone. */
export async function look(t: Test, paths: string[]): Promise<void> {
  await using browser = await openBrowser()
  const { page, context, faults } = await openPortal(browser, url, token)
  await open(page, '/')
  const all = Object.values(screens).flat()
  const entries = await page.getByRole('navigation').getByRole('link').all()
  for (const entry of entries) t.ok(all.includes((await entry.getAttribute('href')) ?? ''))
  for (const path of paths) {
    await page.setViewportSize({ width: 1280, height: 800 })
    await page.emulateMedia({ colorScheme: 'light' })
    await open(page, path)
    t.equal(await page.locator('.request-id').count(), 0, path)
    t.equal(await page.getByRole('heading', { name: 'Not found' }).count(), 0, path)
    await keep(page, path, 'light')
    t.strictSame(await axeFindsInBoth(page), [], path)
    await keep(page, path, 'dark')
    await page.setViewportSize({ width: 390, height: 780 })
    t.ok((await overflow(page)) <= 0, `${path} on a phone`)
    await keep(page, path, 'phone-dark')
    if (pictures) await page.emulateMedia({ colorScheme: 'light' })
    await keep(page, path, 'phone-light')
  }
  t.strictSame(faults, [])
  await context.close()
}
