import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
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

await test('axe finds nothing on any page, in light and dark', async (t) => {
  // Without motion colours change at once, and axe sees no colour between the two.
  const { page, context, faults } = await openPage(browser, origin, { reducedMotion: 'reduce' })
  // Only the colours differ in the dark.
  const passes = [
    ['light', ''],
    ['dark', '{ runOnly: ["color-contrast"] }'],
  ] as const
  for (const { path } of cases) {
    await page.goto(path)
    await page.evaluate(axe)
    for (const [colorScheme, rules] of passes) {
      await page.emulateMedia({ colorScheme })
      const { violations } = (await page.evaluate(`axe.run(${rules})`)) as Violations
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`)
      t.strictSame(found, [], `${path}, ${colorScheme}`)
    }
    t.strictSame(await page.evaluate(attributes), [], `${path} has no handlers and no inline styles`)
  }
  t.strictSame(faults, [])
  await context.close()
})

await test('no page scrolls sideways, from a small phone to a desk', async (t) => {
  const { page, context } = await openPage(browser, origin)
  for (const { path } of cases) {
    await page.goto(path)
    for (const width of [320, 375, 1280]) {
      await page.setViewportSize({ width, height: 720 })
      t.ok((await overflow(page)) <= 0, `${path} at ${width}`)
    }
  }
  await context.close()
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
