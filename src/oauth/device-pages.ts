import formbody from '@fastify/formbody'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { ProviderDeps } from '#src/deps.ts'
import type { App } from '#src/http/app-type.ts'
import { limits } from '#src/http/limits.ts'
import { ownOriginOnly } from '#src/http/origin.ts'
import { callerIn } from '#src/pages/person.ts'
import { asForm } from './as-form.ts'
import { countGuess } from './device-guesses.ts'
import type { Dispatch } from './mount.ts'
import { paths } from './paths.ts'

const Query = Type.Object({ user_code: Type.Optional(Type.String({ maxLength: 64 })) })
const Form = Type.Object({
  user_code: Type.Optional(Type.String({ maxLength: 64 })),
  xsrf: Type.Optional(Type.String({ maxLength: 128 })),
  confirm: Type.Optional(Type.String({ maxLength: 8 })),
  abort: Type.Optional(Type.String({ maxLength: 8 })),
})

/**
 * Where people enter the code of a device (RFC 8628 section 3.3). They are signed in before they do: nobody guesses codes
 * without an account, and the library's mark against forged forms lies in the session.
 */
export async function devicePages(app: App, deps: ProviderDeps & { dispatch: Dispatch }): Promise<void> {
  const { dispatch, metrics } = deps
  const url = paths.code_verification
  app.removeAllContentTypeParsers()
  await app.register(formbody)
  app.addHook('onRequest', ownOriginOnly(deps.config))

  app.get(url, { schema: { querystring: Query } }, async (request, reply) => {
    if (!(await callerIn(request, deps))) return signInFirst(request.query.user_code, reply)
    // The library would post a code it finds here by a script; the page shows it in its field instead.
    request.raw.url = url
    return dispatch(request, reply)
  })

  app.post(
    url,
    { config: { rateLimit: limits.deviceCode }, schema: { body: Form } },
    async (request, reply) => {
      const { user_code: code = '', confirm } = request.body
      const caller = await callerIn(request, deps)
      if (!caller) return signInFirst(code, reply)
      if (!code.trim()) return dispatch(request, reply, asForm(request))
      const takeBack = await countGuess(caller.uid, deps, (seconds) => reply.header('retry-after', seconds))
      let found = false
      const recognised = async () => {
        found = true
        await takeBack()
      }
      await dispatch(request, reply, asForm(request), { recognised, approved: confirm !== undefined })
      if (!found) metrics.deviceCodes.inc({ outcome: 'wrong' })
      return reply
    },
  )

  app.get(`${url}/:uid`, (request: FastifyRequest, reply: FastifyReply) => dispatch(request, reply))
}

function signInFirst(code: string | undefined, reply: FastifyReply) {
  const back = code
    ? `${paths.code_verification}?${new URLSearchParams({ user_code: code })}`
    : paths.code_verification
  return reply.redirect(`/login?${new URLSearchParams({ return_to: back })}`, 303)
}
