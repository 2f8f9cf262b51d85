import type { FastifyRequest } from 'fastify'
import type { ProviderDeps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import type { App } from '#src/http/app-type.ts'
import { longestAddress, paths } from './paths.ts'

const limits = { bodyLimit: 64 * 1024 }

/**
 * `POST /oauth/authorize` (OpenID Connect Core section 3.1.2.1). A form that comes from another site brings no SameSite
 * cookie, so the browser is sent to the same request as a GET, which does.
 */
export async function postedAuthorization(app: App, deps: ProviderDeps): Promise<void> {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, text, done) => done(null, text),
  )
  app.post(paths.authorization, limits, async (request: FastifyRequest, reply) =>
    reply.redirect(await addressOf(new URLSearchParams(String(request.body ?? '')), deps), 303),
  )
}

/** The address of a request. One that is too long for an address is kept here for a minute, as if it had been pushed. */
export async function addressOf(
  params: URLSearchParams,
  { provider, config }: ProviderDeps,
): Promise<string> {
  const address = `${paths.authorization}?${params}`
  const client_id = params.get('client_id')
  if (address.length <= longestAddress || !client_id) return address
  const names = [...params.keys()]
  if (new Set(names).size < names.length)
    throw new Refusal('InvalidInput', 'A parameter stands in the request twice.')
  // What nobody registered is kept for nobody: it is refused as it would be at any length.
  if (!(await provider.current.Client.find(client_id)))
    return `${paths.authorization}?${new URLSearchParams({ client_id })}`
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: client_id, aud: config.oauth.issuer, iat: now, nbf: now, exp: now + 60 }
  const { PushedAuthorizationRequest } = provider.current
  const request = new PushedAuthorizationRequest({
    request: unsigned({ ...Object.fromEntries(params), ...claims }),
    trusted: false,
  } as never)
  const id = await request.save(60)
  const request_uri = `urn:ietf:params:oauth:request_uri:${id}`
  return `${paths.authorization}?${new URLSearchParams({ client_id, request_uri })}`
}

/** As the library keeps pushed requests: a JWT that nobody else ever sees (RFC 7519 section 6). */
function unsigned(payload: object): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  return `${part({ alg: 'none' })}.${part(payload)}.`
}
