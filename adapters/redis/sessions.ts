/**
 * Sessions. One record is the portal's session and oidc-provider's `Session` at once (contract section 3): a hash under
 * SHA-256 of the token with our fields (`id uid created_on last_used_on address agent impersonator`) and `p`, the
 * provider's payload without its `jti`, which is the token. A dump opens nothing.
 *
 * Three kinds of keys, all under the fingerprint of the secret, each alone in its slot, so that sessions spread over a
 * Cluster and the hot read is one command on one key:
 *   session:<hash>      the record
 *   session-id:<id>     which record a session has now (the token changes, the id stays); empty once it has ended
 *   account:{uid}:…     its sessions by expiry, and beside it (same slot) the account's generation
 * No script spans them. What makes ending safe is the order instead: a session is entered under its account and written
 * first and claims its id last, and ending marks the id first and removes the record last. Whichever comes second sees the
 * other: a session being made while it is ended either finds the mark and withdraws, or is found and removed. The mark
 * outlives every request, so that a request under way (the provider saves the session at its end) cannot bring it back.
 */
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { Refusal } from '#src/errors.ts'
import type { Connection, Log } from './connection.ts'
import type { Keys } from './keys.ts'
import { hashed } from './keys.ts'
import type { EndedSession, SessionPayload, SessionRecord } from './session-record.ts'
import { plain, recordOf, touchedIn, withoutToken } from './session-record.ts'
import { sessionScripts } from './session-scripts.ts'

export type NewSession = {
  uid: string
  address: string
  agent: string
  amr?: string[]
  impersonator?: string
  /** From `generation(uid)`, read before the credentials were checked: the session is refused if all ended since. */
  generation?: string
}
/** Read at each use: they may change at run time. */
export type SessionLimits = { session_idle_seconds: number; session_absolute_seconds: number }

export type SessionRecords = ReturnType<typeof openSessions>

const touchMilliseconds = 60_000
const tombstoneMilliseconds = 3_600_000

