import { confirmByCode, requestOwnCode } from '#src/auth/codes.ts'
import type { Deps } from '#src/deps.ts'
import { anyUser, inPerson } from '#src/http/access.ts'
import type { App } from '#src/http/app-type.ts'
import { limits } from '#src/http/limits.ts'
import { refusals, results } from '#src/http/replies.ts'
import { actorOf } from './actor.ts'
import * as user from './schemas.ts'
import { userNamed } from './service.ts'

const tags = ['user']
const url = '/me/verification'

/** What the caller has verified, and verifying it by a code instead of a link. */
export function ownVerification(app: App, deps: Deps) {
  app.get(
    url,
    {
      config: { access: anyUser },
      schema: {
        tags,
        summary: 'What I have verified and accepted.',
        response: { 200: results(user.Verification), ...refusals('Unauthorized') },
      },
    },
    async (request) => {
      const entry = await userNamed(deps, actorOf(request).caller.uid)
      return { results: await deps.store.verification.of(entry) }
    },
  )

  app.post(
    url,
    {
      config: { access: inPerson(anyUser), rateLimit: limits.otpRequest },
      schema: {
        tags,
        summary: 'Have a code sent to the mail address or phone number of my account.',
        body: user.ConfirmationRequest,
        response: {
          200: user.ConfirmationSent,
          ...refusals('Unauthorized', 'InsufficientPermission', 'TooManyRequests'),
        },
      },
    },
    async (request) => {
      const { expires_at } = await requestOwnCode(deps, actorOf(request), request.body.kind)
      return { message: 'A code is on its way.', expires_at }
    },
  )

  app.put(
    url,
    {
      config: { access: inPerson(anyUser), rateLimit: limits.otpVerify },
      schema: {
        tags,
        summary: 'Show by its code that the address is mine; the code works once.',
        body: user.Confirmation,
        response: {
          200: results(user.Verification),
          ...refusals('Unauthorized', 'InsufficientPermission', 'InvalidCode', 'TooManyRequests'),
        },
      },
    },
    async (request) => ({ results: await confirmByCode(deps, actorOf(request), request.body.code) }),
  )
}
