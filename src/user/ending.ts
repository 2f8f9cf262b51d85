import type { Deps } from '#src/deps.ts'

/**
 * Ends on every pod what lets somebody in as `uid`, but for one session (contract section 2): sessions with the tokens
 * given in them, sign-ins under way, the tokens of clients that may outlive a session, and personal access tokens.
 */
export async function endAccess(
  { sessions, store }: Pick<Deps, 'sessions' | 'store'>,
  uid: string,
  exceptSession?: string,
): Promise<void> {
  await sessions.endAll(uid, exceptSession)
  await Promise.all([store.provider.revokeByAccount(uid), store.apiTokens.end(uid)])
}
