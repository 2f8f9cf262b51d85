import type { Browser, Page } from 'playwright-core'
import type { Demo } from '#test/support/demo.ts'
import { openPortal } from '#test/support/portal.ts'

const resources = '/api/directory-admin/resources/'

/** Where the portal shows the directory, with this in its address. */
export const at = (search: Record<string, string>) => `/admin/directory?${new URLSearchParams(search)}`
/** A line of its tree. */
export const line = (page: Page, name: string) => page.getByRole('treeitem', { name })

export const heading = (page: Page, name: string, level = 1) =>
  page.getByRole('heading', { name, level }).waitFor()

/** Its screens in a browser: the whole, and one resource. */
export function directoryScreens(browser: Browser, url: string, token: string) {
  async function open(path = '/admin/directory', as = token) {
    const opened = await openPortal(browser, url, as)
    await opened.page.goto(path)
    await heading(opened.page, 'Directory')
    return opened
  }
  async function openOne(id: string, name: string) {
    const opened = await open(at({ id }))
    await heading(opened.page, name, 2)
    return opened
  }
  return { open, openOne }
}

/**
 * Below Berlin of the demo the host forge-1, below that the service Ledger, and below that Runner. Ledger is linked to scribes,
 * in which are Vera, and Jocelyn by novices.
 */
export async function smallDirectory({ token, call, newUser, request }: Demo) {
  const make = async (kind: string, name: string, parents: string[] = [], metadata = {}): Promise<string> => {
    const body = { kind, name, parents, metadata }
    return (await call<{ results: { id: string } }>('POST', resources, body)).results.id
  }
  const link = (resourceId: string, groupCn: string) =>
    call('POST', '/api/directory-admin/groups/', { resourceId, groupCn })
  await newUser(token, { uid: 'jocelyn', givenName: 'Jocelyn', sn: 'Bell' })
  await newUser(token, { uid: 'vera', givenName: 'Vera', sn: 'Rubin' })
  for (const name of ['scribes', 'novices']) await call('POST', '/api/group/', { name })
  await call('PUT', '/api/group/novices/jocelyn')
  await call('PUT', '/api/group/scribes/vera')
  await call('PUT', '/api/group/scribes/nested/novices')
  for (const name of ['scribes', 'novices']) await call('DELETE', `/api/group/${name}/admin`)

  const { berlin = '' } = await idsOf(call)
  const forge = await make('host', 'forge-1', [berlin], { address: 'forge-1.example.org', sshPort: 22 })
  const ledger = await make('service', 'Ledger', [forge], { requestable: true })
  const runner = await make('service', 'Runner', [ledger])
  await link(ledger, 'scribes')
  return {
    ...{ link, forge, ledger, runner },
    /** Takes the resources out of the demo again. */
    async remove() {
      for (const id of [runner, ledger, forge]) await request('DELETE', resources + id, { token })
    },
  }
}

/** The ids of all resources, by their slugs. */
export async function idsOf(call: Demo['call']): Promise<Record<string, string>> {
  const { results } = await call<{ results: { id: string; slug: string }[] }>('GET', resources)
  return Object.fromEntries(results.map(({ id, slug }) => [slug, id]))
}
