import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, overflow } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { axeFinds, openPortal, tabTo } from '#test/support/portal.ts'
import { soon } from '#test/support/until.ts'
import { at, directoryScreens, heading, idsOf, line } from './directory-support.ts'

const { url, token, newUser, call } = await sharedDemo()
await using browser = await openBrowser()
const { lisbon = '', 'build-1': build = '', git = '' } = await idsOf(call)
const somebody = await newUser(token)

const { open, openOne } = directoryScreens(browser, url, token)
const names = (page: Page) => page.getByRole('treeitem').allTextContents()
const chosen = (page: Page) => page.locator('[aria-selected=true]')

await test('the directory is for members of app_sso_directory_admin: nobody else is shown the way, nor what is there', async (t) => {
  const { page, context } = await open('/admin/directory', somebody.token)
  t.equal(await page.getByRole('link', { name: 'Directory' }).count(), 0)
  await page.getByText('For directory administrators only').waitFor()
  t.strictSame(await axeFinds(page), [])
  await context.close()
})

await test('the tree opens by pointer and by arrow keys; search, kind and the chosen resource are in the address', async (t) => {
  const { page, context, faults } = await openPortal(browser, url, token)
  await page.goto('/')
  await page.getByRole('link', { name: 'Directory' }).click()
  await heading(page, 'Directory')
  await line(page, 'Berlin').waitFor()
  t.strictSame(await names(page), ['Berlin', 'Lisbon', 'Applications'])
  t.strictSame(await axeFinds(page), [])
  await line(page, 'Berlin').locator('[data-toggle]').click()
  await line(page, 'build-1').click()
  await page.waitForURL(`${url}${at({ id: build })}`)
  await heading(page, 'build-1', 2)
  await page.goto('/admin/directory')
  await line(page, 'Berlin').waitFor()
  await tabTo(page, 'All resources')
  for (const key of ['ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowDown', 'Enter'])
    await page.keyboard.press(key)
  await page.waitForURL(`${url}${at({ id: git })}`)
  await line(page, 'Git').and(chosen(page)).waitFor()
  t.equal(await line(page, 'Git').getAttribute('aria-selected'), 'true')
  t.equal(await line(page, 'Git').getAttribute('aria-level'), '3')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  await page.keyboard.press('ArrowLeft')
  t.strictSame(await names(page), ['Berlin', 'build-1', 'build-2', 'files-1', 'Lisbon', 'Applications'])
  await page.getByRole('searchbox', { name: 'Search the directory' }).fill('PIPE')
  await page.waitForURL(`${url}${at({ id: git, q: 'PIPE' })}`)
  const pipelines = ['PipelinesBerlin › build-1']
  t.strictSame(await soon(() => names(page), pipelines), pipelines)
  await page.getByRole('searchbox', { name: 'Search the directory' }).fill('')
  await page.getByLabel('Kind', { exact: true }).selectOption('Host')
  await page.waitForURL(`${url}${at({ id: git, kind: 'host' })}`)
  const hosts = ['build-1Berlin', 'build-2Berlin', 'edge-1Lisbon', 'files-1Berlin']
  t.strictSame(await soon(() => names(page), hosts), hosts)
  await page.reload()
  await heading(page, 'Git', 2)
  t.strictSame(await names(page), hosts)
  await page.getByRole('searchbox', { name: 'Search the directory' }).fill('nothing of the kind')
  await page.getByText('Nothing found').waitFor()
  t.strictSame(await axeFinds(page), [])
  t.strictSame(faults, [])
  await context.close()
})

await test('a directory that fails says so with the id of the log, and is asked for again', async () => {
  const { page, context } = await openPortal(browser, url, token)
  const json = { name: 'InternalError', message: 'It failed.', id: 'the-id-of-it' }
  await page.route('**/api/directory-admin/resources/', (route) => route.fulfill({ status: 500, json }))
  await page.goto('/admin/directory')
  const alert = page.getByRole('alert')
  await alert.getByText('the-id-of-it').waitFor()
  await page.unroute('**/api/directory-admin/resources/')
  await alert.getByRole('button', { name: 'Try again' }).click()
  await line(page, 'Berlin').waitFor()
  await page.goto(at({ id: 'no-such-resource' }))
  await page.getByText('This resource is gone').waitFor()
  await context.close()
})

await test('requests for a resource are counted at it, and lead to where they are decided', async (t) => {
  const asked = { slug: 'git', note: 'To mend it.' }
  await call('POST', '/api/access-requests/', asked, somebody.token)
  const { page, context } = await openOne(git, 'Git')
  const region = page.getByRole('region', { name: '1 request waits' })
  await region.getByText('To mend it.').waitFor()
  await region.getByRole('link', { name: 'Decide' }).click()
  await page.waitForURL(`${url}/decisions`)
  await page.getByText('To mend it.').waitFor()
  t.pass()
  await context.close()
})

await test('of many resources only the lines in sight and the nearest neighbours are in the page', async (t) => {
  for (let at = 0; at < 300; at++) {
    const rack = { kind: 'host', name: `rack-${String(at).padStart(3, '0')}`, parents: [lisbon] }
    await call('POST', '/api/directory-admin/resources/', rack)
  }
  const { page, context, faults } = await openOne(lisbon, 'Lisbon')
  await page.getByText('301 resources lie directly below it').waitFor()
  await page.getByText('242 more are not drawn.').waitFor()
  await line(page, 'Lisbon').locator('[data-toggle]').click()
  await line(page, 'rack-000').waitFor()
  t.ok((await page.getByRole('treeitem').count()) < 60)
  await tabTo(page, 'All resources', 'Shift+Tab')
  await page.keyboard.press('End')
  await line(page, 'Applications').waitFor()
  await page.keyboard.press('ArrowUp')
  await line(page, 'rack-299').waitFor()
  t.ok((await page.getByRole('treeitem').count()) < 60)
  t.strictSame(faults, [])
  await context.close()
})

await test('in German, on a phone, the directory and one resource are no wider than the window', async (t) => {
  const options = { locale: 'de-DE', viewport: { width: 360, height: 720 } }
  const { page, context, faults } = await openPortal(browser, url, token, options)
  for (const path of ['/admin/directory', at({ id: git })]) {
    await page.goto(path)
    await heading(page, 'Verzeichnis')
    await page.getByRole('status').first().waitFor({ state: 'detached' })
    t.ok((await overflow(page)) <= 0, path)
    t.strictSame(await axeFinds(page), [], path)
  }
  await page.getByRole('link', { name: 'Alle Ressourcen' }).click()
  await line(page, 'Berlin').waitFor()
  t.strictSame(faults, [])
  await context.close()
})
