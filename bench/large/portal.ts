/** The portal's table of people in real Chromium: a search beside the API page it asks for, scrolling, and the tab's memory. */
import { performance } from 'node:perf_hooks'
import type { CDPSession, Page } from 'playwright-core'
import { openBrowser } from '#test/support/browser.ts'
import { openPortal } from '#test/support/portal.ts'
import { expectStatus, openConnection, request } from '../http.ts'
import { median } from '../load.ts'
import type { Server, World } from '../world.ts'
import { signIn } from './lookups.ts'
import type { Size } from './seed.ts'

/** `api`: milliseconds of the page of the API; `shown`: from the last letter to the row on the screen. */
export type SearchLine = { digits: number; api: number; shown: number }
/** `slow`: share of frames that took longer than 50 ms; `rows`: in the page at the end; `heap`: MiB of JavaScript. */
export type ScrollLine = {
  loaded: number
  frames: number
  slow: number
  longest: number
  rows: number
  heap: number
}

/** So many digits of a number, another in each round: what is searched for a second time is there. */
const searches = [3, 4, 5]
/** The search waits for the end of the typing. */
export const typingMilliseconds = 150
const scrolls = 4
const scrollMilliseconds = 5000

export async function measurePortal(
  world: World,
  service: Server,
  { size, rounds, say }: { size: Size; rounds: number; say(line: string): void },
): Promise<{ searching: SearchLine[]; scrolling: ScrollLine[] }> {
  const connection = await openConnection(service.port)
  const token = await signIn(connection, 'admin', await world.adminPassword())
  await using browser = await openBrowser()
  const { page, context } = await openPortal(browser, `http://127.0.0.1:${service.port}`, token)
  const inspector = await context.newCDPSession(page)
  await page.goto('/people')
  await page.getByRole('row').nth(5).waitFor()

  const searching: SearchLine[] = []
  for (const digits of searches) {
    say(`Searching with ${digits} digits`)
    const [api, shown]: [number[], number[]] = [[], []]
    for (let round = 0; round <= rounds; round++) {
      const person = Math.floor(((round + 1.5) * size.people) / (rounds + 3))
      const q = String(person).padStart(5, '0').slice(0, digits)
      const path = `/api/user/?detail=true&limit=100&q=${q}`
      const start = performance.now()
      expectStatus(await connection.send(request('GET', path, { 'auth-token': token })), 200, path)
      const took = performance.now() - start
      const seen = await searched(page, q)
      if (round === 0) continue // compiles what the others run
      api.push(took)
      shown.push(seen)
    }
    searching.push({ digits, api: median(api), shown: median(shown) })
  }
  connection.close()

  await page.goto('/people')
  await page.getByRole('row').nth(5).waitFor()
  const scrolling = [await scrolled(page, inspector, 0)]
  for (let turn = 0; turn < scrolls; turn++) {
    say(`Scrolling ${turn + 1} of ${scrolls}`)
    scrolling.push(await scrolled(page, inspector, scrollMilliseconds))
  }
  await context.close()
  return { searching, scrolling }
}

/** Milliseconds from the input to the frame in which the table is the one that was searched for. */
async function searched(page: Page, q: string): Promise<number> {
  await page.getByRole('searchbox').fill('')
  await page.waitForURL(/people$/)
  await page.getByRole('row').nth(5).waitFor()
  await page.evaluate(`globalThis.before = document.querySelector('tbody').textContent`)
  return page.evaluate(`new Promise((done) => {
    const field = document.querySelector('input[type=search]')
    const start = performance.now()
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(field, ${JSON.stringify(q)})
    field.dispatchEvent(new Event('input', { bubbles: true }))
    const look = () => {
      const now = document.querySelector('tbody')?.textContent
      if (location.search.includes('q=') && now && now !== before && !document.querySelector('[role=status] .mantine-Skeleton-root'))
        done(performance.now() - start)
      else requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
  })`)
}

/** Scrolls as a hand on a wheel does for so long, and looks at every frame. */
async function scrolled(page: Page, inspector: CDPSession, milliseconds: number): Promise<ScrollLine> {
  const frames = (await page.evaluate(`new Promise((done) => {
    const frames = []
    const start = performance.now()
    let last = start
    const step = (now) => {
      frames.push(now - last)
      last = now
      scrollBy(0, 150)
      if (now - start < ${milliseconds}) requestAnimationFrame(step)
      else done(frames.slice(1))
    }
    requestAnimationFrame(step)
  })`)) as number[]
  await inspector.send('HeapProfiler.collectGarbage')
  const { usedSize } = await inspector.send('Runtime.getHeapUsage')
  const loaded = (await page.evaluate(
    `Math.round(document.querySelector('tbody').getBoundingClientRect().height / 61)`,
  )) as number
  return {
    ...{ loaded, frames: frames.length },
    slow: frames.length ? frames.filter((took) => took > 50).length / frames.length : 0,
    longest: Math.max(0, ...frames),
    rows: await page.getByRole('row').count(),
    heap: usedSize / 2 ** 20,
  }
}
