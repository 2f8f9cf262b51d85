import type { Deps } from '#src/deps.ts'
import { clientAddress } from '#src/http/address.ts'
import type { App } from '#src/http/app-type.ts'
import { limits } from '#src/http/limits.ts'
import { refusals } from '#src/http/replies.ts'
import { requestReset, resetPassword } from './reset.ts'
import * as of from './schemas.ts'

const tags = ['auth']

/** Passwords forgotten. */
export function resetRoutes(app: App, deps: Deps) {
  app.post(
    '/resetpassword',
    {
      config: { rateLimit: limits.resetPassword },
      schema: {
        tags,
        summary:
          'Have a link for a new password sent; the answer is the same whether or not the address is known.',
        body: of.ResetRequest,
        response: { 200: of.Said, ...refusals('TooManyRequests') },
      },
    },
    async (request) => {
      await requestReset(deps, { mail: request.body.mail, address: clientAddress(request) })
      return { message: 'If an account has this address, a link for a new password is on its way to it.' }
    },
  )

  app.post(
    '/resetpassword/:token',
    {
      schema: {
        tags,
        summary: 'Set a new password with the token of a link; it works once, and every session ends.',
        params: of.ResetParams,
        body: of.ResetChange,
        response: { 200: of.Said, ...refusals('TokenInvalid') },
      },
    },
    async (request) => {
      const address = clientAddress(request)
      await resetPassword(deps, request.params.token, { ...request.body, address })
      return { message: 'The password was changed: sign in with it.' }
    },
  )
}
