import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { RefusalName } from '#src/errors.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import type { App } from './app-type.ts'

/**
 * Every failure leaves as `{name, message}` with a declared name, to a person outside of `/api/` on a page that says
 * the same; a 500 says nothing but an id that the log carries.
 */
export function installFailures(app: App): void {
  app.setErrorHandler((error: FastifyError, request, reply) => answerFailure(error, request, reply))
  const methodsOf = registeredMethods(app)
  app.setNotFoundHandler((request, reply) => {
    // A file that is not there is missed at a route of this very method.
    const found = methodsOf(request.url)
    const allowed = found.includes(request.method) ? [] : found
    if (allowed.length > 0) reply.header('allow', allowed.join(', '))
    throw new Refusal(allowed.length > 0 ? 'MethodNotAllowed' : 'NotFound')
  })
}

/** The refusal an error becomes on the wire, `undefined` for one of ours that nobody declared. */
export function refusalFor(error: FastifyError | Error): Refusal | undefined {
  if (isRefusal(error)) return error
  const { validation, validationContext, statusCode, code } = error as FastifyError
  if (validation) return new Refusal('InvalidInput', validationMessage(validation[0], validationContext))
  const name = byStatus[statusCode ?? 500]
  if (name) return new Refusal(name, name === 'InvalidInput' ? requestFault(code) : undefined)
  return undefined
}

function answerFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const refusal = refusalFor(error)
  if (!refusal) {
    request.log.error({ err: error }, 'request failed')
    const { status, name, message } = new Refusal('InternalError')
    if (wantsPage(request)) return reply.page('error', { status, name, message }, { status })
    return reply.code(status).send({ name, message, id: request.id })
  }
  const { status, name, message } = refusal
  if (status >= 500) request.log.error({ err: refusal }, 'request failed')
  if (wantsPage(request)) return reply.page('error', { status, name, message }, { status })
  return reply.code(status).send({ name, message })
}

/** Outside of `/api/` (contract section 1), whoever asks for HTML by name reads a failure on a page. */
function wantsPage({ url, headers }: FastifyRequest): boolean {
  return !url.startsWith('/api/') && /\btext\/html\b/.test(headers.accept ?? '')
}

const byStatus: Record<number, RefusalName> = {
  400: 'InvalidInput',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  413: 'PayloadTooLarge',
  414: 'InvalidInput',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  431: 'InvalidInput',
}

function requestFault(code: string | undefined): string | undefined {
  if (code === 'FST_ERR_CTP_EMPTY_JSON_BODY') return 'The body is empty: send a JSON object.'
  if (code === 'FST_ERR_CTP_INVALID_JSON_BODY' || code === undefined) return 'The body is not valid JSON.'
  return undefined
}

type Fault = { instancePath: string; keyword: string; message?: string; params: Record<string, unknown> }

/** One sentence that names the field. */
function validationMessage(fault: Fault | undefined, context = 'body'): string {
  if (!fault) return `The ${context} is not valid.`
  const path = fault.instancePath.slice(1).replaceAll('/', '.')
  const at = (name: unknown) => [path, name].filter(Boolean).join('.')
  if (fault.keyword === 'additionalProperties')
    return `${at(fault.params.additionalProperty)} is not a known field.`
  if (fault.keyword === 'required') return `${at(fault.params.missingProperty)} is required.`
  return `${path || `The ${context}`} ${fault.message ?? 'is not valid'}.`
}

/** Methods registered for a URL, for 405 with Allow (RFC 9110 section 15.5.6); asked only when no route matched. */
function registeredMethods(app: App): (url: string) => string[] {
  const routes: { pattern: RegExp; methods: string[] }[] = []
  app.addHook('onRoute', ({ url, method }) => {
    const source = url
      .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:\w+/g, '[^/]+')
      .replaceAll('*', '.*')
    routes.push({ pattern: new RegExp(`^${source}$`), methods: [method].flat() })
  })
  return (url) => {
    const path = url.split('?', 1)[0] as string
    return [...new Set(routes.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods))]
  }
}
