import type { Adapter, AdapterPayload } from 'oidc-provider'
import { Provider } from 'oidc-provider'
import type { SessionRecords } from './sessions.ts'

/**
 * The library's Session is our session: one record under its token (contract section 3). It is saved at the end of
 * every authorization; where nothing changed the write is left out. A session nobody signed in to is not kept.
 */
export function sessionAdapter(sessions: SessionRecords): Adapter {
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

/** An interaction names the session it is part of; the token, which the library adds (`cookie`) and never reads, stays out. */
export function withoutCookie({ session, ...interaction }: AdapterPayload): AdapterPayload {
  if (!session) return interaction
  const { cookie: _, ...named } = session as Record<string, unknown>
  return { ...interaction, session: named } as AdapterPayload
}
