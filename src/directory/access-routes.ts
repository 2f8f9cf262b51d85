import type { Deps } from '#src/deps.ts'
import type { App } from '#src/http/app-type.ts'
import { pageOf } from '#src/http/listed.ts'
import { wantsDetail } from '#src/http/replies.ts'
import { streamResults } from '#src/http/stream.ts'
import { accessRows, userAccess } from './access.ts'
import { row } from './routes.ts'
import * as of from './schemas.ts'

/** Who can reach what. */
export async function accessRoutes(app: App, deps: Deps): Promise<void> {
  const key = () => deps.store.keys.derive('cursor:access-summary')

  app.get(
    '/access-summary',
    row('For each resource the linked groups, and how many distinct users they hold.', {
      querystring: of.AccessQuery,
      answer: of.AccessSummary,
    }),
    async ({ query }, reply) => {
      const { q = '', limit } = query
      const now = await deps.store.resources.current()
      const found = [...now.resources.values()].filter(({ name, slug }) =>
        `${name}\n${slug}`.toLowerCase().includes(q.normalize('NFKC').toLowerCase()),
      )
      const { results, next } = pageOf(found, query, key())
      const rows = accessRows(deps, now, results, { detail: wantsDetail(query) })
      if (limit === undefined) return streamResults(reply, of.AccessRow, rows)
      const page: of.AccessRow[] = []
      for await (const each of rows) page.push(each)
      return { results: page, ...(next === undefined ? {} : { next }) }
    },
  )

  app.get(
    '/user-access/:uid',
    row(
      'What a user can reach, and through which groups.',
      { params: of.Person, answer: of.UserAccess },
      'NotFound',
    ),
    ({ params }) => userAccess(deps, params.uid),
  )
}
