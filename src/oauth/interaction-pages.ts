import type { FastifyReply } from 'fastify'
import type { Interaction } from 'oidc-provider'
import type { Deps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { accountOf } from '#src/pages/person.ts'
import type { OurClient } from './clients.ts'
import { applicationOf } from './failures.ts'
import type { ProviderHolder } from './holder.ts'
import { interactionPath } from './paths.ts'
import { askedScopes } from './requested-claims.ts'

type PageDeps = Pick<Deps, 'accounts'> & { provider: Pick<ProviderHolder, 'current'> }

/** Also shown at the address of the request itself, where somebody is signed in already (mount.ts). */
export async function showConsent(interaction: Interaction, reply: FastifyReply, deps: PageDeps) {
  const { uid, prompt, session, params } = interaction
  if (prompt.name !== 'consent') return reply.redirect(interactionPath(uid, 'login'), 303)
  const account = session && (await deps.accounts.find(session.accountId))
  if (!account) throw new Refusal('Unauthorized')
  const action = interactionPath(uid, 'consent')
  return reply.page(
    'consent',
    {
      form: { action },
      // A device's request cannot begin again in a browser.
      ...(interaction.deviceCode ? {} : { switch: { action, hidden: { decision: 'switch' } } }),
      application: await applicationBehind(interaction, deps),
      account: accountOf(account.entry),
      scopes: askedScopes(params),
    },
    { formAction: [redirectUriOf(interaction)] },
  )
}

/** The application that asks. */
export async function applicationBehind(interaction: Interaction, { provider }: Pick<PageDeps, 'provider'>) {
  const client = (await provider.current.Client.find(String(interaction.params.client_id))) as
    | OurClient
    | undefined
  if (!client) throw new Refusal('InvalidInput', 'The application is no longer registered.')
  return applicationOf(client, redirectUriOf(interaction))
}

export function redirectUriOf({ params }: Interaction): string {
  return String(params.redirect_uri ?? '')
}
