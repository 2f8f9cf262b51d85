import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import { codeLifetimeMinutes, requestCode, signInByCode } from '#src/auth/codes.ts'
import { CodeCredentials, CodeRequest } from '#src/auth/schemas.ts'
import type { Deps } from '#src/deps.ts'
import { isRefusal } from '#src/errors.ts'
import type { App } from '#src/http/app-type.ts'
import { refusalFor } from '#src/http/failures.ts'
import { limits } from '#src/http/limits.ts'
import type { Arrival, ArrivalPages } from './arrival.ts'
import { letIn, placeOf, signInAt, visitorOf, WhereTo } from './arrival.ts'

type Method = Type.Static<typeof CodeRequest>['method']
type Typed = { login?: string; method?: Method }

/** Signing in with a one-time code: asking for one, then typing it. Counted with the API's routes. */
export function codePages(app: App, deps: Deps, { base, arrivalOf }: ArrivalPages): void {
  const url = `${base}/code`

  app.get(url, { schema: { querystring: WhereTo } }, async (request, reply) => {
    const arrival = await arrivalOf(request, reply)
    return arrival.passed ? reply.redirect(arrival.passed, 303) : showRequest(arrival, reply)
  })

  app.post(
    url,
    {
      config: { rateLimit: { ...limits.otpRequest, hook: 'preHandler' } },
      schema: { body: Type.Object({ ...CodeRequest.properties, ...WhereTo.properties }) },
      errorHandler: again('Enter your username and choose where the code goes.', showRequest),
    },
    async (request, reply) => {
      const arrival = await arrivalOf(request, reply)
      if (arrival.passed) return reply.redirect(arrival.passed, 303)
      const { login, method } = request.body
      await requestCode(deps, { login, method, address: visitorOf(request).address })
      return showEntry(arrival, reply, { login, method })
    },
  )

  /** Somebody who reloads the page of the code asks for another. */
  app.get(`${url}/verify`, { schema: { querystring: WhereTo } }, async (request, reply) =>
    reply.redirect(signInAt(await arrivalOf(request, reply), 'code'), 303),
  )

  app.post(
    `${url}/verify`,
    {
      config: { rateLimit: { ...limits.otpVerify, hook: 'preHandler' } },
      schema: {
        body: Type.Object({
          ...CodeCredentials.properties,
          method: CodeRequest.properties.method,
          ...WhereTo.properties,
        }),
      },
      errorHandler: again('Enter the six digits that you were sent.', showEntry),
    },
    async (request, reply) => {
      const arrival = await arrivalOf(request, reply)
      if (arrival.passed) return reply.redirect(arrival.passed, 303)
      const { login, code } = request.body
      const opened = await signInByCode(deps, { login, ...visitorOf(request) }, code)
      return letIn(arrival, { opened, amr: ['otp'] }, reply, deps)
    },
  )

  /** Shows a page again with what was typed and why it was refused; `missing` where the form was not filled in. */
  function again(missing: string, show: Show) {
    return async (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      const refusal = refusalFor(error)
      const known = ['InvalidInput', 'InvalidCode', 'TooManyRequests', 'UpstreamFailure'] as const
      if (!refusal || !isRefusal(refusal, ...known)) throw error
      if (refusal.status >= 500) request.log.error({ err: refusal }, 'request failed')
      const { login, method } = (request.body ?? {}) as Record<string, unknown>
      const typed: Typed = {
        ...(typeof login === 'string' ? { login } : {}),
        ...(method === 'sms' || method === 'email' ? { method } : {}),
      }
      const failed = { status: refusal.status, error: error.validation ? missing : refusal.message }
      return show(await arrivalOf(request, reply), reply, typed, failed)
    }
  }
}

type Failed = { status: number; error: string }
type Show = (arrival: Arrival, reply: FastifyReply, typed: Typed, failed?: Failed) => Promise<FastifyReply>

function showRequest(
  arrival: Arrival,
  reply: FastifyReply,
  { login = arrival.hint, method = 'email' }: Typed = {},
  failed?: Failed,
) {
  const { shown, options } = placeOf(arrival, failed)
  return reply.page(
    'code-request',
    { ...shown(`${arrival.url}/code`), method, ...(login ? { login } : {}), password: signInAt(arrival) },
    options,
  )
}

function showEntry(
  arrival: Arrival,
  reply: FastifyReply,
  { login = '', method = 'email' }: Typed,
  failed?: Failed,
) {
  const { shown, options } = placeOf(arrival, failed)
  const carried = { login, method, ...arrival.hidden }
  return reply.page(
    'code-entry',
    {
      ...shown(`${arrival.url}/code/verify`, carried),
      method,
      login,
      minutes: codeLifetimeMinutes,
      another: { action: `${arrival.url}/code`, hidden: carried },
      password: signInAt(arrival),
    },
    options,
  )
}
