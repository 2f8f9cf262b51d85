/**
 * The oidc-provider adapter. Every command touches one key, so it runs on a Cluster without hash tags; commands issued
 * together leave in one round trip.
 *
 * Keys, all under the fingerprint of the secret (a bearer value stands in a key only as its SHA-256, and its `jti` is
 * left out of the record, so that a dump opens nothing):
 *   access-token:  client-token:  interaction:  …   JSON, with expiry
 *   code:  refresh-token:            hash {p: JSON, c: when it was consumed}; device codes: device-codes.ts,
 *                                    pushed requests: pushed-requests.ts, proofs: dpop-proofs.ts
 *   grant:<id>                       JSON; every code and token hangs on its grant and is refused without it, so
 *                                    revoking a grant is emptying this one key: a request under way that saves the
 *                                    grant once more (a refresh moves its end on) cannot bring it back
 *   session-grants:<session>         `<grant> <client>` given in a session, by their end; `o:` before offline_access
 *   account-grants:<account>         `<grant> <client>` of an account, by their end
 */
import type { Adapter, AdapterPayload } from 'oidc-provider'
import { errors, Provider } from 'oidc-provider'
import type { Connection } from './connection.ts'
import { deviceCodeAdapter, devicePollingSeconds } from './device-codes.ts'
import { proofAdapter } from './dpop-proofs.ts'
import type { Keys } from './keys.ts'
import { once, recordKey } from './provider-families.ts'
import type { Entered, HeldGrant } from './provider-grants.ts'
import { enteredIn, heldGrant } from './provider-grants.ts'
import { providerScripts } from './provider-scripts.ts'
import { sessionAdapter, withoutCookie } from './provider-session.ts'
import { pushedRequestAdapter } from './pushed-requests.ts'
import type { EndedSession } from './session-record.ts'
import type { SessionRecords } from './sessions.ts'
import type { Uses } from './uses.ts'

export type ProviderRecords = ReturnType<typeof openProviderRecords>

/** Their writes and ends need not be awaited one by one: `settle` awaits them all before the answer leaves. */
const deferrable = new Set([
  ...['AccessToken', 'RefreshToken', 'AuthorizationCode', 'ClientCredentials', 'Interaction'],
])
/** With these something is given in a session. */
const given = new Set(['AuthorizationCode', 'DeviceCode'])
/** Longer than any request that may save a revoked grant once more. */
const buriedMilliseconds = 600_000

