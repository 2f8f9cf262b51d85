import Type from 'typebox'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { anyUser, inPerson } from '#src/http/access.ts'
import { clientAddress } from '#src/http/address.ts'
import type { App } from '#src/http/app-type.ts'
import { callerOf, presentedToken } from '#src/http/caller.ts'
import { clearSessionCookie, setSessionCookie } from '#src/http/cookie.ts'
import { limits } from '#src/http/limits.ts'
import { isOwnOrigin } from '#src/http/origin.ts'
import { refusals, results } from '#src/http/replies.ts'
import { codeRoutes } from './code-routes.ts'
import { resetRoutes } from './reset-routes.ts'
import { Credentials, Ended, NameQuery, Said, Session, SignedIn, Suggestions } from './schemas.ts'
import { signIn } from './service.ts'
import { suggestUsernames } from './suggestions.ts'

const tags = ['auth']

/** The interface's Authentication table: nobody is asked who they are. */
export async function authRoutes(app: App, deps: Deps) {
  app.post(
    '/login',
    {
      config: { rateLimit: limits.login },
      schema: {
        tags,
        summary: 'Sign in with a password.',
        body: Credentials,
        response: { 200: SignedIn, ...refusals('LoginFailed', 'InsufficientPermission', 'TooManyRequests') },
      },
    },
    async (request, reply) => {
      if (!isOwnOrigin(request, deps.config)) throw new Refusal('InsufficientPermission')
      const from = { address: clientAddress(request), agent: request.headers['user-agent'] ?? '' }
      const { token } = await signIn(deps, { ...request.body, ...from })
      setSessionCookie(reply, deps.config, token)
      return { login: true, token, message: 'You are signed in.' }
    },
  )

  app.all(
    '/logout',
    {
      schema: {
        tags,
        summary: 'End the session; a GET with only the cookie asks on a page first.',
        response: { 200: Said, ...refusals('InsufficientPermission') },
      },
    },
    async (request, reply) => {
      const presented = presentedToken(request, deps)
      if (presented?.by === 'cookie') {
        if (request.method === 'GET' || request.method === 'HEAD') return reply.redirect('/logout', 303)
        if (!isOwnOrigin(request, deps.config)) throw new Refusal('InsufficientPermission')
      }
      if (presented) await deps.sessions.endByToken(presented.token)
      clearSessionCookie(reply, deps.config)
      return { message: 'You are signed out.' }
    },
  )

  app.get(
    '/username-suggestions',
    {
      config: { rateLimit: limits.usernameSuggestions },
      schema: {
        tags,
        summary: 'Up to six usernames that are free.',
        querystring: NameQuery,
        response: { 200: Suggestions, ...refusals('TooManyRequests') },
      },
    },
    async ({ query }) => ({ suggestions: await suggestUsernames(deps, query) }),
  )

  codeRoutes(app, deps)
  resetRoutes(app, deps)
}

/** The caller's own sessions (contract section 3). */
export async function sessionRoutes(app: App, { sessions }: Deps) {
  app.get(
    '/',
    {
      config: { access: inPerson(anyUser) },
      schema: {
        tags,
        summary: 'My sessions.',
        response: { 200: results(Type.Array(Session)), ...refusals('Unauthorized') },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      const all = await sessions.list(caller.uid)
      return { results: all.map((session) => ({ ...session, current: session.id === caller.session })) }
    },
  )

  app.delete(
    '/:id',
    {
      config: { access: inPerson(anyUser) },
      schema: {
        tags,
        summary: 'End one of my sessions.',
        params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
        response: { 200: Ended, ...refusals('Unauthorized', 'NotFound') },
      },
    },
    async (request) => {
      if (!(await sessions.end(callerOf(request).uid, request.params.id))) throw new Refusal('NotFound')
      return { results: true, message: 'The session has ended.' }
    },
  )

  app.delete(
    '/',
    {
      config: { access: inPerson(anyUser) },
      schema: {
        tags,
        summary: 'End all my other sessions.',
        response: { 200: Ended, ...refusals('Unauthorized') },
      },
    },
    async (request) => {
      const caller = callerOf(request)
      await sessions.endAll(caller.uid, caller.session)
      return { results: true, message: 'All other sessions have ended.' }
    },
  )
}
