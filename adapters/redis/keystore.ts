import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'oidc-provider'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { seal, unseal } from './seal.ts'

export const signingAlgorithms = ['RS256', 'ES256', 'EdDSA'] as const
type Algorithm = (typeof signingAlgorithms)[number]

/**
 * The keys that sign ID tokens (contract section 9): random, made once by whichever pod is first, the same on all.
 * One hash under the fingerprint of the secret, a field `<algorithm>:<epoch>` for each key, its private JWK sealed with
 * AES-256-GCM under a key derived from the secret; the field's own name is authenticated with it, so that sealed keys
 * cannot change places. Without the secret nothing in it can be read, and with another secret it is not found.
 */
export function openSigningKeys({ client, durably }: Pick<Connection, 'client' | 'durably'>, keys: Keys) {
  const hash = keys.voidable('signing-keys', 'all')
  const secret = keys.derive('signing keys')

  /** HSETNX decides: the pod that comes second reads what the first has stored. */
  async function ensure(algorithm: Algorithm, epoch: number): Promise<void> {
    const field = `${algorithm}:${epoch}`
    if (await client.hexists(hash, field)) return
    await durably(
      'hsetnx',
      hash,
      field,
      seal(JSON.stringify(await generate(algorithm)), secret, `${hash} ${field}`),
    )
  }

  return {
    /** All private keys, those that sign first: one of each algorithm, RS256 at the front. */
    async all(): Promise<JWK[]> {
      await Promise.all(signingAlgorithms.map((algorithm) => ensure(algorithm, 0)))
      const sealed = await client.hgetall(hash)
      const rank = (field: string) => signingAlgorithms.indexOf(field.split(':')[0] as Algorithm)
      return Object.keys(sealed)
        .sort((a, b) => rank(a) - rank(b) || epochOf(b) - epochOf(a))
        .map((field) => JSON.parse(unseal(sealed[field] as string, secret, `${hash} ${field}`)))
    },
  }
}

const epochOf = (field: string) => Number(field.split(':')[1])

async function generate(algorithm: Algorithm): Promise<JWK> {
  const { privateKey } = await pairs[algorithm]()
  return { ...privateKey.export({ format: 'jwk' }), alg: algorithm, use: 'sig' } as JWK
}
const pair = promisify(generateKeyPair)
const pairs = {
  RS256: () => pair('rsa', { modulusLength: 2048 }),
  ES256: () => pair('ec', { namedCurve: 'P-256' }),
  EdDSA: () => pair('ed25519'),
}
