/**
 * Records of a bare oidc-provider in Redis, with no more than its adapter interface asks for: what the library would be
 * compared with where more than one pod is to know of a sign-in. Nothing is hashed, sealed, indexed by person or waited for.
 */
import { Redis } from 'ioredis'
import type { Adapter, AdapterConstructor, AdapterPayload } from 'oidc-provider'

/** Clients stay in the configuration, as at the reference without Redis. */
export function redisAdapter(url: string): AdapterConstructor {
  const redis = new Redis(url, { enableAutoPipelining: true, keyPrefix: 'reference:' })
  return class implements Adapter {
    model: string
    constructor(model: string) {
      this.model = model
    }
    key(id: string) {
      return `${this.model}:${id}`
    }
    async read(id: string | null): Promise<AdapterPayload | undefined> {
      const { record, consumed } = id === null ? {} : await redis.hgetall(this.key(id))
      return record === undefined
        ? undefined
        : { ...JSON.parse(record), ...(consumed ? { consumed: Number(consumed) } : {}) }
    }
    find(id: string) {
      return this.read(id)
    }
    async findByUid(uid: string) {
      return this.read(await redis.get(`uid:${uid}`))
    }
    async findByUserCode(code: string) {
      return this.read(await redis.get(`code:${code}`))
    }
    async upsert(id: string, payload: AdapterPayload, seconds: number) {
      const { uid, grantId } = payload
      const writes = [
        redis.hset(this.key(id), 'record', JSON.stringify(payload)),
        redis.expire(this.key(id), seconds),
        ...(this.model === 'Session' && uid ? [redis.set(`uid:${uid}`, id, 'EX', seconds)] : []),
        ...(grantId
          ? [redis.rpush(`of:${grantId}`, this.key(id)), redis.expire(`of:${grantId}`, seconds)]
          : []),
      ]
      await Promise.all(writes)
    }
    async consume(id: string) {
      await redis.hset(this.key(id), 'consumed', Math.floor(Date.now() / 1000))
    }
    async destroy(id: string) {
      await redis.del(this.key(id))
    }
    async revokeByGrantId(grantId: string) {
      const keys = await redis.lrange(`of:${grantId}`, 0, -1)
      await Promise.all([...keys, `of:${grantId}`].map((key) => redis.del(key)))
    }
  }
}