export function openProviderRecords(
  connection: Connection,
  keys: Keys,
  sessions: SessionRecords,
  uses: Uses,
) {
  const { client } = connection
  const run = providerScripts(connection)
  const pending = new WeakMap<object, Promise<unknown>[]>()
  /** What a request is given something for: used up last. */
  const uncertain = new WeakMap<object, { key: string; made: string[] }>()
  const ahead = new WeakMap<object, Map<string, Promise<unknown>>>()
  /** Requests that gave a grant a later end. */
  const movedOn = new WeakSet<object>()
  const grantKey = (id: string) => recordKey(keys, 'Grant', id)
  const ofSession = (id: string) => keys.voidable('session-grants', id)
  const ofAccount = (accountId: string) => keys.voidable('account-grants', accountId)

  function write(model: string, id: string, payload: AdapterPayload, seconds: number): Promise<unknown> {
    const { jti: _, ...kept } = model === 'Interaction' ? withoutCookie(payload) : payload
    const key = recordKey(keys, model, id)
    const json = JSON.stringify(kept)
    const record =
      model === 'Grant'
        ? run.keep(key, json, seconds * 1000).then(refuseRevoked)
        : once.has(model)
          ? run.put(key, json, seconds * 1000)
          : client.set(key, json, 'PX', seconds * 1000)
    return Promise.all([record, ...index(model, id, payload)])
  }

  function index(model: string, id: string, payload: AdapterPayload): Promise<unknown>[] {
    const ctx = Provider.ctx
    if (model === 'Grant' && payload.accountId) {
      if (ctx) movedOn.add(ctx)
      return [run.index(ofAccount(payload.accountId), `${id} ${payload.clientId}`, ends(payload))]
    }
    // With its code a grant is entered under the session until its end; again only when that end has moved on.
    const enters = given.has(model) || (model === 'RefreshToken' && ctx && movedOn.has(ctx))
    if (!enters || !payload.sessionUid || !payload.grantId) return []
    const offline = payload.scope?.split(' ').includes('offline_access')
    const until = Math.max(ends(payload), ends(ctx?.oidc.entities.Grant))
    const member = `${offline ? 'o:' : ''}${payload.grantId} ${payload.clientId}`
    return [run.index(ofSession(payload.sessionUid), member, until)]
  }

  const enter = (id: string, payload: AdapterPayload) => index('DeviceCode', id, payload)

  /** Ends codes and tokens of grants on every pod at once; answers how many of the grants were alive. */
  async function revoke(grants: string[]): Promise<number> {
    const alive = await Promise.all(grants.map((id) => run.bury(grantKey(id), buriedMilliseconds)))
    return alive.filter((was) => was === 1).length
  }

  async function grantsOf(accountId: string): Promise<Entered[]> {
    return (await client.zrange(ofAccount(accountId), '0', '-1')).map(enteredIn)
  }

  async function revokeOf(accountId: string, entered: Entered[]): Promise<number> {
    const alive = await revoke(entered.map(({ grant }) => grant))
    const members = entered.map(({ member }) => member)
    if (members.length > 0) await client.zrem(ofAccount(accountId), ...members)
    return alive
  }

  /** Of all that try at once exactly one succeeds; the others are refused (contract section 9). */
  async function consume(key: string): Promise<void> {
    if (!(await uses.consume(key))) throw new errors.InvalidGrant('already used')
  }

  async function settled(model: string, done: Promise<unknown>): Promise<void> {
    const ctx = Provider.ctx
    if (!ctx || !deferrable.has(model)) return void (await done)
    done.catch(() => {}) // told by settle
    pending.set(ctx, [...(pending.get(ctx) ?? []), done])
  }

  /** What a record says, and when it was used. */
  const look = (model: string, key: string): Promise<unknown> =>
    once.has(model) ? uses.find(key) : client.get(key)

  function adapter(model: string): Adapter {
    if (model === 'Session') return sessionAdapter(sessions)
    if (model === 'DeviceCode') return deviceCodeAdapter(connection, keys, { enter, consume, revoke })
    if (model === 'ReplayDetection') return proofAdapter(connection, keys)
    if (model === 'PushedAuthorizationRequest') return pushedRequestAdapter(connection, keys)
    const key = (id: string) => recordKey(keys, model, id)
    return {
      async upsert(id, payload, seconds = 1) {
        uncertain.get(Provider.ctx as object)?.made.push(key(id))
        await settled(model, write(model, id, payload, seconds))
      },
      async find(id) {
        const at = key(id)
        const found = await (ahead.get(Provider.ctx?.req as object)?.get(at) ?? look(model, at))
        if (!found) return undefined
        const [json, consumed] = typeof found === 'string' ? [found] : (found as [string, string | null])
        return {
          ...JSON.parse(json),
          jti: id,
          ...(consumed ? { consumed: Math.floor(Number(consumed) / 1000) } : {}),
        }
      },
      async consume(id) {
        const ctx = Provider.ctx
        if (!ctx) return consume(key(id))
        uncertain.set(ctx, { key: key(id), made: [] })
      },
      async destroy(id) {
        await (model === 'Grant' ? revoke([id]) : settled(model, client.del(key(id))))
      },
      async revokeByGrantId(grantId) {
        await revoke([grantId])
      },
      findByUid: async () => undefined,
      findByUserCode: async () => undefined,
    }
  }

  /**
   * Ends what was given in a session, except to clients that were granted offline_access (contract section 3); of an
   * impersonated session that too, so that nothing outlives the impersonation. Answers the clients of the session.
   */
  async function revokeBySession(id: string, offlineToo = false): Promise<string[]> {
    const entered = (await client.zrange(ofSession(id), '0', '-1')).map(enteredIn)
    await revoke(entered.filter(({ offline }) => offlineToo || !offline).map(({ grant }) => grant))
    await client.del(ofSession(id))
    return [...new Set(entered.map(({ clientId }) => clientId))]
  }
  const listeners: ((ended: EndedSession, clients: string[]) => Promise<void>)[] = []
  sessions.onEnd(async (ended) => {
    const clients = await revokeBySession(ended.id, ended.impersonator !== undefined)
    if (clients.length > 0) for (const listener of listeners) await listener(ended, clients)
  })

  return {
    adapter,
    devicePollingSeconds,

    /**
     * Looks for what a request names together with what the library looks for first (the client of a token request, the
     * session of an interaction), so that both come in one round trip; the library finds it when it asks. Nothing is used up
     * by looking.
     */
    lookAhead(
      request: object,
      model: 'AuthorizationCode' | 'RefreshToken' | 'Interaction',
      id: string,
    ): void {
      const key = recordKey(keys, model, id)
      const found = look(model, key)
      found.catch(() => {}) // told to whoever asks
      ahead.set(request, new Map([[key, found]]))
    },

    /**
     * Waits until everything a request wrote has been stored, then uses up what that was given for, unless the request is
     * `refused`: an error before leaves it as good as it was. Throws InvalidGrant when somebody else was first.
     */
    async settle(ctx: object, { refused }: { refused: boolean }): Promise<void> {
      await Promise.all(pending.get(ctx) ?? [])
      const used = uncertain.get(ctx)
      if (!used || refused) return
      await consume(used.key).catch(async (error) => {
        if (error instanceof errors.InvalidGrant)
          await Promise.all(used.made.map((each) => client.unlink(each)))
        throw error
      })
    },

    revokeBySession,

    /** Called and awaited after a session was ended in which codes were given to these clients. */
    onLogout(listener: (ended: EndedSession, clients: string[]) => Promise<void>): void {
      listeners.push(listener)
    },

    /** Ends every code, access and refresh token of an account, offline ones too. */
    async revokeByAccount(accountId: string): Promise<void> {
      await revokeOf(accountId, await grantsOf(accountId))
    },

    /** The same of an account at one client; answers how many grants there were. */
    async revokeByClient(accountId: string, clientId: string): Promise<number> {
      const entered = await grantsOf(accountId)
      return revokeOf(
        accountId,
        entered.filter((each) => each.clientId === clientId),
      )
    },

    /** The grants of an account that are alive. */
    async grants(accountId: string): Promise<HeldGrant[]> {
      const entered = await grantsOf(accountId)
      const found = await Promise.all(entered.map(({ grant }) => client.get(grantKey(grant))))
      return found.flatMap((json) => (json ? [heldGrant(JSON.parse(json))] : []))
    },
  }
}

function refuseRevoked(kept: unknown): void {
  if (kept !== 1) throw new errors.InvalidGrant('grant is revoked')
}

/** Milliseconds since the epoch. */
function ends(payload: { exp?: number } | undefined): number {
  return (payload?.exp ?? 0) * 1000
}
