import type { TSchema } from 'typebox'
import type { Deps } from '#src/deps.ts'
import type { RefusalName } from '#src/errors.ts'
import { anyUser } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { callerOf } from '#src/http/caller.ts'
import { answerList } from '#src/http/listed.ts'
import { refusals } from '#src/http/replies.ts'
import * as of from './schemas.ts'
import { catalogue, graph, listedNamed, matches, shownListed, shownReached, within } from './service.ts'

/** The directory of resources for everybody. */
export async function discoveryRoutes(app: App, deps: Deps): Promise<void> {
  const key = () => deps.store.keys.derive('cursor:discovery')

  app.get(
    '/me',
    row('What the caller can reach: public resources, and those granted through groups.', {
      querystring: of.ListQuery,
      answer: of.Mine,
    }),
    async (request, reply) => {
      const { query } = request
      const { now, reach } = await within(deps, callerOf(request))
      const found = [...reach.values()]
        .map(({ record }) => record)
        .filter((record) => matches(record, query.q))
      const shown = ({ id }: { id: string }) => shownReached(now, reach.get(id) as never)
      return answerList(reply, of.Reached, found, { asked: query, key: key(), shown })
    },
  )

  app.get(
    '/resources',
    row('The catalogue: what the caller can reach, and what may be asked for.', {
      querystring: of.ListQuery,
      answer: of.Catalogue,
    }),
    async (request, reply) => {
      const { query } = request
      const { now, reach, records } = await catalogue(deps, callerOf(request))
      const found = [...records.values()].filter((record) => matches(record, query.q))
      return answerList(reply, of.Listed, found, {
        ...{ asked: query, key: key() },
        shown: (record) => shownListed(now, record, reach.get(record.id)),
      })
    },
  )

  app.get(
    '/resources/:slug',
    row('One resource of the catalogue.', { params: of.Slug, answer: of.OneListed }, 'NotFound'),
    async (request) => {
      const { now, record, reach } = await listedNamed(deps, callerOf(request), request.params.slug)
      return { results: shownListed(now, record, reach) }
    },
  )

  app.get(
    '/graph',
    row('The resources of the catalogue, and the edges among them.', { answer: of.Graph }),
    async (request) => ({ results: await graph(deps, callerOf(request)) }),
  )
}

function row<A extends TSchema, S extends { params?: TSchema; querystring?: TSchema }>(
  summary: string,
  { answer, ...input }: S & { answer: A },
  ...thrown: RefusalName[]
) {
  const response = { 200: answer, ...refusals('Unauthorized', 'InsufficientPermission', ...thrown) }
  return { config: { access: anyUser }, schema: { tags: ['discovery'], summary, ...input, response } }
}
