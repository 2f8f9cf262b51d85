/** A code verifier and its challenge (RFC 7636); null where the browser cannot make one: WebCrypto is there on https and on loopback only. */
export async function challenged(): Promise<{ verifier: string; challenge: string } | null> {
  if (!crypto.subtle) return null
  const verifier = base64url(crypto.getRandomValues(new Uint8Array(32)))
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return { verifier, challenge: base64url(new Uint8Array(digest)) }
}

function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replace(/\+/g, '-')
    .replace(/\//g, '_')
    .replace(/=+$/, '')
}
