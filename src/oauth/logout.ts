import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Deps } from '#src/deps.ts'
import { accountOf } from '#src/pages/person.ts'
import type { OurClient } from './clients.ts'
import { exchangeOf } from './exchange.ts'
import { applicationOf } from './failures.ts'
import { paths } from './paths.ts'
import { isPattern } from './redirect-uri.ts'

type LogoutState = { secret: string; state?: string; postLogoutRedirectUri?: string }

/** OpenID Connect RP-Initiated Logout section 2: the person is asked; a link alone signs nobody out. */
export async function askBeforeLogout(
  ctx: KoaContextWithOIDC,
  { accounts }: Pick<Deps, 'accounts'>,
): Promise<void> {
  const { session, client } = ctx.oidc
  const { secret, postLogoutRedirectUri } = (session?.state ?? {}) as LogoutState
  const account = session?.accountId ? await accounts.find(session.accountId) : undefined
  const form = {
    action: '/oauth/logout/confirm',
    hidden: { xsrf: secret },
    button: { name: 'logout', value: 'yes' },
  }
  ctx.respond = false
  exchangeOf(ctx.req).answer = (reply) =>
    reply.page(
      'sign-out',
      {
        form,
        stay: { action: form.action, hidden: form.hidden },
        ...(client ? { application: applicationOf(client as OurClient, postLogoutRedirectUri) } : {}),
        ...(account ? { account: accountOf(account.entry) } : {}),
      },
      { formAction: postLogoutRedirectUri ? [postLogoutRedirectUri] : [] },
    )
}

export function showSignedOut(ctx: KoaContextWithOIDC): void {
  ctx.respond = false
  const { client } = ctx.oidc
  const back = client && homeOf(client as OurClient)
  exchangeOf(ctx.req).answer = (reply) => reply.page('signed-out', back ? { back } : {})
}

/** The way back to the application: the front page of the first place its codes go to. */
function homeOf(client: OurClient): { href: string; label: string } | undefined {
  const uri = client.redirectUris?.find((each) => /^https?:/.test(each) && !isPattern(each))
  return uri ? { href: `${new URL(uri).origin}/`, label: `Back to ${applicationOf(client).name}` } : undefined
}

/**
 * Where no registered target was named: whoever stays signed in goes to their account, whoever signed out to the page
 * that says so, which is told the application for the way back.
 */
export function leadOn(ctx: KoaContextWithOIDC): void {
  const { params, client } = ctx.oidc
  const target = new URL(ctx.response.get('location') || '/', 'http://own.invalid')
  if (ctx.status !== 303 || target.pathname !== `${paths.end_session}/success`) return
  if (!params?.logout) ctx.redirect('/')
  else if (client) ctx.redirect(`${target.pathname}?${new URLSearchParams({ client_id: client.clientId })}`)
}

/** Who is signed out already is not asked: on to where the client wants them, or to the page that says so. */
export async function signOutWithoutSession(ctx: KoaContextWithOIDC): Promise<void> {
  const { session } = ctx.oidc
  if (session?.accountId || ctx.status !== 200) return
  const { state, postLogoutRedirectUri } = (session?.state ?? {}) as LogoutState
  ctx.remove('set-cookie')
  ctx.body = null
  if (!postLogoutRedirectUri) return showSignedOut(ctx)
  const target = new URL(postLogoutRedirectUri)
  if (state !== undefined) target.searchParams.set('state', state)
  ctx.status = 303
  ctx.redirect(target.href)
}
