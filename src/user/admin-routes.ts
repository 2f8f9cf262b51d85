import Type from 'typebox'
import type { Deps } from '#src/deps.ts'
import { admin } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { csvHeaders } from '#src/http/csv.ts'
import { refusals } from '#src/http/replies.ts'
import { streamText } from '#src/http/stream.ts'
import { actorOf } from './actor.ts'
import { csvHeader, csvLine } from './csv.ts'
import { groupsOf } from './groups.ts'
import * as user from './schemas.ts'
import { setActive, userNamed } from './service.ts'
import { openStats } from './stats.ts'

const tags = ['user']

/** What only admins see and do. */
export function adminRoutes(app: App, deps: Deps) {
  const stats = openStats(deps)

  app.get(
    '/stats',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'How many users and groups there are, who came last and who is locked.',
        response: { 200: user.Stats, ...refusals('Unauthorized', 'InsufficientPermission') },
      },
    },
    () => stats(),
  )

  app.get(
    '/export',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'All users as CSV.',
        produces: ['text/csv'],
        response: {
          200: { content: { 'text/csv': { schema: Type.Unsafe<unknown>({ type: 'string' }) } } },
          ...refusals('Unauthorized', 'InsufficientPermission'),
        },
      },
    },
    (_request, reply) =>
      streamText(reply, csvHeaders('users.csv'), deps.users.exported(), { before: csvHeader, text: csvLine }),
  )

  app.get(
    '/:uid/verification',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'What a user has verified and accepted.',
        params: user.Uid,
        response: {
          200: user.Verification,
          ...refusals('Unauthorized', 'InsufficientPermission', 'NotFound'),
        },
      },
    },
    async (request) => deps.store.verification.of(await userNamed(deps, request.params.uid)),
  )

  app.get(
    '/:uid/group',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'The groups a user is effectively in, each with how, and those the user owns.',
        params: user.Uid,
        response: {
          200: user.GroupsOfUser,
          ...refusals('Unauthorized', 'InsufficientPermission', 'NotFound'),
        },
      },
    },
    async (request) => groupsOf(deps, await userNamed(deps, request.params.uid)),
  )

  app.put(
    '/:uid/active',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'Lock or unlock an account; locking ends everything it is signed in to.',
        params: user.Uid,
        body: user.Activation,
        response: {
          200: user.Activated,
          ...refusals('Unauthorized', 'InsufficientPermission', 'NotFound', 'LastAdmin', 'Conflict'),
        },
      },
    },
    async (request) => {
      const { uid, isActive } = await setActive(
        deps,
        actorOf(request),
        request.params.uid,
        request.body.active,
      )
      return {
        uid,
        active: isActive,
        message: isActive ? 'The account is active.' : 'The account is locked.',
      }
    },
  )
}
