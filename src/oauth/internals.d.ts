declare module 'oidc-provider/lib/helpers/weak_cache.js' {
  import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
  /** What the library keeps to itself of a provider; read by seams.ts only. */
  export default function internals(provider: Provider): {
    configuration: { scopes: Set<string> }
    responseModes: Map<string, (ctx: KoaContextWithOIDC, uri: string, answer: Record<string, string>) => void>
    grantTypeHandlers: Map<string, (ctx: KoaContextWithOIDC) => Promise<void>>
  }
}
