import type { Deps } from '#src/deps.ts'
import { anyUser, inPerson } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { refusals, results } from '#src/http/replies.ts'
import { streamResults } from '#src/http/stream.ts'
import { actorOf } from '#src/user/actor.ts'
import * as of from './schemas.ts'
import { pageOfTokens, tokenNamed, tokensOf } from './service.ts'

const tags = ['token']
const config = { access: inPerson(anyUser) }

/** The interface's Token table. */
export async function tokenRoutes(app: App, deps: Deps) {
  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'The types of tokens.',
        response: { 200: of.Types, ...refusals('Unauthorized') },
      },
    },
    async () => ({ results: [...of.tokenTypes] }),
  )

  app.get(
    '/:name',
    {
      config,
      schema: {
        tags,
        summary: 'Tokens of a type, the newest first, or a page of them: all to admins, to others their own.',
        params: of.NameParams,
        querystring: of.ListQuery,
        response: { 200: of.Listed, ...refusals('Unauthorized', 'NotFound') },
      },
    },
    async (request, reply) => {
      const { params, query } = request
      const by = actorOf(request)
      const { limit } = query
      if (limit !== undefined) return pageOfTokens(deps, by, params.name, { ...query, limit })
      return streamResults(reply, of.Token, tokensOf(deps, by, params.name, query))
    },
  )

  app.get(
    '/:name/:token',
    {
      config,
      schema: {
        tags,
        summary: 'One token.',
        params: of.TokenParams,
        response: { 200: results(of.Token), ...refusals('Unauthorized', 'NotFound') },
      },
    },
    async (request) => {
      const { name, token } = request.params
      return { results: await tokenNamed(deps, actorOf(request), name, token) }
    },
  )
}
