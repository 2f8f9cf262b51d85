import type { Deps } from '#src/deps.ts'
import type { App } from './app-type.ts'

/** Security headers of every answer; pages replace the policy with their own, still strict, one. */
export function securityHeaders({ config }: Pick<Deps, 'config'>): Record<string, string> {
  return {
    'content-security-policy':
      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    ...(config.oauth.issuer.startsWith('https:') ? { 'strict-transport-security': 'max-age=31536000' } : {}),
  }
}

export function installHeaders(app: App, { config }: Pick<Deps, 'config'>): void {
  let made = { issuer: '', headers: {} }
  // With `done`, not async: Fastify pays for the promise of a hook on every request.
  app.addHook('onRequest', (request, reply, done) => {
    const { issuer } = config.oauth
    if (made.issuer !== issuer) made = { issuer, headers: securityHeaders({ config }) }
    reply.headers(made.headers)
    // Whoever was refused can name the request, and the log carries it.
    if (request.url.startsWith('/api/'))
      reply.header('cache-control', 'no-store').header('x-request-id', request.id)
    done()
  })
}
