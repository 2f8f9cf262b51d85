import type { Browser, Page } from 'playwright-core'
import type { Demo } from '#test/support/demo.ts'
import { openPortal } from '#test/support/portal.ts'

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()

/** What the files on groups do with those of the demo: identity is in platform, that in engineering, that in company. */
export function groupScreens({ url, token, call }: Demo, browser: Browser) {
  /** A group of these: people, or groups with a slash before them. The administrator leaves it. */
  async function newGroup(name: string, ...members: string[]) {
    await call('POST', '/api/group/', { name, description: `for ${name}` })
    for (const each of members) await call('PUT', `/api/group/${name}/${each.replace('/', 'nested/')}`)
    if (members.length > 0) await call('DELETE', `/api/group/${name}/admin`)
  }
  return {
    newGroup,
    async memberOf(name: string) {
      const { results } = await call<{ results: { effective: string[] } }>(
        'GET',
        `/api/group/${name}/effective`,
      )
      return results.effective.map((dn) => /^uid=([^,]+)/.exec(dn)?.[1]).sort()
    },
    async open(path: string, title: string, as = token) {
      const opened = await openPortal(browser, url, as)
      await opened.page.goto(path)
      await heading(opened.page, title)
      return opened
    },
  }
}
