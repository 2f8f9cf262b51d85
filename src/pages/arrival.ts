import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { Opened } from '#src/auth/door.ts'
import type { Deps } from '#src/deps.ts'
import { clientAddress } from '#src/http/address.ts'
import { sessionCookie, setSessionCookie } from '#src/http/cookie.ts'
import type { OnboardingDeps } from '#src/user/onboarding.ts'
import { onboardingNeeds } from '#src/user/onboarding.ts'
import { signedIn } from './person.ts'
import { ownPath } from './return-to.ts'
import type { Application, Post } from './views.ts'

/**
 * Where somebody signs in by typing: on our own page, or between an application's request and its code. The ways of
 * signing in and the steps after them are the same in both places, at addresses below that of the sign-in page.
 */
export type Arrival = {
  /** The sign-in page. */
  url: string
  /** What all forms carry along. */
  hidden?: Record<string, string>
  application?: Application
  /** Username that is likely. */
  hint?: string
  /** Gives up and goes back to the application. */
  cancel?: Post
  /** Where the forms may end beside ourselves. */
  formAction?: string[]
  /** Nobody needs to sign in here: where to go instead. */
  passed?: string
  /** Makes a session the browser's. */
  admit(opened: Opened, amr: string[]): Promise<void>
  /** Where somebody goes who has signed in and has no step open. */
  onward: string
}
export type ArrivalOf = (request: FastifyRequest, reply: FastifyReply) => Promise<Arrival>
/** `base` is the sign-in page's route. */
export type ArrivalPages = { base: string; arrivalOf: ArrivalOf }

export const WhereTo = Type.Object({ return_to: Type.Optional(Type.String()) })

/** Our own sign-in page, from which one goes on to `return_to`. */
export async function ownArrival(request: FastifyRequest, reply: FastifyReply, deps: Deps): Promise<Arrival> {
  const { config, sessions } = deps
  const onward = ownPath(returnTo(request))
  const known = request.method === 'GET' && (await signedIn(request, deps))
  return {
    url: '/login',
    ...(onward === '/' ? {} : { hidden: { return_to: onward } }),
    ...(known ? { passed: onward } : {}),
    async admit({ token }) {
      const replaced = sessionCookie(request, config)
      if (replaced) await sessions.endByToken(replaced)
      setSessionCookie(reply, config, token)
    },
    onward,
  }
}

/** What the services know a visitor by. */
export function visitorOf(request: FastifyRequest) {
  return { address: clientAddress(request), agent: request.headers['user-agent'] ?? '' }
}

/** The sign-in page, or one below it, with what its forms carry along. */
export function signInAt({ url, hidden }: Arrival, path?: string): string {
  return (path ? `${url}/${path}` : url) + (hidden ? `?${new URLSearchParams(hidden)}` : '')
}

/** What every page of an arrival shows, given where its form goes, and how it is answered. */
export function placeOf(
  { hidden, application, cancel, formAction }: Arrival,
  failed?: { status: number; error: string },
) {
  return {
    shown: (action: string, carried: Record<string, string> | undefined = hidden) => ({
      form: { action, ...(carried ? { hidden: carried } : {}) },
      ...(application ? { application } : {}),
      ...(cancel ? { cancel } : {}),
      ...(failed ? { error: failed.error } : {}),
    }),
    options: { status: failed?.status ?? 200, ...(formAction ? { formAction } : {}) },
  }
}

/** Lets somebody in who has just shown who they are, past the steps that are open (contract section 2). */
export async function letIn(
  arrival: Arrival,
  { opened, amr }: { opened: Opened; amr: string[] },
  reply: FastifyReply,
  deps: Pick<Deps, 'accounts'> & OnboardingDeps,
): Promise<FastifyReply> {
  const [needs] = await Promise.all([
    deps.accounts.find(opened.uid).then((account) => (account ? onboardingNeeds(deps, account.entry) : [])),
    arrival.admit(opened, amr),
  ])
  return reply.redirect(needs.length > 0 ? signInAt(arrival, 'steps') : arrival.onward, 303)
}

function returnTo({ query, body }: FastifyRequest): string | undefined {
  const given = [query, body].map((from) => (from as { return_to?: unknown } | undefined)?.return_to)
  return given.find((path) => typeof path === 'string')
}
