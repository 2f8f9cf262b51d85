import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Interaction } from 'oidc-provider'
import type { Opened } from '#src/auth/door.ts'
import type { ProviderDeps } from '#src/deps.ts'
import { sessionCookie, setSessionCookie } from '#src/http/cookie.ts'
import type { Arrival } from '#src/pages/arrival.ts'
import { applicationBehind, redirectUriOf } from './interaction-pages.ts'
import { interactionPath } from './paths.ts'
import { renewsToken } from './seams.ts'

/** Signing in for an application. The prompt decides, so a step cannot be skipped by changing the address. */
export async function applicationArrival(
  interaction: Interaction,
  request: FastifyRequest,
  reply: FastifyReply,
  deps: ProviderDeps,
): Promise<Arrival> {
  const { uid, prompt, params } = interaction
  const url = interactionPath(uid, 'login')
  return {
    url,
    application: await applicationBehind(interaction, deps),
    ...(typeof params.login_hint === 'string' ? { hint: params.login_hint } : {}),
    cancel: { action: `${url}/cancel` },
    formAction: [redirectUriOf(interaction)],
    ...(prompt.name === 'login' ? {} : { passed: interactionPath(uid, 'consent') }),
    admit: (opened, amr) => admit(interaction, { opened, amr }, request, reply, deps),
    onward: interaction.returnTo,
  }
}

/**
 * Whoever was signed in as somebody else is signed out; whoever proves anew who they are keeps their session, under a
 * new token. The interaction goes on in that session only: one that has ended meanwhile is not made anew by what was typed
 * in it, and no other that the browser shows becomes theirs.
 */
async function admit(
  interaction: Interaction,
  { opened, amr }: { opened: Opened; amr: string[] },
  request: FastifyRequest,
  reply: FastifyReply,
  { config, sessions }: ProviderDeps,
): Promise<void> {
  const before = sessionCookie(request, config)
  const was = before === undefined ? undefined : await sessions.read(before)
  const keeps = was?.uid === opened.uid
  if (keeps) await sessions.endByToken(opened.token)
  else {
    if (was) await sessions.end(was.uid, was.id)
    setSessionCookie(reply, config, opened.token)
  }
  const accountId = opened.uid
  interaction.session = { accountId, uid: keeps ? was.id : opened.id, cookie: '' }
  const ts = Math.floor(Date.now() / 1000)
  interaction.result = { login: { accountId, remember: false, amr, ts }, [renewsToken]: keeps }
  await interaction.persist()
}
