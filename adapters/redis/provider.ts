/**
 * The oidc-provider adapter. Every command touches one key, so it runs on a Cluster without hash tags; commands issued
 * together leave in one round trip.
 *
 * Keys, all under the fingerprint of the secret (a bearer value stands in a key only as its SHA-256, and its `jti` is
 * left out of the record, so that a dump opens nothing):
 *   access-token:  client-token:  interaction:  …   JSON, with expiry
 *   code:  refresh-token:            hash {p: JSON, c: when it was consumed}
 *   grant:<id>                       JSON; every code and token hangs on its grant and is refused without it, so
 *                                    revoking a grant is deleting this one key
 *   session-grants:<session>         grants given in a session, by their end; `o:` before those of offline_access
 *   account-grants:<account>         grants of an account, by their end
 */
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { errors, Provider } from 'oidc-provider'
import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { hashed } from './keys.ts'
import { providerScripts } from './provider-scripts.ts'
import type { SessionRecords } from './sessions.ts'

export type ProviderRecords = ReturnType<typeof openProviderRecords>

/** Families of the models. Those of `once` are good for one use. */
const families: Record<string, string> = {
  AccessToken: 'access-token',
  AuthorizationCode: 'code',
  RefreshToken: 'refresh-token',
  ClientCredentials: 'client-token',
  Grant: 'grant',
  Interaction: 'interaction',
}
const once = new Set(['AuthorizationCode', 'RefreshToken'])
/** Their writes need not be awaited one by one: `settle` awaits them all before the answer leaves. */
const deferrable = new Set(['AccessToken', 'RefreshToken', 'AuthorizationCode', 'ClientCredentials'])
/** A consumed token is remembered this long to recognise its reuse; a family of rotated ones stays small. */
const tombstoneMilliseconds = 3 * 86_400_000

