import type { Adapter } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'

/**
 * DPoP proofs that were seen (RFC 9449 section 11.1). Of proofs that are the same exactly one is written, so exactly one
 * is accepted; the look that the library takes before is spared.
 */
export function proofAdapter({ client }: Connection, keys: Keys): Adapter {
  return {
    async upsert(id, _payload, seconds = 1) {
      const written = await client.set(keys.voidable('dpop-proof', id), '', 'EX', seconds, 'NX')
      if (written === null) throw new errors.InvalidDpopProof('DPoP proof JWT Replay detected')
    },
    find: async () => undefined,
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    consume: async () => {},
    destroy: async () => {},
    revokeByGrantId: async () => {},
  }
}
