import Type from 'typebox'
import { Ended, Session } from '#src/auth/schemas.ts'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { admin } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { callerOf } from '#src/http/caller.ts'
import { answer, refusals, results } from '#src/http/replies.ts'
import { actorOf } from './actor.ts'
import * as user from './schemas.ts'
import { userNamed } from './service.ts'

const tags = ['user']
const refused = refusals('Unauthorized', 'InsufficientPermission', 'NotFound')

/** Where somebody is signed in, for admins; everybody's own are at /api/auth/session. */
export function sessionsOfOthers(app: App, deps: Deps) {
  const { sessions, store, audit } = deps

  app.get(
    '/:uid/session',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'Where a user is signed in.',
        params: user.Uid,
        response: { 200: results(Type.Array(SessionOfUser)), ...refused },
      },
    },
    async (request) => {
      const { uid } = await userNamed(deps, request.params.uid)
      const { session: own } = callerOf(request)
      return { results: (await sessions.list(uid)).map((each) => ({ ...each, current: each.id === own })) }
    },
  )

  app.delete(
    '/:uid/session/:id',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'End one session of a user, with the tokens given in it.',
        params: Type.Object({ ...user.Uid.properties, id: Type.String({ maxLength: 64 }) }),
        response: { 200: Ended, ...refused },
      },
    },
    async (request) => {
      const { uid } = await userNamed(deps, request.params.uid)
      if (!(await sessions.end(uid, request.params.id))) throw new Refusal('NotFound')
      audit.append({ ...actorOf(request).event, action: 'user.session-end', target: uid, outcome: 'ok' })
      return { results: true, message: 'The session has ended.' }
    },
  )

  app.delete(
    '/:uid/session',
    {
      config: { access: admin },
      schema: {
        tags,
        summary:
          'Sign a user out everywhere: sessions and tokens of applications; personal access tokens stay.',
        params: user.Uid,
        response: { 200: Ended, ...refused },
      },
    },
    async (request) => {
      const { uid } = await userNamed(deps, request.params.uid)
      const ended = await sessions.endAll(uid)
      await store.provider.revokeByAccount(uid)
      const what = { target: uid, outcome: 'ok', detail: { ended } }
      audit.append({ ...actorOf(request).event, action: 'user.session-end', ...what })
      return { results: true, message: 'The user is signed out everywhere.' }
    },
  )
}

const SessionOfUser = answer({
  ...Session.properties,
  impersonator: Type.Optional(Type.String({ description: 'The admin who signed in as this user.' })),
})
