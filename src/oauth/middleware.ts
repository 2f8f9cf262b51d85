import type { KoaContextWithOIDC } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { Deps } from '#src/deps.ts'
import { isRefusal, Refusal } from '#src/errors.ts'
import { leadOutOfForm } from './after-form.ts'
import { subjectOf } from './claims.ts'
import { exchangeOf } from './exchange.ts'
import { named, wantsPage } from './failures.ts'
import type { ProviderHolder } from './holder.ts'
import { showConsent } from './interaction-pages.ts'
import { leadOn, signOutWithoutSession } from './logout.ts'

/** Runs around the library for each of its requests: what it wrote is stored before its answer leaves. */
export async function finish(
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
  deps: Pick<Deps, 'accounts' | 'store' | 'config'> & { provider: Pick<ProviderHolder, 'current'> },
): Promise<void> {
  const exchange = exchangeOf(ctx.req)
  try {
    await next()
    await exchange.confirmed
    await deps.store.provider.settle(ctx, { refused: ctx.status >= 400 || exchange.failure !== undefined })
    if (isFinal(ctx)) await deps.store.vouch(shownIn(ctx))
  } catch (error) {
    if (!(error instanceof errors.InvalidGrant)) {
      exchange.failure = error
      exchange.log.error({ err: error }, 'the provider failed')
    } else {
      const { error: code, error_description, status } = error
      ctx.status = status
      ctx.body = { error: code, error_description }
    }
  }
  if (exchange.failure) return answerFailure(ctx, exchange.failure)
  const { oidc } = ctx
  if (oidc?.deviceCode) await exchange.recognised?.()
  if (!oidc || exchange.answer) return
  if (isError(ctx.body) && !('name' in ctx.body)) ctx.body = named(ctx.body, ctx.status, exchange.refused)
  if (oidc.route === 'introspection') await nameSubject(ctx, deps)
  if (oidc.route === 'end_session_confirm') leadOn(ctx)
  if (oidc.route === 'end_session') await signOutWithoutSession(ctx)
  // The consent screen stands at the address of the request (interface); only signing in leads elsewhere.
  const { Interaction: interaction } = oidc.entities
  if (oidc.route !== 'authorization' || interaction?.prompt.name !== 'consent' || exchange.approved)
    return leadOutOfForm(ctx)
  ctx.respond = false
  exchange.answer = (reply) => showConsent(interaction, reply, deps)
}

/** An application that reads this throws away what it holds. */
function isFinal({ oidc, body }: KoaContextWithOIDC): boolean {
  return oidc?.route === 'token' && isError(body) && /^invalid_(grant|client)$/.test(body.error)
}

function shownIn({ oidc }: KoaContextWithOIDC) {
  const { code, refresh_token } = (oidc.params ?? {}) as Record<string, string | undefined>
  if (refresh_token) return { model: 'RefreshToken' as const, id: refresh_token }
  return code ? { model: 'AuthorizationCode' as const, id: code } : undefined
}

/** Introspection names people as ID tokens do (setting oauth.subject). */
async function nameSubject(ctx: KoaContextWithOIDC, { accounts, config }: Pick<Deps, 'accounts' | 'config'>) {
  const body = ctx.body as { sub?: string }
  const account = body.sub === undefined ? undefined : await accounts.find(body.sub)
  if (account) body.sub = subjectOf(account.entry, config)
}

/** A system behind us is away (502), or a fault of ours (500): in our form, without anything of the inside. */
function answerFailure(ctx: KoaContextWithOIDC, failure: unknown): void {
  const exchange = exchangeOf(ctx.req)
  const refusal = isRefusal(failure) ? failure : new Refusal('InternalError')
  const { status } = refusal
  const out = named({ error: status === 502 ? 'temporarily_unavailable' : 'server_error' }, status, refusal)
  for (const name of ['location', 'content-length']) ctx.remove(name)
  ctx.status = status
  if (!wantsPage(ctx)) {
    ctx.body = out
    return
  }
  ctx.respond = false
  exchange.answer = (reply) =>
    reply.page('error', { status, name: out.name, message: out.message }, { status })
}

function isError(body: unknown): body is { error: string } {
  return typeof body === 'object' && body !== null && 'error' in body && typeof body.error === 'string'
}
