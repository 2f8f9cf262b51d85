import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import type { Deps } from '#src/deps.ts'

/** How the library names the endpoints in its events, and how the metric does. */
const endpoints = {
  authorization: 'authorize',
  pushed_authorization_request: 'par',
  grant: 'token',
  userinfo: 'userinfo',
  introspection: 'introspect',
  revocation: 'revoke',
  device_authorization: 'device_authorize',
  end_session: 'logout',
} as const

/**
 * Counts what applications get and what they are refused. Neither is an event of the audit log, which is about people;
 * a burst of refusals at one endpoint is what an operator wants to see first, and the log says which client it was.
 */
export function countOutcomes(
  provider: Provider,
  { metrics: { oauthTokens, oauthRefusals } }: Pick<Deps, 'metrics'>,
): void {
  provider.on('access_token.saved', ({ gty = '' }) => {
    const grant = gty.split(' ').at(-1)?.split(':').at(-1) ?? ''
    oauthTokens.inc({ grant })
  })
  provider.on('client_credentials.saved', () => oauthTokens.inc({ grant: 'client_credentials' }))
  for (const [event, endpoint] of Object.entries(endpoints))
    provider.on(`${event}.error` as 'grant.error', (_ctx: KoaContextWithOIDC, { error }) =>
      oauthRefusals.inc({ endpoint, error }),
    )
}
