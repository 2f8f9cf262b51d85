import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { requestReset, resetPassword } from '#src/auth/reset.ts'
import { ResetChange, ResetParams, ResetRequest } from '#src/auth/schemas.ts'
import type { Deps } from '#src/deps.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import { clientAddress } from '#src/http/address.ts'
import type { App } from '#src/http/app-type.ts'
import { refusalFor } from '#src/http/failures.ts'
import { limits } from '#src/http/limits.ts'
import { requireSame } from './new-password.ts'
import { tokenPage } from './token-page.ts'

const url = '/login/resetpassword'

/** Passwords forgotten: asking for a link, and the page behind it. */
export async function resetPages(app: App, deps: Deps) {
  app.get(url, async (_request, reply) => reply.page('reset-request', { form: { action: url } }))

  app.post(
    url,
    {
      config: { rateLimit: { ...limits.resetPassword, hook: 'preHandler' } },
      schema: { body: Type.Object(ResetRequest.properties) },
      errorHandler: askAgain,
    },
    async (request, reply) => {
      const { mail } = request.body
      await requestReset(deps, { mail, address: clientAddress(request) })
      return reply.page('reset-sent', { mail })
    },
  )

  await app.register(async (behind: App) => {
    tokenPage(behind, { back: { href: url, label: 'Ask for a new link' } })

    behind.get(`${url}/:token`, { schema: { params: ResetParams } }, async (request, reply) => {
      const { token } = request.params
      if (!(await deps.store.resets.find(token))) throw new Refusal('TokenInvalid')
      return reply.page('reset-form', { form: { action: `${url}/${token}` } })
    })

    behind.post(
      `${url}/:token`,
      {
        schema: { params: ResetParams, body: Type.Object(ResetChange.properties) },
        errorHandler: askForPassword,
      },
      async (request, reply) => {
        requireSame(request.body)
        const address = clientAddress(request)
        await resetPassword(deps, request.params.token, { ...request.body, address })
        return reply.page('reset-done', {})
      },
    )
  })
}

function askAgain(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const refusal = refusalFor(error)
  if (!refusal || !isRefusal(refusal, 'InvalidInput', 'TooManyRequests')) throw error
  const { status, message } = refusal
  const { mail } = (request.body ?? {}) as { mail?: unknown }
  return reply.page(
    'reset-request',
    {
      form: { action: url },
      error: error.validation ? 'Enter your email address.' : message,
      ...(typeof mail === 'string' ? { mail } : {}),
    },
    { status },
  )
}

function askForPassword(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const refusal = refusalFor(error)
  if (!refusal || !isRefusal(refusal, 'InvalidInput')) throw error
  const { token } = request.params as { token: string }
  return reply.page(
    'reset-form',
    {
      form: { action: `${url}/${token}` },
      error: error.validation ? 'Choose a password of 8 to 128 characters.' : refusal.message,
    },
    { status: refusal.status },
  )
}
