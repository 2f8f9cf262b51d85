/**
 * The account chooser: `prompt=select_account`, and a `login_hint` that names somebody else than who is signed in
 * (OpenID Connect Core section 3.1.2.1). One browser holds one session, so the choice is to go on with it or to sign in
 * as somebody else; whoever has just signed in has chosen.
 */
import type { FastifyReply } from 'fastify'
import type { Interaction, KoaContextWithOIDC } from 'oidc-provider'
import { interactionPolicy } from 'oidc-provider'
import type { Deps, ProviderDeps } from '#src/deps.ts'
import { Refusal } from '#src/errors.ts'
import { accountOf } from '#src/pages/person.ts'
import { subjectOf } from './claims.ts'
import { exchangeOf } from './exchange.ts'
import { applicationBehind, redirectUriOf } from './interaction-pages.ts'
import { interactionPath } from './paths.ts'

const { Check, Prompt } = interactionPolicy
const name = 'select_account'

/** Stands after the sign-in, so that there is somebody to go on as. */
export function accountPrompt(deps: Pick<Deps, 'accounts' | 'config'>) {
  const hinted = new Check(
    'login_hint',
    'the hint names another account',
    'account_selection_required',
    async (ctx) => mayChoose(ctx) && isAboutHint(ctx) && namesAnother(ctx, deps),
  )
  const prompt = new Prompt({ name, requestable: true }, hinted)
  const asked = prompt.checks.get(`${name}_prompt`)
  if (!asked) throw new Error('the library no longer asks for select_account')
  const asks = asked.check
  asked.check = async (ctx) => mayChoose(ctx) && asks(ctx)
  return prompt
}

function mayChoose({ oidc }: KoaContextWithOIDC): boolean {
  const result: Record<string, unknown> = oidc.result ?? {}
  return oidc.session?.accountId !== undefined && !('login' in result) && !(name in result)
}

/** A hint is only that: it fails no silent request, and stops nobody who has just allowed what is asked. */
function isAboutHint({ oidc, req }: KoaContextWithOIDC): boolean {
  return !oidc.prompts.has('none') && !exchangeOf(req).approved && !oidc.entities.Interaction?.deviceCode
}

async function namesAnother(
  { oidc }: KoaContextWithOIDC,
  { accounts, config }: Pick<Deps, 'accounts' | 'config'>,
): Promise<boolean> {
  const hint = spelling(oidc.params?.login_hint)
  if (!hint) return false
  const account = await accounts.find(oidc.session?.accountId ?? '')
  if (!account) return false
  const { uid, mail, mobile } = account.entry
  return ![uid, mail, mobile, subjectOf(account.entry, config)].some((known) => spelling(known) === hint)
}

function spelling(text: unknown): string {
  return typeof text === 'string' ? text.normalize('NFKC').trim().toLowerCase() : ''
}

export async function showChooser(interaction: Interaction, reply: FastifyReply, deps: ProviderDeps) {
  const { uid, prompt, session, params } = interaction
  if (prompt.name !== name) throw new Refusal('InvalidInput', 'Nothing is asked here.')
  const account = session && (await deps.accounts.find(session.accountId))
  if (!account) throw new Refusal('Unauthorized')
  const action = interactionPath(uid, name)
  const hint = prompt.reasons.includes('login_hint') ? String(params.login_hint).slice(0, 254) : undefined
  return reply.page(
    'choose-account',
    {
      form: { action },
      application: await applicationBehind(interaction, deps),
      account: accountOf(account.entry),
      ...(hint ? { hint } : {}),
    },
    { formAction: [redirectUriOf(interaction)] },
  )
}

/** Goes on as who is signed in. */
export async function choose(interaction: Interaction, reply: FastifyReply) {
  if (interaction.prompt.name !== name) throw new Refusal('InvalidInput', 'Nothing is asked here.')
  interaction.result = { ...interaction.lastSubmission, [name]: {} }
  await interaction.persist()
  return reply.redirect(interaction.returnTo, 303)
}
