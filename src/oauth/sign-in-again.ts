import type { Interaction } from 'oidc-provider'
import type { ProviderDeps } from '#src/deps.ts'
import { addressOf } from './posted.ts'

/** The parameters of the same request from its beginning, with a sign-in; consent is asked for where it was. */
export function withSignIn(params: Record<string, unknown>): Record<string, string> {
  const consent = String(params.prompt ?? '')
    .split(' ')
    .includes('consent')
  const known = Object.entries(params).filter(([, value]) => value !== undefined)
  const texts = known.map(([each, value]): [string, string] => [each, String(value)])
  return { ...Object.fromEntries(texts), prompt: consent ? 'login consent' : 'login' }
}

/** Where that request begins. */
export function againAsSomebodyElse({ params }: Pick<Interaction, 'params'>, deps: ProviderDeps) {
  return addressOf(new URLSearchParams(withSignIn(params)), deps)
}
