import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { Credentials } from '#src/auth/schemas.ts'
import { signIn } from '#src/auth/service.ts'
import type { Deps } from '#src/deps.ts'
import { isRefusal } from '#src/errors.ts'
import type { App } from '#src/http/app-type.ts'
import { refusalFor } from '#src/http/failures.ts'
import { limits } from '#src/http/limits.ts'
import type { Arrival, ArrivalPages } from './arrival.ts'
import { letIn, placeOf, signInAt, visitorOf, WhereTo } from './arrival.ts'

/** Signing in with a password. */
export function signInPages(app: App, deps: Deps, { base, arrivalOf }: ArrivalPages): void {
  app.get(base, { schema: { querystring: WhereTo } }, async (request, reply) => {
    const arrival = await arrivalOf(request, reply)
    return arrival.passed ? reply.redirect(arrival.passed, 303) : showSignIn(arrival, reply)
  })

  app.post(
    base,
    {
      // Counted with POST /api/auth/login, after the form is read, so that a refusal keeps the username.
      config: { rateLimit: { ...limits.login, hook: 'preHandler' } },
      schema: { body: Type.Object({ ...Credentials.properties, ...WhereTo.properties }) },
      errorHandler: askAgain,
    },
    async (request, reply) => {
      const arrival = await arrivalOf(request, reply)
      if (arrival.passed) return reply.redirect(arrival.passed, 303)
      const { uid, password } = request.body
      const opened = await signIn(deps, { uid, password, ...visitorOf(request) })
      return letIn(arrival, { opened, amr: ['pwd'] }, reply, deps)
    },
  )

  /** The page again, with the username and where to go kept; what is not about signing in fails as everywhere. */
  async function askAgain(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
    const refusal = refusalFor(error)
    if (!refusal || !isRefusal(refusal, 'LoginFailed', 'InvalidInput', 'TooManyRequests')) throw error
    const { status, name, message } = refusal
    const { uid } = (request.body ?? {}) as Record<string, unknown>
    return showSignIn(await arrivalOf(request, reply), reply, {
      failed: {
        status,
        error: name === 'InvalidInput' ? 'Enter your username and your password.' : message,
      },
      ...(typeof uid === 'string' ? { uid } : {}),
    })
  }
}

function showSignIn(
  arrival: Arrival,
  reply: FastifyReply,
  { uid = arrival.hint, failed }: { uid?: string; failed?: { status: number; error: string } } = {},
) {
  const { shown, options } = placeOf(arrival, failed)
  const links = { code: signInAt(arrival, 'code'), forgotten: '/login/resetpassword' }
  return reply.page('sign-in', { ...shown(arrival.url), ...(uid ? { uid } : {}), ...links }, options)
}
