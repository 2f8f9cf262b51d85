import type { Deps } from '#src/deps.ts'
import { anyUser } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { callerOf } from '#src/http/caller.ts'
import { refusals } from '#src/http/replies.ts'
import { actorOf } from '#src/user/actor.ts'
import { GrantList, GrantOf, Revoked } from './schemas.ts'
import { grantsOf, revokeGrant } from './service.ts'

const tags = ['grant']
const config = { access: anyUser }

/** The caller's own applications (contract section 9, consent). */
export async function grantRoutes(app: App, deps: Deps): Promise<void> {
  app.get(
    '/',
    {
      config,
      schema: {
        tags,
        summary: 'The applications I allowed something, or that hold tokens of mine.',
        response: { 200: GrantList, ...refusals('Unauthorized') },
      },
    },
    async (request) => ({ results: await grantsOf(deps, callerOf(request).uid) }),
  )

  app.delete(
    '/:client_id',
    {
      config,
      schema: {
        tags,
        summary: 'Withdraws what I allowed an application; its codes and tokens of mine end at once.',
        params: GrantOf,
        response: { 200: Revoked, ...refusals('Unauthorized', 'NotFound') },
      },
    },
    async (request) => {
      await revokeGrant(deps, actorOf(request), request.params.client_id)
      return { results: true as const, message: 'The application has nothing of yours any more.' }
    },
  )
}
