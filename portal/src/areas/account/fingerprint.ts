export type SshKey = { line: string; type: string; comment: string; fingerprint: string }

/** The keys of an account, each with the fingerprint that `ssh-keygen -l` shows: SHA-256 of its bytes, base64. */
export async function keysIn(sshPublicKey: string | undefined): Promise<SshKey[]> {
  const lines = (sshPublicKey ?? '').split('\n').filter((line) => line.trim() !== '')
  return Promise.all(
    lines.map(async (line) => {
      const [type = '', blob = '', ...comment] = line.trim().split(/\s+/)
      return { line, type, comment: comment.join(' '), fingerprint: await fingerprintOf(blob) }
    }),
  )
}

/** Empty where the browser cannot tell: WebCrypto is there on https and on loopback only. */
async function fingerprintOf(blob: string): Promise<string> {
  try {
    const bytes = Uint8Array.from(atob(blob), (sign) => sign.charCodeAt(0))
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    return `SHA256:${btoa(String.fromCharCode(...digest)).replace(/=+$/, '')}`
  } catch {
    return ''
  }
}
