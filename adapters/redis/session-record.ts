export type SessionRecord = {
  id: string
  uid: string
  created_on: number
  last_used_on: number
  address: string
  agent: string
  impersonator?: string
}
/** What oidc-provider keeps of its Session; `uid` is the session's id, `jti` the token. */
export type SessionPayload = { uid: string; jti?: string; accountId?: string; [member: string]: unknown }
export type EndedSession = SessionRecord & { payload: SessionPayload }

/** As it is stored: the token stays out. */
export function withoutToken({ jti: _, ...payload }: SessionPayload): string {
  return JSON.stringify(payload)
}

export function plain({ payload: _, ...session }: EndedSession): SessionRecord {
  return session
}

/** What the scripts answer: our fields in order, whether a use was noted, the payload. */
export function recordOf(answer: unknown): EndedSession | undefined {
  if (!Array.isArray(answer)) return undefined
  const [uid, id, created, used, address, agent, impersonator, , payload] = answer as (string | null)[]
  return {
    id: id ?? '',
    uid: uid ?? '',
    created_on: Number(created),
    last_used_on: Number(used),
    address: address ?? '',
    agent: agent ?? '',
    ...(impersonator ? { impersonator } : {}),
    payload: payload ? JSON.parse(payload) : { uid: id ?? '' },
  }
}

/** Whether the read noted a use. */
export const touchedIn = (answer: unknown) => (answer as unknown[])[7] === 1
