import type { Configuration } from 'oidc-provider'
import type { Config } from '#src/settings.ts'
import type { OurClient, OwnFields } from './clients.ts'

type Settings = { config: Config }
type Client = Pick<OwnFields, 'token_lifetime'> | undefined

/** Seconds; a client's own value, else the configured one (interface, Authentication 9). */
export function accessTokenSeconds(client: Client, config: Config): number {
  return client?.token_lifetime?.access_token ?? config.oauth.token_lifetime.access_token
}
export function refreshTokenSeconds(client: Client, config: Config): number {
  return client?.token_lifetime?.refresh_token ?? config.oauth.token_lifetime.refresh_token
}

/** A grant lives longer than any refresh token given under it. */
export function grantSeconds(refreshTokenSeconds: number): number {
  return Math.ceil(refreshTokenSeconds * 1.25) + 60
}

export function lifetimes({ config }: Settings): NonNullable<Configuration['ttl']> {
  return {
    AccessToken: (_ctx, _token, client) => accessTokenSeconds(client as OurClient, config),
    ClientCredentials: (_ctx, _token, client) => accessTokenSeconds(client as OurClient, config),
    // No ID token outlives the publication of the key that signed it.
    IdToken: (_ctx, _token, client) =>
      Math.min(accessTokenSeconds(client as OurClient, config), config.oauth.keys.retain_seconds),
    RefreshToken: (_ctx, _token, client) => refreshTokenSeconds(client as OurClient, config),
    AuthorizationCode: 60,
    DeviceCode: 600,
    // The client of a grant is not always at hand; too long is harmless, since the tokens end by themselves.
    Grant: (ctx) => grantSeconds(refreshTokenSeconds(ctx?.oidc?.client as OurClient | undefined, config)),
    Interaction: 1800,
    Session: () => config.auth.session_absolute_seconds,
  }
}
