import { randomUUID } from 'node:crypto'
import type { Adapter } from 'oidc-provider'
import { errors } from 'oidc-provider'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { hashed } from './keys.ts'
import { providerScripts } from './provider-scripts.ts'

/**
 * Pushed authorization requests (RFC 9126): `pushed-request:<hash>` is a hash {p: JSON, c: when it was used}. Of all that
 * use one at once exactly one goes on. Its use shows at once, unlike that of a code: no winner's tokens are at stake, and
 * who comes back from signing in must not take it for expired.
 */
export function pushedRequestAdapter(connection: Connection, keys: Keys): Adapter {
  const { client } = connection
  const run = providerScripts(connection)
  const key = (id: string) => keys.voidable('pushed-request', hashed(id))
  return {
    async upsert(id, { jti: _, ...kept }, seconds = 1) {
      await run.put(key(id), JSON.stringify(kept), seconds * 1000)
    },
    async find(id) {
      const [json, used] = await client.hmget(key(id), 'p', 'c')
      if (!json) return undefined
      return { ...JSON.parse(json), jti: id, ...(used ? { consumed: Math.floor(Number(used) / 1000) } : {}) }
    },
    async consume(id) {
      if ((await run.consume(key(id), 60_000, randomUUID())) !== 1)
        throw new errors.InvalidRequestUri('already used')
    },
    async destroy(id) {
      await client.del(key(id))
    },
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
    revokeByGrantId: async () => {},
  }
}
