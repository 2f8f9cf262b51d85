/**
 * Device codes (RFC 8628), as oidc-provider's adapter. Each script touches one key.
 *
 *   device-code:<hash>   {p: JSON, f: when somebody began to confirm it, d: when it was decided, c: when it was
 *                        consumed, l: when the device last asked, w: how long it must wait (ms)}
 *   user-code:<hash>     the hash of the device code that goes with it
 *
 * A user code is short, so it stands under a keyed hash: a dump opens nothing. Pages find a record by its user code and
 * hold it by a reference, since the device code itself is known to the device alone; where devices redeem, references
 * are not heeded. Both keys outlive the codes, so that a device is told that its code has expired and not that there
 * never was one.
 */
import { createHmac } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { errors, Provider } from 'oidc-provider'
import { Refusal } from '#src/errors.ts'
import type { Connection } from './connection.ts'
import { deviceScripts } from './device-scripts.ts'
import type { Keys } from './keys.ts'
import { hashed } from './keys.ts'

/** Seconds between two questions of a device, which it is told and which are added each time it does not wait. */
export const devicePollingSeconds = 5
/** A device that waits by its own clock may be this much early. */
const leniencyMilliseconds = 500
const rememberedMilliseconds = 900_000
const reference = '~'

type Needs = {
  /** Enters the grant of a code that was allowed under its session. */
  enter: (id: string, payload: AdapterPayload) => Promise<unknown>[]
  consume: (key: string) => Promise<void>
  revoke: (grants: string[]) => Promise<unknown>
}

export function deviceCodeAdapter(
  connection: Connection,
  keys: Keys,
  { enter, consume, revoke }: Needs,
): Adapter {
  const { client } = connection
  const run = deviceScripts(connection)
  const ofUser = (code: string) =>
    keys.voidable(
      'user-code',
      createHmac('sha256', keys.derive('user codes')).update(code).digest('base64url'),
    )
  const key = (id: string) =>
    keys.voidable('device-code', id.startsWith(reference) ? id.slice(reference.length) : hashed(id))

  async function make(id: string, json: string, userCode: string, seconds: number): Promise<void> {
    const lifetime = seconds * 1000 + rememberedMilliseconds
    const taken = (await client.set(ofUser(userCode), hashed(id), 'PX', lifetime, 'NX')) === null
    if (taken) throw new Refusal('Conflict', 'Ask for another code.')
    await run.put(key(id), json, lifetime)
  }

  async function read(at: string): Promise<AdapterPayload | undefined> {
    return payloadOf(await run.find(at))
  }

  return {
    async upsert(id, payload, seconds = 1) {
      const { jti: _, userCode, ...kept } = payload
      const json = JSON.stringify(kept)
      const decided = Boolean(payload.accountId || payload.error)
      if (!decided && !payload.inFlight) return make(id, json, String(userCode), seconds)
      const [moved] = await Promise.all([
        decided ? run.decide(key(id), json) : run.claim(key(id), json),
        ...(payload.accountId ? enter(id, payload) : []),
      ])
      if (moved !== 1) throw new errors.InvalidGrant('already used')
    },
    async find(id) {
      if (Provider.ctx?.oidc.route !== 'token') {
        const found = await read(key(id))
        return found && { ...found, jti: id }
      }
      if (id.startsWith(reference)) return undefined
      const interval = devicePollingSeconds * 1000
      const [found, early] = ((await run.poll(key(id), interval, leniencyMilliseconds)) ?? []) as [
        found?: unknown,
        early?: number,
      ]
      const payload = payloadOf(found)
      if (!payload) return undefined
      if (early === 1 && (payload.exp ?? 0) * 1000 > Date.now())
        throw new errors.SlowDown('Wait five seconds longer between two requests from now on.')
      return { ...payload, jti: id }
    },
    async findByUserCode(userCode) {
      const hash = await client.get(ofUser(userCode))
      const found = hash === null ? undefined : await read(key(reference + hash))
      return found && { ...found, userCode, jti: reference + hash }
    },
    consume: (id) => consume(key(id)),
    async destroy(id) {
      await client.del(key(id))
    },
    async revokeByGrantId(grantId) {
      await revoke([grantId])
    },
    findByUid: async () => undefined,
  }
}

function payloadOf(found: unknown): AdapterPayload | undefined {
  if (!found) return undefined
  const [json, consumed] = found as [string, string | null]
  return {
    ...JSON.parse(json),
    ...(consumed ? { consumed: Math.floor(Number(consumed) / 1000) } : {}),
  }
}
