import type { ErrorOut, KoaContextWithOIDC } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { Deps } from '#src/deps.ts'
import type { RefusalName } from '#src/errors.ts'
import { isRefusal, refusalOf } from '#src/errors.ts'
import { accountOf } from '#src/pages/person.ts'
import type { OurClient } from './clients.ts'
import { exchangeOf } from './exchange.ts'
import { paths } from './paths.ts'
import { GroupNotAllowed } from './policy.ts'
import { withSignIn } from './sign-in-again.ts'

export type OAuthError = ErrorOut & { name: string; message: string }

/** For a sign-in that is not there, or not this browser's. */
export const beginAgain =
  'This sign-in was begun elsewhere or is too old: go back to the application and try again.'

/**
 * Errors of /oauth/* carry RFC 6749's `error` and `error_description` and our `name` and `message` (contract section 1).
 * The status is the specification's; so 403 is InsufficientPermission here where a scope is missing.
 */
export function named(out: ErrorOut, status: number, error?: unknown): OAuthError {
  const name = nameOf(out, status, error)
  const message = status >= 500 ? refusalOf(name).message : (out.error_description ?? refusalOf(name).message)
  return { ...out, ...(status >= 500 ? { error_description: message } : {}), name, message }
}

/** Shown by the library where it may not send an error to the client: a page to browsers, JSON to everybody else. */
export async function renderError(
  ctx: KoaContextWithOIDC,
  out: ErrorOut,
  error: unknown,
  { accounts }: Pick<Deps, 'accounts'>,
): Promise<void> {
  const exchange = exchangeOf(ctx.req)
  const status = isRefusal(error) ? error.status : ctx.status
  const { client, account, params } = ctx.oidc
  const said = error instanceof errors.SessionNotFound ? { ...out, error_description: beginAgain } : out
  const failure = named(said, status, error)
  ctx.status = status
  if (!wantsPage(ctx)) {
    ctx.body = failure
    return
  }
  ctx.respond = false
  const { name, message } = failure
  const person = error instanceof GroupNotAllowed && account && (await accounts.find(account.accountId))
  const page =
    person && client
      ? {
          application: applicationOf(client as OurClient),
          account: accountOf(person.entry),
          groups: (client as OurClient).allowed_groups,
          switch: { action: paths.authorization, hidden: withSignIn(params ?? {}) },
        }
      : undefined
  exchange.answer = (reply) =>
    page
      ? reply.page('group-required', page, { status })
      : reply.page('error', { status, name, message }, { status })
}

/** A browser says that it takes HTML; a program does not. */
export function wantsPage({ req }: Pick<KoaContextWithOIDC, 'req'>): boolean {
  return /\btext\/html\b/.test(req.headers.accept ?? '')
}

/** A client as pages show it. */
export function applicationOf(client: OurClient, redirectUri?: string) {
  const uri = redirectUri ?? client.redirectUris?.[0]
  const host = uri && URL.canParse(uri) ? new URL(uri).host : ''
  return {
    name: client.clientName ?? client.clientId,
    ...(host ? { host } : {}),
    ...(client.logoUri ? { logo_uri: client.logoUri } : {}),
  }
}

function nameOf({ error }: ErrorOut, status: number, cause: unknown): RefusalName {
  if (isRefusal(cause)) return cause.name
  if (cause instanceof GroupNotAllowed) return 'GroupRequired'
  if (error === 'invalid_redirect_uri' || cause instanceof errors.InvalidRedirectUri)
    return 'InvalidRedirectURI'
  if (status === 401) return 'Unauthorized'
  if (status === 403) return 'InsufficientPermission'
  if (status === 404) return 'NotFound'
  return status >= 500 ? 'InternalError' : 'InvalidInput'
}
