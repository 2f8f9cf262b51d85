import type { FastifyReply } from 'fastify'
import type { Deps, ProviderDeps } from '#src/deps.ts'
import type { App } from '#src/http/app-type.ts'
import { securityHeaders } from '#src/http/headers.ts'
import { beginExchange } from './exchange.ts'
import type { ProviderHolder } from './holder.ts'
import { answerOf, requestOf } from './in-process.ts'
import { paths } from './paths.ts'

type Needs = Pick<Deps, 'config' | 'log'>

const wellKnown = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']

type Document = { head: string[]; content: string }
export type Documents = { metadata: Document; jwks: Document }

/**
 * Discovery (OpenID Connect Discovery, RFC 8414) and the JWKS: taken from the library once for each provider, then
 * answered from memory, the same whatever Host a request names.
 */
export async function discoveryRoutes(app: App, { provider }: ProviderDeps): Promise<void> {
  const serve = (url: string, name: keyof Documents) =>
    app.get(url, { config: { quiet: true } }, (_request, reply: FastifyReply) => {
      const { head, content } = provider.documents[name]
      // `close` where the pod takes no more (src/http/leaving.ts).
      const connection = reply.getHeader('connection')
      reply.hijack()
      reply.raw
        .writeHead(200, connection ? [...head, 'connection', String(connection)] : head)
        .end(content, 'latin1')
    })
  for (const url of wellKnown) serve(url, 'metadata')
  serve(paths.jwks, 'jwks')
}

export async function documentsOf(handle: ProviderHolder['handle'], deps: Needs): Promise<Documents> {
  const { access_token, refresh_token } = deps.config.oauth.token_lifetime
  const metadata = {
    ...(await ask(handle, wellKnown[0] as string, deps)),
    response_modes_supported: ['query', 'form_post'],
    access_token_lifetime: access_token,
    refresh_token_lifetime: refresh_token,
  }
  return {
    metadata: documentOf(metadata, 'application/json; charset=utf-8', deps),
    jwks: documentOf(await ask(handle, paths.jwks, deps), 'application/jwk-set+json; charset=utf-8', deps),
  }
}

/** The whole answer is made once: head and document leave in one piece, past what Fastify does for each reply. */
function documentOf(document: object, type: string, deps: Needs): Document {
  // ASCII only, which leaves as it is: no encoding at each request.
  const content = JSON.stringify(document).replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  // Well below the time a key is published before it signs, so that caches know it by then.
  const age = Math.min(300, Math.floor(deps.config.oauth.keys.prepublish_seconds / 4))
  const head = Object.entries({
    ...securityHeaders(deps),
    'content-type': type,
    'content-length': String(Buffer.byteLength(content)),
    'access-control-allow-origin': '*',
    'cache-control': `public, max-age=${age}`,
    'cross-origin-resource-policy': 'cross-origin',
  }).flat()
  return { head, content }
}

async function ask(handle: ProviderHolder['handle'], url: string, { config, log }: Needs): Promise<object> {
  const { host, protocol } = new URL(config.oauth.issuer)
  const headers = { host, 'x-forwarded-proto': protocol.slice(0, -1), accept: 'application/json' }
  const request = requestOf({ method: 'GET', url, headers })
  beginExchange(request, { log, address: '' })
  const { status, body } = await answerOf(handle, request)
  if (status !== 200) throw new Error(`the provider answered ${status} to ${url}`)
  return JSON.parse(body)
}
