import { AsyncLocalStorage } from 'node:async_hooks'
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
 * The master key costs one scrypt for each secret (a weak one is not guessed from a fingerprint); each purpose gets its
 * own key from it by HKDF (RFC 5869). The signing secret can change at run time (`follow`), so nothing that depends on it
 * is kept: names and keys are asked for where they are used. What is under way stays with the secret it began under
 * (`hold`): it finds no record half-way under another, and what it still writes is void like the rest.
 */
export async function openKeys(prefix: string, { secret, sealKey }: { secret: string; sealKey: string }) {
  const first = await signingWith(secret, '')
  const sealing = sealKey ? await deriver(sealKey, '') : first.derive
  let current = first
  const held = new AsyncLocalStorage<Signing>()
  const signing = () => held.getStore() ?? current

  return {
    /** `<prefix>:{family}:…`; without parts the bare `<prefix>:{family}`. */
    durable: (family: string, ...parts: string[]): string =>
      [prefix, `{${family}}`, ...parts.map(encodeURIComponent)].join(':'),
    /** `<prefix>:<fingerprint>:family:id`; with a part `…:family:{id}:part`, all parts of an id in one slot. */
    voidable: (family: string, id: string, part?: string): string =>
      [
        ...[prefix, signing().fingerprint, family],
        ...(part ? [`{${encodeURIComponent(id)}}`, part] : [encodeURIComponent(id)]),
      ].join(':'),
    /** 32 bytes for one purpose (cookies, sealing, cursors …), the same on every pod. */
    derive: (purpose: string): Buffer => signing().derive(purpose),
    /** The same from `seal.key`, or from the environment's signing secret where there is none: survives a new secret. */
    sealing: (purpose: string): Buffer => sealing(`seal ${purpose}`),
    /** As `sealing`, from another key: for what was sealed before it was changed. */
    async sealingFrom(key: string): Promise<(purpose: string) => Buffer> {
      const before = await deriver(key, '')
      return (purpose) => before(`seal ${purpose}`)
    },
    /**
     * Gets ready for another signing secret; the answer puts it in the place of the one before, at once. `era` changes with
     * every change of the secret, so that one that comes back opens nothing of its first time.
     */
    async follow(next: string, era: string): Promise<() => void> {
      const made = await signingWith(next, era)
      return () => {
        current = made
      }
    },
    /** Runs `act`, and whatever it begins, with the secret of now, however it changes meanwhile. */
    hold: (act: () => void): void => held.run(signing(), act),
    /** True in what began under a secret that has been replaced since. */
    isPast: (): boolean => signing() !== current,
    prefix,
    /** Tell the environment's secrets from others, for a backup. What was sealed with one is opened with no other. */
    fingerprints: {
      signing: first.fingerprint,
      sealing: sealing('seal backup fingerprint').toString('base64url').slice(0, 12),
    },
  }
}

type Signing = Awaited<ReturnType<typeof signingWith>>

async function signingWith(secret: string, era: string) {
  const derive = await deriver(secret, era)
  return { derive, fingerprint: derive('fingerprint').toString('base64url').slice(0, 12) }
}

async function deriver(secret: string, salt: string): Promise<(purpose: string) => Buffer> {
  const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 2 ** 26 }
  const master = await stretch(secret, 'latchkey master key 1', 32, cost)
  const derived = new Map<string, Buffer>()
  return (purpose) => {
    const known =
      derived.get(purpose) ?? Buffer.from(hkdfSync('sha256', master, salt, `latchkey ${purpose}`, 32))
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
