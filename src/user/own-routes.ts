import type { Deps } from '#src/deps.ts'
import { anyUser, inPerson } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { refusals } from '#src/http/replies.ts'
import { actorOf } from './actor.ts'
import { changePassword } from './password.ts'
import * as user from './schemas.ts'
import { acceptTerms, addKey, me } from './service.ts'

const tags = ['user']

/** What the caller does with the own account. */
export function ownRoutes(app: App, deps: Deps) {
  app.get(
    '/me',
    {
      config: { access: anyUser, duringOnboarding: true },
      schema: {
        tags,
        summary: 'My account, its groups, and the onboarding steps still open.',
        response: { 200: user.Me, ...refusals('Unauthorized') },
      },
    },
    (request) => me(deps, actorOf(request)),
  )

  app.post(
    '/accept-tos',
    {
      config: { access: inPerson(anyUser), duringOnboarding: true },
      schema: {
        tags,
        summary: 'Accept the terms of service in force.',
        body: user.Acceptance,
        response: { 200: user.Accepted, ...refusals('Unauthorized', 'InsufficientPermission', 'Conflict') },
      },
      // The interface sends nothing.
      preValidation: async (request) => {
        request.body ??= {}
      },
    },
    async (request) => {
      await acceptTerms(deps, actorOf(request), request.body.version)
      return { success: true }
    },
  )

  app.put(
    '/password',
    {
      config: { access: inPerson(anyUser), duringOnboarding: true },
      schema: {
        tags,
        summary: 'Change my password; all my other sessions end.',
        body: user.PasswordChange,
        response: {
          200: user.OwnPasswordSet,
          ...refusals(
            'Unauthorized',
            'InsufficientPermission',
            'LoginFailed',
            'CurrentPasswordRequired',
            'TooManyRequests',
          ),
        },
      },
    },
    async (request) => {
      const by = actorOf(request)
      await changePassword(deps, by, by.caller.uid, request.body)
      return { results: true }
    },
  )

  app.post(
    '/key',
    {
      config: { access: inPerson(anyUser) },
      schema: {
        tags,
        summary: 'Add an SSH public key to mine.',
        body: user.NewKey,
        response: {
          200: user.KeyAdded,
          ...refusals('Unauthorized', 'InsufficientPermission', 'InvalidKey', 'Conflict'),
        },
      },
    },
    async (request) => {
      await addKey(deps, actorOf(request), request.body.key)
      return { message: true as const }
    },
  )
}
