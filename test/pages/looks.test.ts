import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { test } from 'tap'
import { openBrowser, openPage, overflow } from '#test/support/browser.ts'
import { cases, serveSamples } from './samples.ts'

const axe = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
await using app = await serveSamples()
const origin = await app.listen({ port: 0, host: '127.0.0.1' })
await using browser = await openBrowser()

type Violations = { violations: { id: string; nodes: { html: string }[] }[] }
const attributes = `[...document.querySelectorAll('*')].flatMap((element) => element.getAttributeNames())
  .filter((name) => name === 'style' || name.startsWith('on'))`

// Only the colours differ in the dark.
const passes = [
  ['light', { resultTypes: ['violations'] }],
  ['dark', { resultTypes: ['violations'], runOnly: ['color-contrast'] }],
] as const
const widths = [320, 375, 1280]

/** What one visit shows of a page: in light and dark what axe finds, and at each width by how much it is too wide. */
async function lookAt(page: Page, path: string) {
  const found: string[][] = []
  const tooWide: number[] = []
  await page.goto(path)
  const unwanted = await page.evaluate(attributes)
  await page.evaluate(axe)
  for (const [colorScheme, options] of passes) {
    await page.emulateMedia({ colorScheme })
    const { violations } = (await page.evaluate(`axe.run(${JSON.stringify(options)})`)) as Violations
    found.push(violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`))
  }
  for (const width of widths) {
    await page.setViewportSize({ width, height: 720 })
    tooWide.push(await overflow(page))
  }
  return { path, unwanted, found, tooWide }
}

// Without motion colours change at once, and axe sees no colour between the two.
const { page, context, faults } = await openPage(browser, origin, { reducedMotion: 'reduce' })
const looks: Awaited<ReturnType<typeof lookAt>>[] = []
for (const { path } of cases) looks.push(await lookAt(page, path))
await context.close()

await test('axe finds nothing on any page, in light and dark', async (t) => {
  for (const { path, unwanted, found } of looks) {
    for (const [at, [colorScheme]] of passes.entries()) t.strictSame(found[at], [], `${path}, ${colorScheme}`)
    t.strictSame(unwanted, [], `${path} has no handlers and no inline styles`)
  }
  t.strictSame(faults, [])
})

await test('no page scrolls sideways, from a small phone to a desk', async (t) => {
  for (const { path, tooWide } of looks)
    for (const [at, width] of widths.entries()) t.ok((tooWide[at] as number) <= 0, `${path} at ${width}`)
})

await test('light and dark differ, and both have the text stand out', async (t) => {
  const seen = new Set<string>()
  for (const colorScheme of ['light', 'dark'] as const) {
    const { page, context } = await openPage(browser, origin, { colorScheme })
    await page.goto('/sign-in/0')
    seen.add(await page.evaluate('getComputedStyle(document.body).backgroundColor'))
    await context.close()
  }
  t.equal(seen.size, 2)
})

await test('the focus is visible on everything that takes it', async (t) => {
  const { page, context } = await openPage(browser, origin)
  for (const path of ['/sign-in/1', '/consent/1', '/sign-out/1', '/error/1']) {
    await page.goto(path)
    const stops = (await page.evaluate(
      'document.querySelectorAll("a, button, input:not([type=hidden])").length',
    )) as number
    for (let stop = 0; stop < stops; stop++) {
      await page.keyboard.press('Tab')
      const outline = await page.evaluate(
        'document.activeElement === document.body || getComputedStyle(document.activeElement).outlineStyle',
      )
      t.not(outline, 'none', `${path}, stop ${stop}`)
    }
  }
  await context.close()
})
