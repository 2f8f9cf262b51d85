import type { Browser, Page } from 'playwright-core'
import type { Service } from '#test/support/client.ts'
import { openPortal } from '#test/support/portal.ts'

export type Fields = Record<string, unknown>
export const base = '/api/oauth/client/'

export const heading = (page: Page, name: string) =>
  page.getByRole('heading', { name, level: 1, exact: true }).waitFor()

/** Applications of a service, and their screens in a browser that lets them use the clipboard. */
export function clientScreens({ url, request }: Service, browser: Browser, token: string) {
  return {
    async register(fields: Fields) {
      const { body, text } = await request<{ results: { client_id: string }; client_secret: string }>(
        'POST',
        base,
        { token, body: { redirect_uris: ['https://app.example/cb'], ...fields } },
      )
      if (!body.results) throw new Error(text)
      return { id: body.results.client_id, secret: body.client_secret }
    },
    /** An application with its screen open. */
    async openClient(id: string, name: string, tab = '', session = token) {
      const permissions = ['clipboard-read', 'clipboard-write']
      const opened = await openPortal(browser, url, session, { permissions })
      await opened.page.goto(`/admin/applications/${id}${tab}`)
      await heading(opened.page, name)
      return opened
    },
  }
}
