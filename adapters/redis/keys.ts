import { createHash, hkdfSync, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

export type Keys = Awaited<ReturnType<typeof openKeys>>

/**
 * Names of keys, and what is derived from the signing secret. Every key starts with the one prefix.
 *
 * - `durable`: survives a changed secret. The family is a hash tag, so that a record and its indexes lie in one slot of a
 *   Cluster and one script can change them together.
 * - `voidable`: lies under a fingerprint of the secret, so that with another secret nothing of it can be reached (its
 *   records all expire). No hash tag: sessions and tokens spread over the Cluster.
 *
 * The master key costs one scrypt at start (a weak secret is not guessed from a fingerprint); each purpose gets its own
 * key from it by HKDF (RFC 5869).
 */
export async function openKeys(prefix: string, { secret, sealKey }: { secret: string; sealKey: string }) {
  const derive = await deriver(secret)
  const sealing = sealKey ? await deriver(sealKey) : derive
  const fingerprint = derive('fingerprint').toString('base64url').slice(0, 12)

  return {
    /** `<prefix>:{family}:…`; without parts the bare `<prefix>:{family}`. */
    durable: (family: string, ...parts: string[]): string =>
      [prefix, `{${family}}`, ...parts.map(encodeURIComponent)].join(':'),
    /** `<prefix>:<fingerprint>:family:id`; with a part `…:family:{id}:part`, all parts of an id in one slot. */
    voidable: (family: string, id: string, part?: string): string =>
      [
        ...[prefix, fingerprint, family],
        ...(part ? [`{${encodeURIComponent(id)}}`, part] : [encodeURIComponent(id)]),
      ].join(':'),
    /** 32 bytes for one purpose (cookies, sealing, cursors …), the same on every pod. */
    derive,
    /** The same from `seal.key`, or from the signing secret where there is none: for what must survive a new secret. */
    sealing: (purpose: string): Buffer => sealing(`seal ${purpose}`),
    prefix,
  }
}

async function deriver(secret: string): Promise<(purpose: string) => Buffer> {
  const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 }
  const master = await stretch(secret, 'latchkey master key 1', 32, cost)
  const derived = new Map<string, Buffer>()
  return (purpose) => {
    const known =
      derived.get(purpose) ?? Buffer.from(hkdfSync('sha256', master, '', `latchkey ${purpose}`, 32))
    derived.set(purpose, known)
    return known
  }
}

/** How a bearer value stands in a key: SHA-256, so that a dump opens nothing. */
export function hashed(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

const stretch = promisify<
  string,
  string,
  number,
  { N: number; r: number; p: number; maxmem: number },
  Buffer
>(scrypt)
