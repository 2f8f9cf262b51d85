import type { KoaContextWithOIDC } from 'oidc-provider'
import { exchangeOf } from './exchange.ts'
import { wantsPage } from './failures.ts'

/**
 * Browsers hold a form to its page's form-action through every redirect that follows, those of the application too: one
 * that takes its code at one host and goes on to another would never be reached. So a way out that begins at a form of
 * ours ends with a page, and what leads on from there belongs to no form. Our pages tell us their address (Referer).
 */
export function leadOutOfForm(ctx: KoaContextWithOIDC): void {
  const target = ctx.response.get('location')
  const own = new URL(ctx.oidc.issuer).origin
  if (ctx.status !== 303 || !wantsPage(ctx) || originOf(ctx.get('referer')) !== own) return
  // To a program of its own scheme some browsers go only from a click, which a redirect still is.
  if (!/^https?:/i.test(target) || originOf(target) === own) return
  ctx.respond = false
  exchangeOf(ctx.req).answer = (reply) => reply.page('lead-on', { href: target }, { goOn: target })
}

function originOf(uri: string): string | undefined {
  return URL.canParse(uri) ? new URL(uri).origin : undefined
}
