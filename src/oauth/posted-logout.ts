import formbody from '@fastify/formbody'
import type { App } from '#src/http/app-type.ts'
import { longestAddress, paths } from './paths.ts'

/**
 * A logout request as a form (OpenID Connect RP-Initiated Logout section 2). It comes from another site, so without our
 * cookie (SameSite=Lax): the browser is sent to ask the same by GET, which brings it.
 */
export async function postedLogout(app: App): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(formbody)
  app.post(paths.end_session, async (request, reply) => {
    const asked = Object.entries((request.body ?? {}) as Record<string, string | string[]>)
    const parameters = asked.flatMap(([name, value]) =>
      [value].flat().map((each): [string, string] => [name, each]),
    )
    return reply.redirect(addressOf(new URLSearchParams(parameters)), 303)
  })
}

/**
 * The same by GET. An ID token that is too long for an address, of somebody in many groups, is left out and its client
 * named instead: anybody may name one, the person is asked all the same, and only targets of that client are followed.
 */
function addressOf(params: URLSearchParams): string {
  const address = `${paths.end_session}?${params}`
  const hint = params.get('id_token_hint')
  if (address.length <= longestAddress || !hint) return address
  const client_id = params.get('client_id') ?? audienceOf(hint)
  params.delete('id_token_hint')
  if (client_id) params.set('client_id', client_id)
  return `${paths.end_session}?${params}`
}

/** Whom an ID token says it was given to, unverified. */
function audienceOf(jwt: string): string | undefined {
  try {
    const { aud } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString())
    return typeof aud === 'string' ? aud : undefined
  } catch {
    return undefined
  }
}
