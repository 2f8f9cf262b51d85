import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import type { App } from '#src/http/app-type.ts'
import { termsHtml } from './markdown.ts'
import { WhichVersion } from './schemas.ts'
import { readTerms } from './service.ts'

/** The terms for people, also for those who have no account yet. */
export async function termsPage(app: App, deps: Deps) {
  app.get('/terms', { schema: { querystring: WhichVersion } }, async ({ query }, reply) => {
    const { version, text, created_on } = await readTerms(deps, query.version)
    if (!text || created_on === null)
      throw new Refusal('NotFound', 'There are no terms of service at this time.')
    return reply.page('terms', { html: await termsHtml({ version, text }), version, since: created_on })
  })
}
