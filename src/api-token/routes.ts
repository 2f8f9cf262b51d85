import type { Deps } from '#src/deps.ts'
import { anyUser, inPerson } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { refusals } from '#src/http/replies.ts'
import { actorOf } from '#src/user/actor.ts'
import * as of from './schemas.ts'
import { createApiToken, revokeApiToken } from './service.ts'

const tags = ['api-token']
const config = { access: inPerson(anyUser) }
const denied = ['Unauthorized', 'InsufficientPermission'] as const

/** The caller's own personal access tokens (contract section 12). */
export async function apiTokenRoutes(app: App, deps: Deps) {
  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'My personal access tokens that have not expired, the newest first.',
        response: { 200: of.Listed, ...refusals(...denied) },
      },
    },
    async (request) => ({ results: await deps.store.apiTokens.list(actorOf(request).caller.uid) }),
  )

  app.post(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'A personal access token for a program, shown this once.',
        body: of.NewApiToken,
        response: { 200: of.Created, ...refusals(...denied, 'Conflict') },
      },
    },
    async (request) => {
      const { token, record } = await createApiToken(deps, actorOf(request), request.body)
      return { results: record, token }
    },
  )

  app.delete(
    '/:id',
    {
      config,
      schema: {
        tags,
        summary: 'End one of my personal access tokens.',
        params: of.ApiTokenId,
        response: { 200: of.Revoked, ...refusals(...denied, 'NotFound') },
      },
    },
    async (request) => {
      await revokeApiToken(deps, actorOf(request), request.params.id)
      return { results: true, message: 'The token has ended.' }
    },
  )
}
