import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { ProviderDeps } from '#src/deps.ts'
import type { RefusalName } from '#src/errors.ts'
import { isRefusal, Refusal, refusalNames } from '#src/errors.ts'
import { anyUser, inPerson } from '#src/http/access.ts'
import { clientAddress } from '#src/http/address.ts'
import type { App } from '#src/http/app-type.ts'
import { presentedToken } from '#src/http/caller.ts'
import { sessionCookieName } from '#src/http/cookie.ts'
import { refusals } from '#src/http/replies.ts'
import type { Exchange } from './exchange.ts'
import { beginExchange } from './exchange.ts'
import { answerOf, requestOf } from './in-process.ts'
import { paths } from './paths.ts'
import { Authorization, Authorized } from './schemas.ts'

/**
 * `POST /api/oauth/authorize`, called by a consent page: whoever calls it allows what it asks for. The request runs
 * through the very pipeline of `GET /oauth/authorize`, in process, so that every check is the same.
 */
export async function authorizeRoutes(app: App, deps: ProviderDeps): Promise<void> {
  app.post(
    '/authorize',
    {
      config: { access: inPerson(anyUser) },
      schema: {
        tags: ['oauth'],
        summary: 'Allows a client what it asks for, and answers where to send the browser with the code.',
        body: Authorization,
        response: { 200: Authorized, ...refusals('InvalidRedirectURI', 'Unauthorized', 'GroupRequired') },
      },
    },
    async (request) => {
      const asked = pipelineRequest(request, request.body, deps)
      const exchange = beginExchange(asked, {
        log: request.log,
        address: clientAddress(request),
        approved: true,
      })
      const { status, location, body } = await answerOf(deps.provider.handle, asked)
      if (location === undefined) throw refusalOfBody(status, body, exchange)
      return { redirect_url: succeeded(location) }
    },
  )
}

function pipelineRequest(request: FastifyRequest, body: Static<typeof Authorization>, deps: ProviderDeps) {
  const { config } = deps
  const { host, protocol } = new URL(config.oauth.issuer)
  // This route shows nobody a page, so a check that would need one fails instead.
  const asked = Object.entries({ prompt: 'none', ...body })
  const parameters = new URLSearchParams(
    asked.map(([name, value]): [string, string] => [name, String(value)]),
  )
  const token = presentedToken(request, deps)?.token ?? ''
  return requestOf({
    method: 'GET',
    url: `${paths.authorization}?${parameters}`,
    headers: {
      host,
      'x-forwarded-proto': protocol.slice(0, -1),
      accept: 'application/json',
      cookie: `${sessionCookieName(config)}=${token}`,
      'user-agent': request.headers['user-agent'] ?? '',
    },
    socket: request.raw.socket,
  })
}

const needsBrowser = 'This request needs a fresh sign-in: send the browser to GET /oauth/authorize.'

/** The redirect to the client with its code; an error that would go there, or a page of ours, is a refusal here. */
function succeeded(location: string): string {
  const url = new URL(location, 'http://own.invalid')
  const error = url.searchParams.get('error') ?? new URLSearchParams(url.hash.slice(1)).get('error')
  if (error !== null) {
    if (error === 'login_required') throw new Refusal('Unauthorized', needsBrowser)
    throw new Refusal('InvalidInput', `${error}: ${url.searchParams.get('error_description') ?? ''}`)
  }
  if (!url.searchParams.has('code')) throw new Refusal('Unauthorized', needsBrowser)
  return location
}

function refusalOfBody(status: number, body: string, { failure }: Exchange): Error {
  if (isRefusal(failure)) return failure
  if (status >= 500 || !body)
    return failure instanceof Error ? failure : new Error(`the provider answered ${status}`)
  const { name, message } = JSON.parse(body) as { name: string; message: string }
  const known = refusalNames.includes(name as RefusalName) ? (name as RefusalName) : 'InvalidInput'
  return new Refusal(known, message)
}
