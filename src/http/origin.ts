import type { FastifyRequest } from 'fastify'
import { Refusal } from '#src/errors.ts'
import type { Config } from '#src/settings.ts'

const safeMethods = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * True unless a foreign page made the browser send this (contract section 3): a request that changes something is
 * ours when its Origin is our own, or `null` from the same origin (a page without referrer), or when no browser
 * sent it at all (no Origin, no Sec-Fetch-Site).
 */
export function isOwnOrigin(
  request: FastifyRequest,
  config: { oauth: Pick<Config['oauth'], 'issuer'> },
): boolean {
  if (safeMethods.has(request.method)) return true
  const { origin, 'sec-fetch-site': site } = request.headers
  if (origin === undefined) return site === undefined || site === 'same-origin'
  if (origin === 'null') return site === 'same-origin'
  return origin === new URL(config.oauth.issuer).origin
}

/** A hook for the forms of pages: one that a foreign page sent is refused before anything of it is read. */
export function ownOriginOnly(config: { oauth: Pick<Config['oauth'], 'issuer'> }) {
  return async (request: FastifyRequest): Promise<void> => {
    if (!isOwnOrigin(request, config))
      throw new Refusal('InsufficientPermission', 'This request comes from another site.')
  }
}