export function openSessions(connection: Connection, keys: Keys, limits: SessionLimits, log: Log) {
  const run = sessionScripts(connection)
  const { client } = connection
  const endings: ((ended: EndedSession) => Promise<void>)[] = []

  const record = (hash: string) => keys.voidable('session', hash)
  const pointer = (id: string) => keys.voidable('session-id', id)
  const account = (uid: string): [string, string] => {
    const id = uid.toLowerCase()
    return [keys.voidable('account', id, 'sessions'), keys.voidable('account', id, 'generation')]
  }
  const idle = () => limits.session_idle_seconds * 1000
  const absolute = () => limits.session_absolute_seconds * 1000
  // A use is noted in the record first and in the index after, so the index keeps each session twice as long.
  const indexed = () => 2 * Math.min(idle(), absolute())

  /** What a record holds unless it has expired; a use is noted when the last was `touch` milliseconds ago. */
  async function load(hash: string, touch: number, withPayload: boolean): Promise<EndedSession | undefined> {
    const answer = await run.read(record(hash), idle(), absolute(), touch, withPayload ? 1 : 0)
    const found = recordOf(answer)
    if (found && touchedIn(answer)) keep(hash, found)
    return found
  }
  const use = (token: string, withPayload: boolean) =>
    load(hashed(token), Math.min(touchMilliseconds, idle() / 4), withPayload)

  /** The index follows a noted use, once a minute, without holding up the answer. */
  function keep(hash: string, { uid, id }: SessionRecord): void {
    const entered = uid ? run.enter(...account(uid), id, indexed(), '') : undefined
    Promise.all([run.hold(pointer(id), hash, indexed()), entered]).catch((error) =>
      log.warn({ err: error }, 'the index of sessions was not refreshed'),
    )
  }

  async function look(id: string, withPayload: boolean): Promise<EndedSession | undefined> {
    const hash = await client.get(pointer(id))
    return hash ? load(hash, Number.MAX_SAFE_INTEGER, withPayload) : undefined
  }

  /** Writes a record that is not there: of a new session, or of one whose token changes. False: it has been ended. */
  async function write(
    hash: string,
    payload: SessionPayload,
    fields: Partial<SessionRecord>,
    generation = '',
  ) {
    const named = Object.entries({ ...fields, id: payload.uid }).filter(([, value]) => value !== undefined)
    const [entered] = await Promise.all([
      fields.uid ? run.enter(...account(fields.uid), payload.uid, indexed(), generation) : 1,
      run.write(record(hash), idle(), absolute(), withoutToken(payload), ...(named.flat() as string[])),
    ])
    const before = entered === 1 ? await run.claim(pointer(payload.uid), hash, indexed()) : null
    if (before !== hash) await client.del(record((before ?? hash) as string))
    return before !== null
  }

  async function finish(id: string, known?: string): Promise<boolean> {
    const hash = (await run.close(pointer(id), tombstoneMilliseconds)) || known
    const ended = hash ? recordOf(await run.take(record(hash as string))) : undefined
    if (!ended) return false
    if (ended.uid) await client.zrem(account(ended.uid)[0], id)
    for (const ending of endings) await ending(ended)
    return true
  }

  /**
   * Takes the record that a session has now, to write it under its next token; waits about a second for another that is doing
   * so, since what is not saved then opens nothing.
   */
  async function takeCurrent(id: string): Promise<EndedSession | 'new' | 'ended'> {
    for (let attempt = 1; attempt <= 20; attempt++) {
      const hash = await client.get(pointer(id))
      if (hash === null) return 'new'
      const taken = hash ? recordOf(await run.take(record(hash))) : undefined
      if (taken || hash === '') return taken ?? 'ended'
      await setTimeout(5 * attempt)
    }
    return 'ended'
  }

  return {
    /** A new session with its token, shown only here. Throws LoginFailed when `generation` has passed. */
    async create({ uid, generation, amr, ...fields }: NewSession): Promise<{ token: string; id: string }> {
      const token = randomBytes(32).toString('base64url')
      const id = randomBytes(16).toString('base64url')
      const now = Math.floor(Date.now() / 1000)
      const exp = now + limits.session_absolute_seconds
      const payload = {
        kind: 'Session',
        iat: now,
        exp,
        uid: id,
        accountId: uid,
        loginTs: now,
        amr: amr ?? [],
      }
      if (!(await write(hashed(token), payload, { uid, ...fields }, generation)))
        throw new Refusal('LoginFailed')
      return { token, id }
    },

    /** The session of a token, unless it has expired; one round trip. A session nobody signed in to is not told. */
    async read(token: string): Promise<SessionRecord | undefined> {
      const found = await use(token, false)
      return found?.uid ? plain(found) : undefined
    },

    async byId(id: string): Promise<SessionRecord | undefined> {
      const found = await look(id, false)
      return found?.uid ? plain(found) : undefined
    },

    /** Sessions of an account, the last used first. */
    async list(uid: string): Promise<SessionRecord[]> {
      const ids = await client.zrange(account(uid)[0], 0, '-1')
      const found = await Promise.all(ids.map((id) => look(id, false)))
      const alive = found.filter((session) => session !== undefined).map(plain)
      return alive.sort((a, b) => b.last_used_on - a.last_used_on)
    },

    /** Ends one session of that account; false when it has none such. */
    async end(uid: string, id: string): Promise<boolean> {
      const found = await look(id, false)
      return found?.uid.toLowerCase() === uid.toLowerCase() ? finish(id) : false
    },

    /** Ends all sessions of an account (but one) and every sign-in that read its `generation` before; answers how many. */
    async endAll(uid: string, exceptId?: string): Promise<number> {
      const ids = (await run.drain(...account(uid))) as string[]
      const ended = await Promise.all(ids.filter((id) => id !== exceptId).map((id) => finish(id)))
      return ended.filter(Boolean).length
    },

    async endByToken(token: string): Promise<boolean> {
      const hash = hashed(token)
      const id = await client.hget(record(hash), 'id')
      return id ? finish(id, hash) : false
    },

    /** False once a session was ended; cheaper than reading it. */
    async alive(id: string): Promise<boolean> {
      return Boolean(await client.get(pointer(id)))
    },

    /** Changes with every `endAll` of the account. Read before checking credentials, it closes the gap until `create`. */
    async generation(uid: string): Promise<string> {
      return (await client.get(account(uid)[1])) ?? '0'
    },

    /** Called and awaited after a session was ended (not when one expires): revoke what was granted in it. */
    onEnd(ending: (ended: EndedSession) => Promise<void>): void {
      endings.push(ending)
    },

    /** The provider's payload of a token's session, in one round trip; a use like any other. */
    async payload(token: string): Promise<SessionPayload | undefined> {
      const found = await use(token, true)
      return found && { ...found.payload, jti: token }
    },

    /** The same by the session's id; its token is not known, so without `jti`. */
    async findByUid(id: string): Promise<SessionPayload | undefined> {
      return (await look(id, true))?.payload
    },

    /**
     * Saves what the provider holds: one round trip where the session has this token. With another token it moves there
     * with our fields, and the old token is dead; so on a change of token nobody calls `endByToken` for the old one
     * (oidc-provider's `save()` destroys `oldId` first: its adapter leaves that one out). An ended session stays ended.
     */
    async savePayload(token: string, payload: SessionPayload): Promise<void> {
      const hash = hashed(token)
      const uid = payload.accountId ?? ''
      if ((await run.replace(record(hash), withoutToken(payload), payload.uid, uid)) === 1) return
      const before = await takeCurrent(payload.uid)
      if (before === 'ended') return
      const { created_on, last_used_on, address, agent, impersonator } =
        before === 'new' ? ({} as Partial<EndedSession>) : before
      if (before !== 'new' && before.uid && before.uid !== uid)
        await client.zrem(account(before.uid)[0], payload.uid)
      await write(hash, payload, { uid, created_on, last_used_on, address, agent, impersonator })
    },
  }
}
