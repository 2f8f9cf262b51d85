import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'

export type Consents = ReturnType<typeof openConsents>

/**
 * What people allowed which client, kept until they withdraw it (contract section 9): one hash per account, a field
 * `<client_id> <scope>` with the time in milliseconds, so that adding scopes is one command and nothing is lost.
 */
export function openConsents({ client, durably }: Pick<Connection, 'client' | 'durably'>, keys: Keys) {
  const key = (accountId: string) => keys.durable('consent', accountId)
  return {
    /** Which of `scopes` the account has allowed the client. */
    async given(accountId: string, clientId: string, scopes: string[]): Promise<string[]> {
      if (scopes.length === 0) return []
      const times = await client.hmget(key(accountId), ...scopes.map((scope) => `${clientId} ${scope}`))
      return scopes.filter((_, at) => times[at])
    },
    async give(accountId: string, clientId: string, scopes: string[]): Promise<void> {
      if (scopes.length === 0) return
      const now = Date.now()
      await durably('hset', key(accountId), ...scopes.flatMap((scope) => [`${clientId} ${scope}`, now]))
    },
    /** Forgets everything an account allowed; with its deletion. */
    async forget(accountId: string): Promise<void> {
      await durably('del', key(accountId))
    },
  }
}
