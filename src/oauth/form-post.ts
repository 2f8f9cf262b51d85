import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import internals from 'oidc-provider/lib/helpers/weak_cache.js'
import { exchangeOf } from './exchange.ts'

type Respond = (ctx: KoaContextWithOIDC, uri: string, answer: Record<string, string>) => void

/** Sends the form as soon as it is there; the page's policy names its hash. */
const submit = 'document.forms[0].submit()'

/**
 * Response mode form_post (OAuth 2.0 Form Post Response Mode): a page of ours with our policy, which works without
 * scripts too. A program that asked for a redirect_url is never answered with a page.
 */
export function answerByForm(provider: Provider): void {
  const { responseModes } = internals(provider)
  const query = responseModes.get('query') as Respond
  if (!query || !responseModes.has('form_post')) throw new Error('the library has no form_post')
  const respond: Respond = (ctx, uri, answer) => {
    const exchange = exchangeOf(ctx.req)
    if (exchange.approved) return query(ctx, uri, answer)
    ctx.status = 200
    ctx.respond = false
    exchange.answer = (reply) =>
      reply.page(
        'form-post',
        { form: { action: uri, hidden: answer } },
        { formAction: [uri], script: submit },
      )
  }
  responseModes.set('form_post', respond)
}
