import type { Interaction } from 'oidc-provider'
import { paths } from './paths.ts'

/** The parameters of the same request from its beginning, with a sign-in; consent is asked for where it was. */
export function withSignIn(params: Record<string, unknown>): Record<string, string> {
  const consent = String(params.prompt ?? '')
    .split(' ')
    .includes('consent')
  const known = Object.entries(params).filter(([, value]) => value !== undefined)
  const texts = known.map(([each, value]): [string, string] => [each, String(value)])
  return { ...Object.fromEntries(texts), prompt: consent ? 'login consent' : 'login' }
}

export function againAsSomebodyElse({ params }: Pick<Interaction, 'params'>): string {
  return `${paths.authorization}?${new URLSearchParams(withSignIn(params))}`
}
