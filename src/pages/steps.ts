/**
 * The steps that stand between signing in by typing and going on (contract section 2, onboarding enforcement): terms,
 * date of birth, password, one by one, each the very call that the API makes. They guide: the session is there already
 * and nothing else looks at them, unless the setting `onboarding.enforce` says so (src/http/protected.ts).
 */
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import type { UserEntry } from '#adapters/ldap/user.ts'
import type { Deps } from '#src/deps.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import { clientAddress } from '#src/http/address.ts'
import type { App } from '#src/http/app-type.ts'
import { refusalFor } from '#src/http/failures.ts'
import { termsHtml } from '#src/tos/markdown.ts'
import { actorFor } from '#src/user/actor.ts'
import type { OnboardingNeed } from '#src/user/onboarding.ts'
import { onboardingNeeds } from '#src/user/onboarding.ts'
import { changePassword } from '#src/user/password.ts'
import { PasswordChange } from '#src/user/schemas.ts'
import { acceptTerms, updateUser } from '#src/user/service.ts'
import type { Arrival, ArrivalPages } from './arrival.ts'
import { placeOf, signInAt, WhereTo } from './arrival.ts'
import { requireSame } from './new-password.ts'
import { callerIn } from './person.ts'

const Step = Type.Union([
  Type.Object({
    step: Type.Literal('tos'),
    version: Type.String({ pattern: '^\\d{1,9}$' }),
    ...WhereTo.properties,
  }),
  Type.Object({
    step: Type.Literal('dob'),
    dateOfBirth: Type.String({ minLength: 1, maxLength: 10 }),
    ...WhereTo.properties,
  }),
  Type.Object({
    step: Type.Literal('password'),
    ...Type.Required(PasswordChange).properties,
    ...WhereTo.properties,
  }),
])

export function stepPages(app: App, deps: Deps, { base, arrivalOf }: ArrivalPages): void {
  const url = `${base}/steps`

  app.get(url, { schema: { querystring: WhereTo } }, async (request, reply) =>
    next(await arrivalOf(request, reply), request, reply),
  )

  app.post(url, { schema: { body: Step }, errorHandler: askAgain }, async (request, reply) => {
    const arrival = await arrivalOf(request, reply)
    const caller = await callerIn(request, deps)
    if (!caller) return reply.redirect(signInAt(arrival), 303)
    const by = actorFor(caller, clientAddress(request))
    const { body } = request
    if (body.step === 'tos') await acceptTerms(deps, by, Number(body.version))
    if (body.step === 'dob') await updateUser(deps, by, caller.uid, { dateOfBirth: body.dateOfBirth })
    if (body.step === 'password') {
      requireSame(body)
      await changePassword(deps, by, caller.uid, body)
    }
    return reply.redirect(signInAt(arrival, 'steps'), 303)
  })

  /** The first open step, or onward. Whoever acts in somebody's name takes none of them. */
  async function next(arrival: Arrival, request: FastifyRequest, reply: FastifyReply, failed?: Failed) {
    const caller = await callerIn(request, deps)
    if (!caller) return reply.redirect(signInAt(arrival), 303)
    const account = caller.impersonator ? undefined : await deps.accounts.find(caller.uid)
    const needs = account ? await onboardingNeeds(deps, account.entry) : []
    const [need] = needs
    if (!account || !need) return reply.redirect(arrival.onward, 303)
    return showStep(
      need,
      { arrival, entry: account.entry, left: needs.length, ...(failed ? { failed } : {}) },
      reply,
      deps,
    )
  }

  async function askAgain(error: FastifyError, request: FastifyRequest, reply: FastifyReply) {
    const refusal = refusalFor(error)
    const known = ['InvalidInput', 'LoginFailed', 'Conflict', 'TooManyRequests'] as const
    if (!refusal || !isRefusal(refusal, ...known)) throw error
    const { step } = (request.body ?? {}) as { step?: OnboardingNeed }
    const said = error.validation && step && step in ask ? ask[step] : refusal.message
    return next(await arrivalOf(request, reply), request, reply, { status: refusal.status, error: said })
  }
}

type Failed = { status: number; error: string }

const ask: Record<OnboardingNeed, string> = {
  tos: 'Read the terms and accept them.',
  dob: 'Enter the day you were born.',
  password: 'Enter your current password and a new one of 8 to 128 characters.',
}

type Shown = { arrival: Arrival; entry: UserEntry; left: number; failed?: Failed }

async function showStep(
  need: OnboardingNeed,
  { arrival, entry, left, failed }: Shown,
  reply: FastifyReply,
  { store }: Pick<Deps, 'store'>,
) {
  const { shown, options } = placeOf(arrival, failed)
  const { cancel, ...rest } = shown(`${arrival.url}/steps`, { step: need, ...arrival.hidden })
  const leave = cancel
    ? { form: cancel, label: 'Cancel' }
    : { form: { action: '/logout' }, label: 'Sign out' }
  const shared = { ...rest, left, leave }
  if (need === 'dob')
    return reply.page('step-birth', { ...shared, today: new Date().toISOString().slice(0, 10) }, options)
  if (need === 'password') return reply.page('step-password', { ...shared, uid: entry.uid }, options)
  const terms = await store.terms.current()
  if (!terms) throw new Refusal('NotFound')
  return reply.page(
    'step-terms',
    { ...shared, html: await termsHtml(terms), version: terms.version },
    options,
  )
}
