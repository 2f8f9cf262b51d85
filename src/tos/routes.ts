import type { Deps } from '#src/deps.ts'
import { admin } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { refusals } from '#src/http/replies.ts'
import { actorOf } from '#src/user/actor.ts'
import * as tos from './schemas.ts'
import { listVersions, previewTerms, publishTerms, readTerms } from './service.ts'

const tags = ['tos']

/** What anybody may read: people decide on the terms before they have an account. */
export async function openTosRoutes(app: App, deps: Deps) {
  app.get(
    '/',
    {
      schema: {
        tags,
        summary: 'The terms of service in force, or an earlier version.',
        querystring: tos.WhichVersion,
        response: { 200: tos.Read, ...refusals('NotFound') },
      },
    },
    async ({ query }) => ({ results: await readTerms(deps, query.version) }),
  )
}

export async function tosRoutes(app: App, deps: Deps) {
  app.put(
    '/',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'Put a text in force as a new version, which everybody is asked to accept.',
        body: tos.NewTerms,
        response: { 200: tos.Published, ...refusals('Unauthorized', 'InsufficientPermission') },
      },
    },
    async (request) => {
      const results = await publishTerms(deps, actorOf(request), request.body.text)
      return { results, message: `Version ${results.version} of the terms is in force.` }
    },
  )

  app.post(
    '/preview',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'A text as people would read it; nothing is put in force.',
        body: tos.NewTerms,
        response: { 200: tos.Preview, ...refusals('Unauthorized', 'InsufficientPermission') },
      },
    },
    async ({ body }) => ({ results: { html: await previewTerms(body.text) } }),
  )

  app.get(
    '/versions',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'All versions of the terms, the newest first.',
        querystring: tos.ListQuery,
        response: { 200: tos.Listed, ...refusals('Unauthorized', 'InsufficientPermission') },
      },
    },
    ({ query }) => listVersions(deps, query),
  )
}
