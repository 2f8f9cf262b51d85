import type { FastifyReply } from 'fastify'
import type { ProviderDeps } from '#src/deps.ts'
import type { App } from '#src/http/app-type.ts'
import { securityHeaders } from '#src/http/headers.ts'
import { beginExchange } from './exchange.ts'
import { answerOf, requestOf } from './in-process.ts'
import { paths } from './paths.ts'

const wellKnown = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']

/**
 * Discovery (OpenID Connect Discovery, RFC 8414) and the JWKS: taken from the library once, then answered from memory,
 * the same whatever Host a request names.
 */
export async function discoveryRoutes(app: App, deps: ProviderDeps): Promise<void> {
  const { access_token, refresh_token } = deps.config.oauth.token_lifetime
  const metadata = {
    ...(await ask(deps, wellKnown[0] as string, app)),
    response_modes_supported: ['query'],
    access_token_lifetime: access_token,
    refresh_token_lifetime: refresh_token,
  }
  for (const url of wellKnown) serve(app, deps, url, 'application/json; charset=utf-8', metadata)
  const keys = await ask(deps, paths.jwks, app)
  serve(app, deps, paths.jwks, 'application/jwk-set+json; charset=utf-8', keys)
}

/** The whole answer is made once: head and document leave in one piece, past what Fastify does for each reply. */
function serve(app: App, deps: ProviderDeps, url: string, type: string, document: object): void {
  const content = JSON.stringify(document)
  const head = Object.entries({
    ...securityHeaders(deps),
    'content-type': type,
    'content-length': String(Buffer.byteLength(content)),
    'access-control-allow-origin': '*',
    'cache-control': 'public, max-age=300',
    'cross-origin-resource-policy': 'cross-origin',
  }).flat()
  app.get(url, (_request, reply: FastifyReply) => {
    reply.hijack()
    reply.raw.writeHead(200, head).end(content)
  })
}

async function ask({ provider, config, log }: ProviderDeps, url: string, app: App): Promise<object> {
  const { host, protocol } = new URL(config.oauth.issuer)
  const headers = { host, 'x-forwarded-proto': protocol.slice(0, -1), accept: 'application/json' }
  const request = requestOf({ method: 'GET', url, headers })
  beginExchange(request, { log: app.log ?? log, address: '' })
  const { status, body } = await answerOf(provider.callback(), request)
  if (status !== 200) throw new Error(`the provider answered ${status} to ${url}`)
  return JSON.parse(body)
}
