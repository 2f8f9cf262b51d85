import formbody from '@fastify/formbody'
import type { App } from '#src/http/app-type.ts'
import { paths } from './paths.ts'

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
    return reply.redirect(`${paths.end_session}?${new URLSearchParams(parameters)}`, 303)
  })
}