export function openProviderRecords(connection: Connection, keys: Keys, sessions: SessionRecords) {
  const { client } = connection
  const run = providerScripts(connection)
  const pending = new WeakMap<object, Promise<unknown>[]>()
  /** Requests that gave a grant a later end. */
  const movedOn = new WeakSet<object>()
  const grantKey = (id: string) => keys.voidable('grant', id)
  const ofSession = (id: string) => keys.voidable('session-grants', id)
  const ofAccount = (accountId: string) => keys.voidable('account-grants', accountId)

  function write(model: string, id: string, payload: AdapterPayload, seconds: number): Promise<unknown> {
    const { jti: _, ...kept } = payload
    const key = model === 'Grant' ? grantKey(id) : keys.voidable(family(model), hashed(id))
    const json = JSON.stringify(kept)
    const record = once.has(model)
      ? run.put(key, json, seconds * 1000)
      : client.set(key, json, 'PX', seconds * 1000)
    return Promise.all([record, ...index(model, id, payload)])
  }

  function index(model: string, id: string, payload: AdapterPayload): Promise<unknown>[] {
    const ctx = Provider.ctx
    if (model === 'Grant' && payload.accountId) {
      if (ctx) movedOn.add(ctx)
      return [run.index(ofAccount(payload.accountId), id, ends(payload))]
    }
    // With its code a grant is entered under the session until its end; again only when that end has moved on.
    const enters = model === 'AuthorizationCode' || (model === 'RefreshToken' && ctx && movedOn.has(ctx))
    if (!enters || !payload.sessionUid || !payload.grantId) return []
    const offline = payload.scope?.split(' ').includes('offline_access')
    const until = Math.max(ends(payload), ends(ctx?.oidc.entities.Grant))
    return [run.index(ofSession(payload.sessionUid), `${offline ? 'o:' : ''}${payload.grantId}`, until)]
  }

  async function revoke(grants: string[]): Promise<void> {
    await Promise.all(grants.map((id) => client.del(grantKey(id))))
  }

  function adapter(model: string): Adapter {
    if (model === 'Session') return sessionAdapter(sessions)
    const key = (id: string) => (model === 'Grant' ? grantKey(id) : keys.voidable(family(model), hashed(id)))
    return {
      async upsert(id, payload, seconds = 1) {
        const written = write(model, id, payload, seconds)
        const ctx = Provider.ctx
        if (!ctx || !deferrable.has(model)) return void (await written)
        written.catch(() => {}) // told by settle
        pending.set(ctx, [...(pending.get(ctx) ?? []), written])
      },
      async find(id) {
        const found = once.has(model) ? await run.find(key(id)) : await client.get(key(id))
        if (!found) return undefined
        const [json, consumed] = typeof found === 'string' ? [found] : (found as [string, string | null])
        return {
          ...JSON.parse(json),
          jti: id,
          ...(consumed ? { consumed: Math.floor(Number(consumed) / 1000) } : {}),
        }
      },
      /** Of all that try at once exactly one succeeds; the others are refused (contract section 9). */
      async consume(id) {
        if ((await run.consume(key(id), tombstoneMilliseconds)) !== 1)
          throw new errors.InvalidGrant('already used')
      },
      async destroy(id) {
        await client.del(key(id))
      },
      revokeByGrantId: (grantId) => revoke([grantId]),
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
    }
  }

  /**
   * Ends what was given in a session, except to clients that were granted offline_access (contract section 3); of an
   * impersonated session that too, so that nothing outlives the impersonation.
   */
  async function revokeBySession(id: string, offlineToo = false): Promise<void> {
    const grants = await client.zrange(ofSession(id), '0', '-1')
    const ended = grants.filter((grant) => offlineToo || !grant.startsWith('o:'))
    await revoke(ended.map((grant) => grant.replace(/^o:/, '')))
    await client.del(ofSession(id))
  }
  sessions.onEnd(({ id, impersonator }) => revokeBySession(id, impersonator !== undefined))

  return {
    adapter,

    /** Waits until everything a request wrote has been stored. */
    async settle(ctx: object): Promise<void> {
      const writes = pending.get(ctx)
      if (writes) await Promise.all(writes)
    },

    revokeBySession,

    /** Ends every code, access and refresh token of an account, offline ones too. */
    async revokeByAccount(accountId: string): Promise<void> {
      const grants = await client.zrange(ofAccount(accountId), '0', '-1')
      await revoke(grants)
      if (grants.length > 0) await client.zrem(ofAccount(accountId), ...grants)
    },
  }
}

/**
 * The library's Session is our session: one record under its token (contract section 3). It is saved at the end of
 * every authorization; where nothing changed the write is left out. A session nobody signed in to is not kept.
 */
function sessionAdapter(sessions: SessionRecords): Adapter {
  const loaded = new WeakMap<object, string>()
  return {
    async find(token) {
      const payload = await sessions.payload(token)
      if (payload && Provider.ctx) loaded.set(Provider.ctx, contentOf(payload))
      return payload && { ...payload, transient: true }
    },
    async findByUid(id) {
      const payload = await sessions.findByUid(id)
      return payload && { ...payload, transient: true }
    },
    async upsert(token, payload) {
      if (!payload.accountId || !payload.uid) return
      if (Provider.ctx && loaded.get(Provider.ctx) === contentOf(payload)) return
      await sessions.savePayload(token, { ...payload, uid: payload.uid })
    },
    async destroy(token) {
      await sessions.endByToken(token)
    },
    consume: async () => {},
    revokeByGrantId: async () => {},
    findByUserCode: async () => undefined,
  }
}

/** What a session says, but for its times; the cookie ends with the browser (`transient`), the record by its own clock. */
function contentOf({
  jti,
  uid,
  accountId,
  loginTs,
  acr,
  amr,
  authorizations,
  state,
}: AdapterPayload): string {
  return JSON.stringify([jti, uid, accountId, loginTs, acr, amr, authorizations, state])
}

/** Milliseconds since the epoch. */
function ends(payload: { exp?: number } | undefined): number {
  return (payload?.exp ?? 0) * 1000
}

function family(model: string): string {
  const name = families[model]
  if (!name) throw new Error(`no records of ${model} are kept`)
  return name
}
