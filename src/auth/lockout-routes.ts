import type { Deps } from '#src/deps.ts'
import { admin } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { refusals } from '#src/http/replies.ts'
import { actorOf } from '#src/user/actor.ts'
import { lockouts, openDoors } from './lockout.ts'
import * as of from './schemas.ts'

const tags = ['auth']

/** What admins see and clear of accounts that too many failures closed (contract section 4). */
export async function lockoutRoutes(app: App, deps: Deps) {
  app.get(
    '/',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'Accounts, or names that are none, whose doors are closed after too many failures.',
        querystring: of.LockoutQuery,
        response: { 200: of.Lockouts, ...refusals('Unauthorized', 'InsufficientPermission') },
      },
    },
    ({ query }) => lockouts(deps, query),
  )

  app.delete(
    '/:uid',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'Open the doors of an account again, at once.',
        params: of.Target,
        response: { 200: of.Ended, ...refusals('Unauthorized', 'InsufficientPermission', 'NotFound') },
      },
    },
    async (request) => {
      await openDoors(deps, actorOf(request), request.params.uid)
      return { results: true, message: 'The account can be signed in to again.' }
    },
  )
}
