import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWK } from 'oidc-provider'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { defineScript } from './script.ts'
import { seal, unseal } from './seal.ts'

const signingAlgorithms = ['RS256', 'ES256', 'EdDSA'] as const
type Algorithm = (typeof signingAlgorithms)[number]

/** A private key; it signs from `startsAt` (milliseconds) until one with a later start does. */
export type StoredKey = { algorithm: Algorithm; startsAt: number; jwk: JWK; sealed: string }
export type SigningKeys = ReturnType<typeof openSigningKeys>

/**
 * The keys that sign ID tokens (contract section 9): random, each made by whichever pod is first, the same on all.
 * One hash under the fingerprint of the secret, a field `<algorithm>:<start in seconds>` for each key, its private JWK
 * sealed with AES-256-GCM under a key derived from the secret; the field's own name is authenticated with it, so that
 * sealed keys cannot change places. Without the secret nothing in it can be read, and with another secret it is not found.
 */
export function openSigningKeys(connection: Pick<Connection, 'client' | 'durably'>, keys: Keys) {
  /** Asked at each use: the signing secret changes. */
  const place = () => {
    const hash = keys.voidable('signing-keys', 'all')
    return { hash, secret: keys.derive('signing keys'), name: (field: string) => `${hash} ${field}` }
  }
  const define = (name: string, lua: string, durable: boolean) =>
    defineScript(connection, name, { keys: 1, lua: clock + lua, durable })
  const readAll = define('signingKeysRead', `return {now, redis.call('HGETALL', KEYS[1])}`, false)
  const add = define(
    'signingKeyAdd',
    `if now > tonumber(ARGV[3]) then return 0 end
    return redis.call('HSETNX', KEYS[1], ARGV[1], ARGV[2])`,
    true,
  )
  const remove = define(
    'signingKeyRemove',
    `if redis.call('HGET', KEYS[1], ARGV[1]) ~= ARGV[2] then return 0 end
    return redis.call('HDEL', KEYS[1], ARGV[1])`,
    true,
  )

  return {
    algorithms: signingAlgorithms,

    /** All keys, and what Redis's clock says (milliseconds): it is one for all pods, however wrong theirs are. */
    async read(): Promise<{ now: number; keys: StoredKey[] }> {
      const { hash, secret, name } = place()
      const [now, flat] = (await readAll(hash)) as [number, string[]]
      const found: StoredKey[] = []
      for (let at = 0; at < flat.length; at += 2) {
        const [field, sealed] = flat.slice(at, at + 2) as [string, string]
        const [algorithm, start] = field.split(':') as [Algorithm, string]
        const jwk = JSON.parse(unseal(sealed, secret, name(field)))
        found.push({ algorithm, startsAt: Number(start) * 1000, jwk, sealed })
      }
      return { now, keys: found }
    },

    /**
     * Makes a key, on the thread pool; of all pods that do so at once the first one's is kept. None is added after
     * `latest` (milliseconds, by Redis's clock). True when it was ours.
     */
    async make({ algorithm, startsAt }: Omit<StoredKey, 'jwk' | 'sealed'>, latest: number): Promise<boolean> {
      const { hash, secret, name } = place()
      const field = fieldOf({ algorithm, startsAt })
      const sealed = seal(JSON.stringify(await generate(algorithm)), secret, name(field))
      return (await add(hash, field, sealed, latest)) === 1
    },

    /** Deletes this very key; one that took its place meanwhile stays. */
    async drop(key: Omit<StoredKey, 'jwk'>): Promise<void> {
      await remove(place().hash, fieldOf(key), key.sealed)
    },
  }
}

/** Redis's clock in milliseconds. */
const clock = `local t = redis.call('TIME'); local now = t[1] * 1000 + math.floor(t[2] / 1000)
`

function fieldOf({ algorithm, startsAt }: Pick<StoredKey, 'algorithm' | 'startsAt'>): string {
  return `${algorithm}:${startsAt / 1000}`
}

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
