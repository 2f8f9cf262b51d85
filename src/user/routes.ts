import type { FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Deps } from '#src/deps.ts'
import { admin, anyUser, inPerson, ownAccountOrAdmin } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { limits } from '#src/http/limits.ts'
import { next, refusals, results, wantsDetail } from '#src/http/replies.ts'
import { streamResults } from '#src/http/stream.ts'
import { actorOf } from './actor.ts'
import { adminRoutes } from './admin-routes.ts'
import { pageOfUsers, peopleQuery } from './list.ts'
import { ownRoutes } from './own-routes.ts'
import { changePassword } from './password.ts'
import * as user from './schemas.ts'
import { createUser, deleteUser, updateUser, userNamed, visibleTo } from './service.ts'
import { sessionsOfOthers } from './session-routes.ts'
import { ownVerification } from './verification-routes.ts'

const tags = ['user']

/** The interface's User table: everybody's accounts here, one's own and the administration beside. */
export async function userRoutes(app: App, deps: Deps) {
  ownRoutes(app, deps)
  ownVerification(app, deps)
  adminRoutes(app, deps)
  sessionsOfOthers(app, deps)

  app.get(
    '/',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'All users, or a page of them.',
        querystring: user.ListQuery,
        response: {
          200: results(Type.Array(user.ListedUser), next),
          ...refusals('Unauthorized', 'InsufficientPermission'),
        },
      },
    },
    async ({ query }, reply) => {
      const { limit, ...listing } = query
      if (limit !== undefined) return pageOfUsers(deps, { ...listing, limit })
      const asked = peopleQuery(query)
      return wantsDetail(query)
        ? streamResults(reply, user.User, deps.users.list(asked))
        : streamResults(reply, user.UserSummary, deps.users.summaries(asked))
    },
  )

  app.post(
    '/',
    {
      config: { access: admin },
      schema: {
        tags,
        summary: 'Make an account; its password must be changed at first use.',
        body: user.NewUser,
        response: {
          200: user.Created,
          ...refusals('Unauthorized', 'InsufficientPermission', 'InvalidKey', ...taken, 'AlreadyExists'),
        },
      },
    },
    async (request) => ({ results: await createUser(deps, actorOf(request), request.body) }),
  )

  app.get(
    '/:uid',
    {
      config: { access: anyUser, duringOnboarding: true },
      schema: {
        tags,
        summary: 'One user: all fields to the account itself and to admins, the public ones to others.',
        params: user.Uid,
        response: { 200: results(user.VisibleUser), ...refusals('Unauthorized', 'NotFound') },
      },
    },
    async (request) => {
      const entry = await userNamed(deps, request.params.uid)
      return { results: await visibleTo(actorOf(request), entry) }
    },
  )

  app.put(
    '/:uid',
    {
      config: { access: ownAccountOrAdmin, rateLimit: addressChanges, duringOnboarding: true },
      schema: {
        tags,
        summary: 'Change some fields; null or empty removes an optional one.',
        params: user.Uid,
        body: user.UserChanges,
        response: {
          200: user.Updated,
          ...refusals(
            'Unauthorized',
            'InsufficientPermission',
            'NotFound',
            'InvalidKey',
            'TooManyRequests',
            ...taken,
          ),
        },
      },
    },
    async (request) => {
      const { entry, message } = await updateUser(deps, actorOf(request), request.params.uid, request.body)
      return { results: entry, message }
    },
  )

  app.put(
    '/:uid/password',
    {
      config: { access: inPerson(ownAccountOrAdmin), duringOnboarding: true },
      schema: {
        tags,
        summary: 'Set a password; somebody else’s must be changed at first use.',
        params: user.Uid,
        body: user.PasswordChange,
        response: {
          200: user.PasswordSet,
          ...refusals('Unauthorized', 'InsufficientPermission', 'NotFound', ...passwordRefusals),
        },
      },
    },
    async (request) => {
      await changePassword(deps, actorOf(request), request.params.uid, request.body)
      return { results: true, message: 'The password was changed.' }
    },
  )

  app.delete(
    '/:uid',
    {
      config: { access: ownAccountOrAdmin },
      schema: {
        tags,
        summary: 'Remove an account with its memberships, sessions and records.',
        params: user.Uid,
        response: {
          200: user.Deleted,
          ...refusals('Unauthorized', 'InsufficientPermission', 'NotFound', 'LastAdmin', 'Conflict'),
        },
      },
    },
    async (request) => {
      const { uid } = await deleteUser(deps, actorOf(request), request.params.uid)
      return { uid, results: true }
    },
  )
}

/** Counted after validation, and only where mail or mobile may change. */
const addressChanges = {
  ...limits.addressChange,
  hook: 'preHandler' as const,
  keyGenerator: ({ params }: FastifyRequest) => (params as { uid: string }).uid.toLowerCase(),
  allowList: ({ body }: FastifyRequest) => {
    const { mail, mobile } = body as user.UserChanges
    return mail === undefined && mobile === undefined
  },
}
const taken = ['MailInUse', 'MobileInUse', 'Conflict'] as const
const passwordRefusals = ['LoginFailed', 'CurrentPasswordRequired', 'TooManyRequests'] as const
