import formbody from '@fastify/formbody'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import type { App } from '#src/http/app-type.ts'
import { clearSessionCookie, sessionCookie } from '#src/http/cookie.ts'
import { isOwnOrigin } from '#src/http/origin.ts'
import { termsPage } from '#src/tos/page.ts'
import { verifyPages } from '#src/user/verify-page.ts'
import { apiDocsPage } from './api-docs.ts'
import { ownArrival, WhereTo } from './arrival.ts'
import { codePages } from './code.ts'
import { invitePages } from './invite.ts'
import { signedIn } from './person.ts'
import { portalPages } from './portal.ts'
import { resetPages } from './reset.ts'
import { ownPath } from './return-to.ts'
import { signInPages } from './sign-in.ts'
import { stepPages } from './steps.ts'

const signOut = { action: '/logout' }

/** Our own pages: plain forms that work without scripts, and refuse posts from other sites (attack 39). */
export async function pageRoutes(app: App, deps: Deps) {
  const { config, sessions, store } = deps
  app.removeAllContentTypeParsers()
  await app.register(formbody)
  app.addHook('onRequest', async (request) => {
    if (!isOwnOrigin(request, config))
      throw new Refusal(
        'InsufficientPermission',
        `This request comes from another site than ${config.oauth.issuer}.`,
      )
  })

  await app.register(verifyPages, deps)
  await app.register(termsPage, deps)
  await app.register(resetPages, deps)
  await app.register(invitePages, deps)
  await app.register(apiDocsPage)

  await portalPages(app, deps, async (account, reply) => {
    const { inForce: terms } = await store.terms.standing()
    return reply.page('home', { account, signOut, terms })
  })

  const arrival = {
    base: '/login',
    arrivalOf: (request: FastifyRequest, reply: FastifyReply) => ownArrival(request, reply, deps),
  }
  signInPages(app, deps, arrival)
  codePages(app, deps, arrival)
  stepPages(app, deps, arrival)

  app.get('/logout', async (request, reply) => {
    const account = await signedIn(request, deps)
    return account
      ? reply.page('sign-out', { form: signOut, account })
      : reply.redirect('/login/signed-out', 303)
  })

  /** With `return_to` somebody else signs in and goes there. */
  app.post('/logout', { schema: { body: Type.Union([WhereTo, Type.Null()]) } }, async (request, reply) => {
    const token = sessionCookie(request, config)
    if (token) await sessions.endByToken(token)
    clearSessionCookie(reply, config)
    const { return_to } = request.body ?? {}
    if (return_to)
      return reply.redirect(`/login?${new URLSearchParams({ return_to: ownPath(return_to) })}`, 303)
    return reply.redirect('/login/signed-out', 303)
  })

  app.get('/login/signed-out', async (_request, reply) => reply.page('signed-out', {}))
}
