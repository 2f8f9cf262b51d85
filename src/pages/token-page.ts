import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import { isRefusal } from '#src/errors.ts'
import type { App } from '#src/http/app-type.ts'
import { refusalFor } from '#src/http/failures.ts'
import type { Link } from './views.ts'

/**
 * Makes a scope one of pages whose address holds a token: no answer of it lets the browser tell that address to anybody
 * (attacks row 19), failures included. A token that opens nothing is told with a way `back`.
 */
export function tokenPage(app: App, { back }: { back?: Link } = {}): void {
  // At the last moment, so that it holds for what fails before the route is reached as well.
  app.addHook('onSend', async (_request, reply) => {
    reply.header('referrer-policy', 'no-referrer')
  })
  app.setErrorHandler((error: FastifyError, _request: FastifyRequest, reply: FastifyReply) => {
    const refusal = refusalFor(error)
    if (!back || !refusal || !isRefusal(refusal, 'TokenInvalid')) throw error
    const { status, name, message } = refusal
    return reply.page('error', { status, name, message, back }, { status })
  })
}
