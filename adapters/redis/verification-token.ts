import { randomBytes } from 'node:crypto'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { hashed } from './keys.ts'
import type { AddressKind } from './verification.ts'

/** What a link confirms: that this very address belongs to that account. */
export type AddressClaim = { uid: string; kind: AddressKind; address: string }

const lifetimeSeconds = 24 * 3600

/** Tokens of verification links: 256 bits, kept as a hash for 24 hours, void with another signing secret. */
export function openVerificationTokens({ client }: Connection, keys: Keys) {
  const key = (token: string) => keys.voidable('verify', hashed(token))
  return {
    /** A new token, shown only here. */
    async issue(claim: AddressClaim): Promise<string> {
      const token = randomBytes(32).toString('base64url')
      await client.set(key(token), JSON.stringify(claim), 'EX', lifetimeSeconds)
      return token
    },
    async find(token: string): Promise<AddressClaim | undefined> {
      const claim = await client.get(key(token))
      return claim === null ? undefined : (JSON.parse(claim) as AddressClaim)
    },
    async remove(token: string): Promise<void> {
      await client.del(key(token))
    },
  }
}
