/**
 * The provider inside Fastify: an encapsulated scope without body parsers, so that the library reads its own requests.
 * Every endpoint is a route of its own, so that 404, 405, metrics and logs are like everywhere else.
 */
import type { IncomingMessage } from 'node:http'
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import type { Deps, ProviderDeps } from '#src/deps.ts'
import { clientAddress, wholeAddress } from '#src/http/address.ts'
import type { App } from '#src/http/app-type.ts'
import { sessionCookieName } from '#src/http/cookie.ts'
import { refusalFor } from '#src/http/failures.ts'
import { limits } from '#src/http/limits.ts'
import { ownOriginOnly } from '#src/http/origin.ts'
import { asForm, formType } from './as-form.ts'
import { devicePages } from './device-pages.ts'
import { discoveryRoutes } from './discovery.ts'
import type { Exchange } from './exchange.ts'
import { beginExchange } from './exchange.ts'
import { interactionRoutes, Params } from './interactions.ts'
import { paths } from './paths.ts'
import { plainToken } from './plain-token.ts'
import { postedAuthorization } from './posted.ts'
import { postedLogout } from './posted-logout.ts'
import { plainUserinfo } from './userinfo.ts'

/** Hands a request to the library, with what is known of it. */
export type Dispatch = (
  request: FastifyRequest,
  reply: FastifyReply,
  raw?: IncomingMessage,
  known?: Partial<Exchange>,
) => Promise<unknown>

/** Where programs post. */
const endpoints = [
  paths.token,
  paths.introspection,
  paths.revocation,
  paths.device_authorization,
  paths.pushed_authorization_request,
]
const limitOf = (url: string) =>
  url === paths.device_authorization ? { config: { rateLimit: limits.deviceAuthorization } } : {}

export async function installProvider(app: App, deps: ProviderDeps): Promise<void> {
  const dispatch: Dispatch = async (request, reply, raw = request.raw, known = {}) => {
    const exchange = beginExchange(raw, { log: request.log, address: clientAddress(request), ...known })
    trustOnly(raw, request, deps)
    for (const [name, value] of Object.entries(reply.getHeaders()))
      if (value !== undefined) reply.raw.setHeader(name, value)
    await deps.provider.handle(raw, reply.raw)
    if (exchange.answer) return answerInstead(exchange.answer, reply)
    reply.hijack()
  }

  app.setErrorHandler(answerFailure)
  await app.register(discoveryRoutes, deps)
  await app.register(interactionRoutes, deps)
  await app.register(postedLogout)
  await app.register(async (posted: App) => {
    posted.removeAllContentTypeParsers()
    await postedAuthorization(posted, deps)
  })
  await app.register(devicePages, { ...deps, dispatch })

  await app.register(async (raw: App) => {
    raw.removeAllContentTypeParsers()
    raw.addContentTypeParser('*', (_request, _payload, done) => done(null))
    const handler = (request: FastifyRequest, reply: FastifyReply) => dispatch(request, reply)
    raw.get(paths.authorization, handler)
    raw.get(`${paths.authorization}/:uid`, { schema: { params: Params } }, (request, reply) => {
      deps.store.provider.lookAhead(request.raw, 'Interaction', request.params.uid)
      return handler(request, reply)
    })
    raw.route({ method: ['POST', 'OPTIONS'], url: paths.userinfo, handler })
    raw.get(paths.userinfo, async (request, reply) => {
      const claims = await plainUserinfo(request, deps)
      if (!claims) return dispatch(request, reply)
      return reply.headers({ 'cache-control': 'no-store', vary: 'Origin' }).send(claims)
    })
    raw.get(paths.end_session, handler)
    raw.get(`${paths.end_session}/success`, handler)
    const onRequest = ownOriginOnly(deps.config)
    raw.post(`${paths.end_session}/confirm`, { onRequest }, handler)
    for (const url of endpoints) raw.options(url, handler)

    // Programs may send these as JSON as well (interface); the library reads forms.
    await raw.register(async (forms: App) => {
      forms.addContentTypeParser(
        ['application/json'],
        { parseAs: 'string' },
        forms.getDefaultJsonParser('error', 'error'),
      )
      forms.addContentTypeParser(formType, { parseAs: 'buffer' }, (_request, body, done) => done(null, body))
      for (const url of endpoints)
        forms.post(url, limitOf(url), async (request, reply) => {
          const token = url === paths.token && (await plainToken(request, deps))
          if (!token) return dispatch(request, reply, lookingAhead(asForm(request), request, deps))
          return reply.headers({ 'cache-control': 'no-store', vary: 'Origin' }).send(token)
        })
    })
  })
}

const named = /(?:^|&)(code|refresh_token)=([\da-f-]{36})(?:&|$)/

/** What a form shows is looked for beside the client that shows it: one round trip less. */
function lookingAhead(raw: IncomingMessage, { body }: FastifyRequest, { store }: Pick<Deps, 'store'>) {
  const [, kind, id] = (Buffer.isBuffer(body) && named.exec(body.toString('latin1'))) || []
  if (id) store.provider.lookAhead(raw, kind === 'code' ? 'AuthorizationCode' : 'RefreshToken', id)
  return raw
}

/**
 * Host, scheme and address are ours to say: koa would believe any X-Forwarded-For and -Host, and build its URLs from
 * Host. An auth-token header counts wherever the session cookie does, and before it (contract section 3).
 */
function trustOnly(
  { headers }: IncomingMessage,
  request: FastifyRequest,
  { config }: Pick<Deps, 'config'>,
): void {
  const { host, protocol } = new URL(config.oauth.issuer)
  headers.host = host
  headers['x-forwarded-proto'] = protocol.slice(0, -1)
  headers['x-forwarded-for'] = wholeAddress(request)
  delete headers['x-forwarded-host']
  const token = headers['auth-token']
  if (token === undefined) return
  const name = sessionCookieName(config)
  const others = (headers.cookie ?? '')
    .split(/;\s*/)
    .filter((cookie) => cookie && !cookie.startsWith(`${name}=`))
  const own = typeof token === 'string' && /^[\w-]{1,256}$/.test(token) ? [`${name}=${token}`] : []
  headers.cookie = [...others, ...own].join('; ')
}

/** A page in the library's place; what the library set on the raw answer stays, but for a body it will not send. */
async function answerInstead(answer: (reply: FastifyReply) => Promise<FastifyReply>, reply: FastifyReply) {
  for (const name of ['location', 'content-type', 'content-length', 'content-security-policy'])
    reply.raw.removeHeader(name)
  return answer(reply)
}

/** What Fastify itself refuses under /oauth/*: a body that is no JSON, one that is too large. */
async function answerFailure(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
  const refusal = refusalFor(error)
  if (!refusal) throw error
  const { status, name, message } = refusal
  if (status >= 500) request.log.error({ err: refusal }, 'request failed')
  if (/\btext\/html\b/.test(request.headers.accept ?? ''))
    return reply.page('error', { status, name, message }, { status })
  const code = status === 502 ? 'temporarily_unavailable' : status >= 500 ? 'server_error' : 'invalid_request'
  return reply
    .code(status)
    .header('cache-control', 'no-store')
    .send({ error: code, error_description: message, name, message })
}
