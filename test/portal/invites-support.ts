import type { Page } from 'playwright-core'
import tap from 'tap'
import { openBrowser } from '#test/support/browser.ts'
import { sharedDemo } from '#test/support/demo.ts'
import { openPortal } from '#test/support/portal.ts'

type Listed = { token: string; mail: string | null; groups: string; state: string; expires_at: number }

/** The demo, a browser that is closed after the file's last test, and somebody who may invite and has not yet. */
export async function openPortalInvites() {
  const demo = await sharedDemo()
  const browser = await openBrowser()
  tap.teardown(() => browser[Symbol.asyncDispose]())
  const { url, token, request, newUser, call } = demo
  const inviter = await newUser(token)
  await call('PUT', `/api/group/app_sso_invite/${inviter.uid}`)
  return {
    ...demo,
    ...{ browser, inviter },
    listed: async (query = '') =>
      (await request<{ results: Listed[] }>('GET', `/api/user/invite${query}`, { token })).body.results,
    newInvite: async (body: object, by = token) =>
      (await request<{ token: string }>('POST', '/api/user/invite', { token: by, body })).body.token,
    async open(path = '/admin/invites', as = token) {
      const opened = await openPortal(browser, url, as)
      await opened.page.goto(path)
      await heading(opened.page, 'Invites')
      return opened
    },
  }
}

export const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()

/** An invite of the list. */
export const row = (page: Page, text: string) =>
  page.getByRole('list', { name: 'Invites' }).getByRole('listitem').filter({ hasText: text })
