import type { Connection } from './connection.ts'
import type { Keys } from './keys.ts'
import { defineScript } from './script.ts'

export type Consents = ReturnType<typeof openConsents>

/**
 * What people allowed which client, kept until they withdraw it (contract section 9): one hash per account, a field
 * `<client_id> <scope>` with the time in milliseconds, so that adding scopes is one command and nothing is lost.
 */
export function openConsents(connection: Pick<Connection, 'client' | 'durably'>, keys: Keys) {
  const { client, durably } = connection
  // KEYS consents; ARGV beginning of fields
  const withdraw = defineScript(connection, 'consentWithdraw', {
    keys: 1,
    durable: true,
    lua: `local scopes = {}
    for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
      if string.sub(field, 1, #ARGV[1]) == ARGV[1] then
        redis.call('HDEL', KEYS[1], field)
        scopes[#scopes + 1] = string.sub(field, #ARGV[1] + 1)
      end
    end
    return scopes`,
  })
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
    /** Everything an account allows, whom and since when (milliseconds). */
    async all(accountId: string): Promise<{ client_id: string; scope: string; given_on: number }[]> {
      return Object.entries(await client.hgetall(key(accountId))).map(([field, at]) => {
        const [client_id = '', scope = ''] = field.split(' ')
        return { client_id, scope, given_on: Number(at) }
      })
    },
    /** Forgets what an account allowed one client; answers the scopes. */
    async withdraw(accountId: string, clientId: string): Promise<string[]> {
      return (await withdraw(key(accountId), `${clientId} `)) as string[]
    },
    /** Forgets everything an account allowed; with its deletion. */
    async forget(accountId: string): Promise<void> {
      await durably('del', key(accountId))
    },
  }
}
