declare module 'oidc-provider/lib/helpers/weak_cache.js' {
  import type { ErrorOut, KoaContextWithOIDC, Provider } from 'oidc-provider'
  /** What the library keeps to itself of a provider; read by seams.ts only. */
  export default function internals(provider: Provider): {
    configuration: {
      scopes: Set<string>
      renderError(ctx: KoaContextWithOIDC, out: ErrorOut, error: Error): unknown
    }
    responseModes: Map<
      string,
      (ctx: KoaContextWithOIDC, uri: string, answer: Record<string, string>) => unknown
    >
    grantTypeHandlers: Map<string, (ctx: KoaContextWithOIDC) => Promise<void>>
  }
}
