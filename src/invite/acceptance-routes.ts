import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { clientAddress } from '#src/http/address.ts'
import type { App } from '#src/http/app-type.ts'
import { setSessionCookie } from '#src/http/cookie.ts'
import { limits } from '#src/http/limits.ts'
import { isOwnOrigin } from '#src/http/origin.ts'
import { refusals } from '#src/http/replies.ts'
import { acceptInvite, requestLink } from './acceptance.ts'
import * as of from './schemas.ts'

const tags = ['invite']
const config = { rateLimit: limits.invite }

/** Accepting invites: nobody is asked who they are, the links say it. */
export async function acceptanceRoutes(app: App, deps: Deps) {
  app.post(
    '/:token',
    {
      config,
      schema: {
        tags,
        summary: 'Have the link that accepts an invite sent to an address.',
        params: of.TokenParams,
        body: of.AddressGiven,
        response: { 200: of.LinkSent, ...refusals('TokenInvalid', 'TooManyRequests') },
      },
    },
    async ({ params, body }) => {
      await requestLink(deps, params.token, body.mail)
      return { message: 'A link is on its way to this address: open it to go on.' }
    },
  )

  app.post(
    '/:token/:mailToken',
    {
      config,
      schema: {
        tags,
        summary:
          'Accept an invite: makes the account, with the address that the link was sent to, and signs it in.',
        params: of.MailTokenParams,
        body: of.Acceptance,
        response: {
          200: of.Accepted,
          ...refusals(
            'TokenInvalid',
            'InsufficientPermission',
            'AlreadyExists',
            'MailInUse',
            'Conflict',
            'TooManyRequests',
          ),
        },
      },
    },
    async (request, reply) => {
      if (!isOwnOrigin(request, deps.config)) throw new Refusal('InsufficientPermission')
      const from = { address: clientAddress(request), agent: request.headers['user-agent'] ?? '' }
      const { uid, token } = await acceptInvite(deps, request.params, request.body, from)
      setSessionCookie(reply, deps.config, token)
      return { user: uid, token }
    },
  )
}
