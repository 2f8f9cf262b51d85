import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '#src/settings.ts'

type IssuerConfig = { oauth: Pick<Config['oauth'], 'issuer'> }

/** Name of the session cookie: `__Host-` binds it to this very host, which browsers allow on https only. */
export function sessionCookieName(config: IssuerConfig): string {
  return isSecure(config) ? '__Host-latchkey' : 'latchkey'
}

/** The session token a browser sent, if any. */
export function sessionCookie(request: FastifyRequest, config: IssuerConfig): string | undefined {
  return request.cookies[sessionCookieName(config)]
}

/** Attributes of the session cookie (contract section 3). */
export function sessionCookieOptions(config: IssuerConfig) {
  return { path: '/', httpOnly: true, sameSite: 'lax' as const, secure: isSecure(config) }
}

export function setSessionCookie(reply: FastifyReply, config: IssuerConfig, token: string): void {
  reply.setCookie(sessionCookieName(config), token, sessionCookieOptions(config))
}

export function clearSessionCookie(reply: FastifyReply, config: IssuerConfig): void {
  reply.clearCookie(sessionCookieName(config), sessionCookieOptions(config))
}

function isSecure(config: IssuerConfig): boolean {
  return config.oauth.issuer.startsWith('https:')
}
