import type { KoaContextWithOIDC } from 'oidc-provider'
import { exchangeOf } from './exchange.ts'

/** Sends the form as soon as it is there; the page's policy names its hash. */
const submit = 'document.forms[0].submit()'

/**
 * Response mode form_post (OAuth 2.0 Form Post Response Mode): a page of ours with our policy, which works without
 * scripts too.
 */
export function answerByForm(ctx: KoaContextWithOIDC, uri: string, answer: Record<string, string>): void {
  ctx.status = 200
  ctx.respond = false
  exchangeOf(ctx.req).answer = (reply) =>
    reply.page(
      'form-post',
      { form: { action: uri, hidden: answer } },
      // The application may answer its form with a redirect to another host of its own (after-form.ts).
      { formAction: [uri], formActionSchemes: ['https:', 'http:'], script: submit },
    )
}
