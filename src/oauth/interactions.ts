/**
 * The pages between a request and its code: signing in, and allowing the client what it asks for. Each step has an
 * address of its own, to which the interaction's cookie is bound; a step is taken only with that cookie, so nobody can
 * be led into a request that somebody else began (login CSRF).
 */
import formbody from '@fastify/formbody'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Interaction } from 'oidc-provider'
import { errors } from 'oidc-provider'
import Type from 'typebox'
import type { ProviderDeps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { clientAddress } from '#src/http/address.ts'
import type { App } from '#src/http/app-type.ts'
import { ownOriginOnly } from '#src/http/origin.ts'
import { codePages } from '#src/pages/code.ts'
import { signInPages } from '#src/pages/sign-in.ts'
import { stepPages } from '#src/pages/steps.ts'
import { applicationArrival } from './arrival.ts'
import { choose, showChooser } from './chooser.ts'
import { beginAgain } from './failures.ts'
import { grantScopes } from './grants.ts'
import { showConsent } from './interaction-pages.ts'
import { againAsSomebodyElse } from './sign-in-again.ts'

/** Of whatever lies below an interaction. */
export const Params = Type.Object({ uid: Type.String({ maxLength: 64 }) })
const Form = Type.Object({
  decision: Type.Optional(Type.String({ maxLength: 16 })),
})

export async function interactionRoutes(app: App, deps: ProviderDeps): Promise<void> {
  app.removeAllContentTypeParsers()
  await app.register(formbody)
  app.addHook('onRequest', ownOriginOnly(deps.config))
  app.addHook('preHandler', (request, reply, done) => {
    interactionOf(request, reply, deps).catch(() => {}) // told to whoever asks
    done()
  })
  const url = '/oauth/interaction/:uid'

  const arrival = {
    base: `${url}/login`,
    arrivalOf: async (request: FastifyRequest, reply: FastifyReply) =>
      applicationArrival(await interactionOf(request, reply, deps), request, reply, deps),
  }
  signInPages(app, deps, arrival)
  codePages(app, deps, arrival)
  stepPages(app, deps, arrival)

  app.post(`${url}/login/cancel`, { schema: { params: Params } }, async (request, reply) =>
    refuse(await interactionOf(request, reply, deps), reply),
  )

  app.get(`${url}/consent`, { schema: { params: Params } }, async (request, reply) => {
    const interaction = await interactionOf(request, reply, deps)
    return showConsent(interaction, reply, deps)
  })

  app.post(`${url}/consent`, { schema: { params: Params, body: Form } }, async (request, reply) => {
    const interaction = await interactionOf(request, reply, deps)
    if (interaction.prompt.name !== 'consent') throw new Refusal('InvalidInput', 'Nothing is asked here.')
    if (request.body.decision === 'allow') return allow(interaction, request, reply, deps)
    if (request.body.decision === 'switch')
      return reply.redirect(await againAsSomebodyElse(interaction, deps), 303)
    return refuse(interaction, reply)
  })

  app.get(`${url}/select_account`, { schema: { params: Params } }, async (request, reply) =>
    showChooser(await interactionOf(request, reply, deps), reply, deps),
  )

  app.post(`${url}/select_account`, { schema: { params: Params, body: Form } }, async (request, reply) => {
    const interaction = await interactionOf(request, reply, deps)
    if (request.body.decision === 'continue') return choose(interaction, reply)
    if (request.body.decision === 'switch')
      return reply.redirect(await againAsSomebodyElse(interaction, deps), 303)
    return refuse(interaction, reply)
  })
}

const found = new WeakMap<FastifyRequest, Promise<Interaction>>()

/**
 * The interaction whose cookie the browser sent, and whose address it is. Looked for once in a request, in the same round trip
 * to Redis as its limit is counted.
 */
function interactionOf(request: FastifyRequest, reply: FastifyReply, deps: ProviderDeps) {
  const known = found.get(request) ?? findInteraction(request, reply, deps)
  found.set(request, known)
  return known
}

async function findInteraction(request: FastifyRequest, reply: FastifyReply, { provider }: ProviderDeps) {
  const { uid } = request.params as { uid: string }
  try {
    const interaction = await provider.current.interactionDetails(request.raw, reply.raw)
    if (interaction.uid === uid) return interaction
  } catch (error) {
    if (!(error instanceof errors.SessionNotFound)) throw error
  }
  throw new Refusal('InvalidInput', beginAgain)
}

async function allow(
  interaction: Interaction,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: ProviderDeps,
) {
  const accountId = interaction.session?.accountId
  if (!accountId) throw new Refusal('Unauthorized')
  const grantId = await grantScopes(interaction, accountId, clientAddress(request), deps)
  interaction.result = { ...interaction.lastSubmission, consent: { grantId } }
  await interaction.persist()
  return reply.redirect(interaction.returnTo, 303)
}

async function refuse(interaction: Interaction, reply: FastifyReply) {
  interaction.result = { error: 'access_denied', error_description: 'The person did not go on.' }
  await interaction.persist()
  return reply.redirect(interaction.returnTo, 303)
}
