import type { Deps } from '#src/deps.ts'
import { admin, inPerson } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { refusals } from '#src/http/replies.ts'
import { actorOf } from '#src/user/actor.ts'
import { endImpersonation, impersonate } from './impersonation.ts'
import * as of from './schemas.ts'

const tags = ['auth']

/** Acting as somebody else, for admins (contract section 4). */
export async function impersonationRoutes(app: App, deps: Deps) {
  app.post(
    '/:uid',
    {
      config: { access: inPerson(admin) },
      schema: {
        tags,
        summary:
          'A temporary password for an account, good for 15 minutes; an earlier one ends with its sessions.',
        params: of.Target,
        body: of.ImpersonationReason,
        response: {
          200: of.Impersonating,
          ...refusals('Unauthorized', 'InsufficientPermission', 'NotFound', 'Conflict'),
        },
      },
      // The interface sends nothing.
      preValidation: async (request) => {
        request.body ??= {}
      },
    },
    (request) => impersonate(deps, actorOf(request), request.params.uid, request.body.reason?.trim()),
  )

  app.delete(
    '/:uid',
    {
      config: { access: inPerson(admin) },
      schema: {
        tags,
        summary: 'End an impersonation: its temporary password and every session made with it.',
        params: of.Target,
        response: {
          200: of.ImpersonationEnded,
          ...refusals('Unauthorized', 'InsufficientPermission', 'NotFound'),
        },
      },
    },
    async (request) => {
      const revoked = await endImpersonation(deps, actorOf(request), request.params.uid)
      const message = revoked > 0 ? 'The impersonation has ended.' : 'There was no impersonation to end.'
      return { message, revoked }
    },
  )
}
