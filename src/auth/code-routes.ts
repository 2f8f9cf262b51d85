import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { clientAddress } from '#src/http/address.ts'
import type { App } from '#src/http/app-type.ts'
import { setSessionCookie } from '#src/http/cookie.ts'
import { limits } from '#src/http/limits.ts'
import { isOwnOrigin } from '#src/http/origin.ts'
import { refusals } from '#src/http/replies.ts'
import { requestCode, signInByCode } from './codes.ts'
import * as of from './schemas.ts'

const tags = ['auth']

/** Signing in with a one-time code. */
export function codeRoutes(app: App, deps: Deps) {
  app.post(
    '/otp/request',
    {
      config: { rateLimit: limits.otpRequest },
      schema: {
        tags,
        summary: 'Have a one-time code sent to the mail address or phone number of an account.',
        body: of.CodeRequest,
        response: { 200: of.CodeRequested, ...refusals('TooManyRequests') },
      },
    },
    async (request) => {
      const { method, login } = request.body
      const { expires_at } = await requestCode(deps, { login, method, address: clientAddress(request) })
      const message =
        method === 'sms'
          ? 'A code was sent to the phone number of the account.'
          : 'If there is such an account, a code is on its way to its mail address.'
      return { message, method, expires_at }
    },
  )

  app.post(
    '/otp/verify',
    {
      config: { rateLimit: limits.otpVerify },
      schema: {
        tags,
        summary: 'Sign in with a one-time code.',
        body: of.CodeCredentials,
        response: {
          200: of.SignedInByCode,
          ...refusals('InvalidCode', 'InsufficientPermission', 'TooManyRequests'),
        },
      },
    },
    async (request, reply) => {
      if (!isOwnOrigin(request, deps.config)) throw new Refusal('InsufficientPermission')
      const { login, code } = request.body
      const visitor = { login, address: clientAddress(request), agent: request.headers['user-agent'] ?? '' }
      const { token } = await signInByCode(deps, visitor, code)
      setSessionCookie(reply, deps.config, token)
      return { login: true, token }
    },
  )
}
